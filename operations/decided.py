"""What people decided about an operation, and whether it still stands: an outcome that was left is left until anything moves.

semantics.md, Permitted actions: `leave_unresolved` ends an investigation, not the uncertainty. It holds until the time
that was set to look again, unless evidence, finality or conflict differ from what the decision stood on, or something
was sent since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from operations.core.actions import Action
from operations.core.facts import Attempt, Successor
from operations.core.missing import Fact
from operations.core.worded import Worded
from operations.reading.closings import of_original

if TYPE_CHECKING:
    from operations.models import Decision, Operation
    from operations.models import Successor as NamedSuccessor
    from operations.reading import Read


FACTS: Final[Mapping[str, Fact]] = {fact.value: fact for fact in Fact}


class Moved(Worded):
    """What can move under a decision; `sentence` says so to whoever reads."""

    EVIDENCE = "evidence", "What is known of whether it happened changed since."
    FINALITY = "finality", "What is known of whether it could still happen changed since."
    CONFLICT = "conflict", "Whether the recipient contradicts itself changed since."
    ATTEMPT = "attempt", "The request was sent again since."
    LEFT_AGAIN = "left_again", "It was left again since, until another time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """An investigation that was completed with an unresolved outcome, and what moved `since`.

    `told` is who was told of the missing `fact`; `stands` while nothing moved and the time to look again is to come.
    """

    decision: Decision
    fact: Fact
    told: str
    look_again_at: datetime
    remark: str
    since: tuple[Moved, ...]
    now: datetime

    @property
    def stands(self) -> bool:
        """Whether the operation is left be at this moment."""
        return not self.since and self.now < self.look_again_at


def moved(decision: Decision, read: Read) -> Iterator[Moved]:
    """Yield what differs from what a decision stood on, as last inferred when something was written.

    That is what the queue asks for, too: the passing of time alone, by which a report grows stale, moves nothing.
    """
    then, now = decision.standing, read.operation
    if then["evidence"] != now.evidence:
        yield Moved.EVIDENCE
    if then["finality"] != now.finality:
        yield Moved.FINALITY
    if then["conflict_kind"] != now.conflict:
        yield Moved.CONFLICT
    attempts = [row for row, event in zip(read.rows, read.facts.events, strict=True) if isinstance(event, Attempt)]
    if any(row.position > decision.position for row in attempts):
        yield Moved.ATTEMPT


def decisions(read: Read) -> list[Decision]:
    """Return every decision about an operation, in the order of its chain."""
    return sorted(read.operation.decisions.all(), key=lambda row: row.position)


def successors(read: Read) -> dict[UUID, Operation]:
    """Return the new operations that carry this one's intent, by the decision (id) that authorised each."""
    links = [row for row, event in zip(read.rows, read.facts.events, strict=True) if isinstance(event, Successor)]
    named = cast("list[NamedSuccessor]", links)
    return {row.decision_id: row.successor for row in named if row.operation_id == read.operation.id}


def closings(read: Read) -> dict[UUID, Operation]:
    """Return the requests that close this operation, by the decision (id) that authorised each."""
    return {link.decision_id: link.closing for link in of_original(read.operation)}


def _left(decision: Decision, read: Read, *, newest: bool, now: datetime) -> Left:
    content = decision.content
    since = tuple(moved(decision, read))
    return Left(
        decision=decision,
        fact=FACTS[content["fact"]],
        told=content["told"],
        look_again_at=datetime.fromisoformat(content["look_again_at"]),
        remark=content["remark"],
        since=since if newest else (Moved.LEFT_AGAIN, *since),
        now=now,
    )


def leavings(read: Read, *, now: datetime) -> list[Left]:
    """Return every decision to leave the outcome unresolved, in order; only the newest can stand."""
    taken = [row for row in decisions(read) if row.action == Action.LEAVE_UNRESOLVED]
    return [_left(row, read, newest=row is taken[-1], now=now) for row in taken]


def left(read: Read, *, now: datetime) -> Left | None:
    """Return the newest decision to leave the outcome unresolved, None where nobody took one."""
    return next(iter(leavings(read, now=now)[::-1]), None)
