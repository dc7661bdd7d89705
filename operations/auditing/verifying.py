"""The whole record is checked in one walk: every chain by itself, and against each checkpoint that is given."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby, pairwise
from typing import Any, Final
from uuid import UUID

from operations import models
from operations.auditing.against import Held, against
from operations.auditing.against_rows import compared_rows
from operations.auditing.checking import within
from operations.auditing.checkpoint import Entry, Exported
from operations.auditing.faults import Fault
from operations.auditing.walking import Chain, one_moment, walk

_CHAIN: Final = -1  # before the checkpoints', in the order in which they are given


@dataclass
class Verified:
    """What was looked at. Links, operations and rows that the newest given checkpoint does not have are `uncovered`."""

    operations: int = 0
    links: int = 0
    rows: int = 0
    uncovered_operations: int = 0
    uncovered_links: int = 0
    uncovered_rows: int = 0
    faults: int = 0
    checkpoints: list[str] = field(default_factory=list)  # what is wrong with the checkpoints themselves
    beside: list[str] = field(default_factory=list)  # what is wrong with rows beside the chains


def verify(checkpoints: Sequence[Exported], *, tell: Callable[[Fault], None]) -> Verified:
    """Check everything as it stands at one moment; each fault is told as it is found, one a place.

    Raises `checkpoint.Unreadable`.
    """
    found = Verified()
    in_order = sorted(checkpoints, key=lambda one: one.sequence)
    with one_moment():
        found.checkpoints += _checkpoints(in_order)
        for chain, entries in _by_operation(in_order):
            _count(found, chain, entries, in_order)
            for fault in _faults(chain, entries, in_order):
                found.faults += 1
                tell(fault)
        for wrong, is_there, covered in compared_rows(in_order):
            found.beside += wrong
            found.rows += is_there
            found.uncovered_rows += is_there and not covered
    return found


def _by_operation(checkpoints: Sequence[Exported]) -> Iterator[tuple[Chain | None, dict[int, Entry]]]:
    def entries(at: int) -> Iterator[tuple[int, int, Any]]:
        return ((entry.operation.int, at, entry) for entry in checkpoints[at].entries())

    chains = ((chain.id.int, _CHAIN, chain) for chain in walk())
    streams = [chains, *[entries(at) for at in range(len(checkpoints))]]
    for _, group in groupby(merge(*streams, key=lambda one: one[:2]), key=lambda one: one[0]):
        together = {at: value for _, at, value in group}
        yield together.pop(_CHAIN, None), together


def _faults(chain: Chain | None, entries: dict[int, Entry], checkpoints: Sequence[Exported]) -> Iterator[Fault]:
    told: set[tuple[UUID, int, str]] = set()
    for fault in _all(chain, entries, checkpoints):
        place = (fault.operation, fault.position, fault.what.value)
        if place not in told:
            told.add(place)
            yield fault


def _all(chain: Chain | None, entries: dict[int, Entry], checkpoints: Sequence[Exported]) -> Iterator[Fault]:
    if chain is not None:
        yield from within(chain)
    for at, exported in enumerate(checkpoints):
        yield from against(Held(chain, entries.get(at), exported))


def _count(found: Verified, chain: Chain | None, entries: dict[int, Entry], checkpoints: Sequence[Exported]) -> None:
    if chain is None or chain.row is None:
        return
    links = chain.row.links
    found.operations += 1
    found.links += links
    newest = entries.get(len(checkpoints) - 1)
    if newest is None:
        found.uncovered_operations += 1
        found.uncovered_links += links
    else:
        found.uncovered_links += max(0, links - newest.links)


def _checkpoints(given: Sequence[Exported]) -> Iterator[str]:
    """Yield what does not fit between the files that are given, and between them and the desk's rows of them."""
    rows = {row.sequence: row for row in models.Checkpoint.objects.order_by("sequence")}
    for one in given:
        row = rows.get(one.sequence)
        if row is None:
            yield f"Checkpoint {one.sequence}: the desk has no row of it; it was removed, or the file is not the desk's."
        elif bytes(row.digest) != one.digest:
            yield f"Checkpoint {one.sequence}: the desk's row names another file than {one.path.name}."
    known = {one.sequence: one.digest for one in given}
    for one in given:
        before = known.get(one.sequence - 1)
        if before is not None and one.previous != before:
            yield f"Checkpoint {one.sequence}: it does not follow from the file of checkpoint {one.sequence - 1}."
    yield from _rows(list(rows.values()))


def _rows(rows: Sequence[models.Checkpoint]) -> Iterator[str]:
    for expected, row in enumerate(rows, start=1):
        if row.sequence != expected:
            yield f"Checkpoint {expected}: its row is gone."
            return
    for before, row in pairwise(rows):
        if row.previous is None or bytes(row.previous) != bytes(before.digest):
            yield f"Checkpoint {row.sequence}: its row does not follow from that of checkpoint {before.sequence}."
