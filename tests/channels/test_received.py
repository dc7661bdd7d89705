"""How much of an answer is kept, and how long a recipient asks to be left alone."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator
from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.channels.received import LONGEST_WAIT, body_kept, retry_after
from tests.channels.recipients import NOW, run


def in_http(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


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


@pytest.mark.parametrize(
    "value", ["", "soon", "-1", "1.5", "+5", "1e3", "0x10", "١٢", "Mon, 99 Nov 2026 12:00:00 GMT", "12 30", "9" * 13]
)
def test_what_is_neither_seconds_nor_a_date_is_no_wish(value: str) -> None:
    assert retry_after((("retry-after", value),), received_at=NOW) is None


def test_no_header_is_no_wish() -> None:
    assert retry_after((("date", in_http(0)),), received_at=NOW) is None


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ([("retry-after", "0")], 0.0),
        ([("retry-after", " 120 ")], 120.0),
        ([("retry-after", "999999999999")], LONGEST_WAIT),
        ([("retry-after", in_http(90))], 90.0),
        ([("retry-after", in_http(-90))], 0.0),
        ([("retry-after", in_http(10**7))], LONGEST_WAIT),
        ([("retry-after", in_http(90)), ("date", in_http(30))], 60.0),  # its clock runs 30 s ahead
        ([("retry-after", in_http(90)), ("date", "soon")], 90.0),
        ([("retry-after", "5"), ("retry-after", "7")], 7.0),
        ([("retry-after", "Monday, 30-Nov-26 12:00:05 GMT")], 5.0),
        ([("retry-after", "Mon Nov 30 12:00:05 2026")], 5.0),
    ],
)
def test_a_wish_is_seconds_from_the_answer(headers: list[tuple[str, str]], wait: float) -> None:
    assert retry_after(tuple(headers), received_at=NOW) == wait


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_that_is_written_there_breaks_and_no_wish_is_longer_than_a_day(value: str, date: str) -> None:
    wait = retry_after((("retry-after", value), ("date", date)), received_at=NOW)
    assert wait is None or 0 <= wait <= LONGEST_WAIT
