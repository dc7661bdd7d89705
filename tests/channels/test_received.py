"""How much of an answer is kept."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator

from operations.channels.received import body_kept
from tests.channels.recipients import run


def test_a_bomb_in_one_piece_takes_no_more_memory_than_is_kept() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)

    async def in_one_piece() -> AsyncIterator[bytes]:
        yield bomb

    tracemalloc.start()
    try:
        body, truncated = run(body_kept(in_one_piece(), coding="gzip", most_bytes=100_000, credential=None))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(body), truncated) == (100_000, True)
    assert peak < 5_000_000
