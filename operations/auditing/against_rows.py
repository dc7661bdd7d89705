"""Rows beside the chains held against what a checkpoint says of them: changed, removed, or put in and backdated."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import groupby
from typing import Any, Final

from operations.auditing.against import LATEST
from operations.auditing.checkpoint import Exported, KeptRow
from operations.auditing.keeping import Standing, rows

_NOW: Final = -1  # before the checkpoints, which have their places


def _named(table: str, key: str) -> str:
    return f"{table} {key}"


def _changed(now: KeptRow, then: KeptRow, exported: Exported) -> Iterator[str]:
    if now.always != then.always:
        yield f"{_named(now.table, now.key)}: changed. {exported.said} has it otherwise."
    for here, there in zip(now.once, then.once, strict=False):
        if there is not None and here != there:
            yield f"{_named(now.table, now.key)}: changed. What was set in it once is otherwise in {exported.when}."


def _against(here: Standing | None, then: KeptRow | None, exported: Exported) -> Iterator[str]:
    if here is None and then is not None:
        yield f"{_named(then.table, then.key)}: removed. {exported.said} has it."
    elif here is not None and then is not None:
        yield from _changed(here.row, then, exported)
    elif here is not None and _is_before(here.written_at, exported):
        when = f"{here.written_at:%Y-%m-%d %H:%M} UTC"
        why = f"It says that it was written on {when}; {exported.when} does not have it."
        yield f"{_named(here.row.table, here.row.key)}: inserted. {why}"


def _is_before(at: datetime | None, exported: Exported) -> bool:
    return at is not None and at < exported.taken_at - LATEST


def compared_rows(checkpoints: Sequence[Exported]) -> Iterator[tuple[list[str], bool, bool]]:
    """Yield for each row what is wrong with it, whether it is there, and whether the newest checkpoint covers it.

    Within `one_moment`; `checkpoints` are in their order. Raises `checkpoint.Unreadable`.
    """

    def listed(at: int) -> Iterator[tuple[tuple[str, str], int, Any]]:
        return (((row.table, row.key), at, row) for row in checkpoints[at].rows())

    here = (((one.row.table, one.row.key), _NOW, one) for one in rows())
    streams = [here, *[listed(at) for at in range(len(checkpoints))]]
    for _, group in groupby(merge(*streams, key=lambda one: one[:2]), key=lambda one: one[0]):
        found = {at: value for _, at, value in group}
        now = found.get(_NOW)
        wrong = [said for at, exported in enumerate(checkpoints) for said in _against(now, found.get(at), exported)]
        yield wrong[:1], now is not None, len(checkpoints) - 1 in found
