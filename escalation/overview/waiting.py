"""What is in the queue at one moment, by the queue's own rule, read once for all figures about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from escalation.overview.ranges import Asked
from escalation.queue import Group, Question
from escalation.queue.asking import waiting
from operations.core.missing import Fact
from operations.core.standing import Situation

MOST_COUNTED = 10_000
_UNRESOLVED = frozenset({Situation.OPEN.value, Situation.CONFLICT.value})
_FACTS = {fact.value: fact for fact in Fact}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """One row of the queue. `act_before` is the time to look again where it was put off; `due` the deadline, if any."""

    group: Group
    recipient: str
    recipient_id: int
    unresolved: bool
    since: datetime
    act_before: datetime
    due: datetime | None
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The rows of the queue; `more`: there are more than it counts, so that every number made of them is a least one."""

    rows: tuple[Waits, ...]
    more: bool


def queue(asked: Asked) -> Queue:
    """Return what is in the queue now, counting no further than `MOST_COUNTED`."""
    columns = (
        "group",
        "recipient__name",
        "recipient_id",
        "operation__situation",
        "operation__created_at",
        "at",
        "deadline",
        "operation__missing",
    )
    question = Question(now=asked.now, reads=asked.reads)
    rows = waiting(question, most=MOST_COUNTED + 1, keys=columns).order_by()
    found = [_waits(*row) for row in rows[: MOST_COUNTED + 1]]
    return Queue(rows=tuple(found[:MOST_COUNTED]), more=len(found) > MOST_COUNTED)


def _waits(
    group: int,
    recipient: str,
    recipient_id: int,
    situation: str,
    since: datetime,
    act_before: datetime,
    due: datetime | None,
    missing: list[list[Any]],
) -> Waits:
    return Waits(
        group=Group(group),
        recipient=recipient,
        recipient_id=recipient_id,
        unresolved=situation in _UNRESOLVED,
        since=since,
        act_before=act_before,
        due=due,
        facts=frozenset([_FACTS[fact] for fact, _ in missing if fact in _FACTS]),
    )
