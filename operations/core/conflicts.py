"""Two statements of a recipient that cannot both hold are named, never settled by picking one.

semantics.md, Conflict: five rows, the first that holds. A conflict stays until an observation is found not to count.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from operations.core.facts import ClosureCovers
from operations.core.sifting import Dated
from operations.core.weighed import Ground, Weighed
from operations.core.worded import Worded


class ConflictKind(Worded):
    """Which two statements contradict each other; `sentence` is what a reviewer reads."""

    APPLIED_AND_CLOSED = (
        "applied_and_closed",
        "The recipient says that it happened and that it ended without effect.",
    )
    APPLIED_THEN_ABSENT = (
        "applied_then_absent",
        "The recipient said that it happened, and its record as of that time or later does not hold it.",
    )
    ACTIVE_AFTER_CLOSED = (
        "active_after_closed",
        "The recipient says that it is under way after it said that it had ended without effect.",
    )
    ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED = (
        "active_after_every_attempt_refused",
        "The recipient says that it is under way although no attempt on record can account for it.",
    )
    APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED = (
        "applied_though_every_attempt_was_refused",
        "The recipient says that it happened although no attempt on record can account for it.",
    )


_EARLIER: Final = ClosureCovers.EARLIER_ATTEMPTS


def _applied_and_closed(weighed: Weighed) -> Ground | None:
    said = weighed.said
    if not (said.applied and said.closed):
        return None
    closed = max(said.closed)  # the fewest attempts were sent after the latest closure
    exempts = weighed.facts.contract.closure.covers is _EARLIER
    explains_after = weighed.went.explanations.explains_after
    for applied in said.applied:
        if not (exempts and explains_after(applied.at, after=closed.at, applied=True)):
            return Ground((applied.event, closed.event), ("closure.covers",))
    return None


def _applied_then_absent(weighed: Weighed) -> Ground | None:
    said = weighed.said
    if not (said.applied and said.absent):
        return None
    applied, absent = min(said.applied), max(said.absent)
    return Ground((applied.event, absent.event)) if absent.at >= applied.at else None


def _active_after_closed(weighed: Weighed) -> Ground | None:
    said = weighed.said
    if not (said.strong and said.closed):
        return None
    exempts = weighed.facts.contract.closure.covers is _EARLIER
    explains_after = weighed.went.explanations.explains_after
    closures = sorted(said.closed)
    for report in said.strong:
        earlier = bisect_left(closures, report.at, key=_date)
        if not earlier:
            continue
        closed = closures[earlier - 1]
        if not (exempts and explains_after(report.at, after=closed.at, applied=False)):
            return Ground((report.event, closed.event), ("closure.covers",))
    return None


def _date(dated: Dated) -> float:
    return dated.at


def _unexplained(weighed: Weighed, reports: list[Dated], *, applied: bool) -> Ground | None:
    went = weighed.went
    if not went.complete:
        return None
    for report in reports:
        if not went.explanations.explains(report.at, applied=applied):
            refusals = tuple([refusal.event for refusal in weighed.said.refused.values()])
            return Ground((report.event, *refusals), ("operation.attempts_complete",))
    return None


def _active_unexplained(weighed: Weighed) -> Ground | None:
    return _unexplained(weighed, weighed.said.strong, applied=False)


def _applied_unexplained(weighed: Weighed) -> Ground | None:
    return _unexplained(weighed, weighed.said.applied, applied=True)


class ConflictRow(NamedTuple):
    """One row: the kind, and the contradicting observations if it holds."""

    kind: ConflictKind
    holds: Callable[[Weighed], Ground | None]


ConflictTable: TypeAlias = tuple[ConflictRow, ...]
CONFLICTS: Final[ConflictTable] = (
    ConflictRow(ConflictKind.APPLIED_AND_CLOSED, _applied_and_closed),
    ConflictRow(ConflictKind.APPLIED_THEN_ABSENT, _applied_then_absent),
    ConflictRow(ConflictKind.ACTIVE_AFTER_CLOSED, _active_after_closed),
    ConflictRow(ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED, _active_unexplained),
    ConflictRow(ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED, _applied_unexplained),
)


def conflict_in(weighed: Weighed, *, table: ConflictTable = CONFLICTS) -> tuple[ConflictKind, Ground] | None:
    """Return the first contradiction that holds, with the observations that contradict each other, or None."""
    for kind, holds in table:
        ground = holds(weighed)
        if ground is not None:
            return kind, ground
    return None
