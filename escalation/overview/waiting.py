"""What is in the queue at one moment, by the queue's own rule, read once for all figures about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from escalation.overview.ranges import Asked
from escalation.queue import MOST_COUNTED, Group, waiting
from operations.core.missing import Fact
from operations.core.standing import Situation

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
    """Return what is in the queue now, counting no further than the queue itself does."""
    columns = (
        "group",
        "recipient__name",
        "recipient_id",
        "situation",
        "created_at",
        "act_before",
        "deadline",
        "missing",
    )
    rows = waiting(asked.now, reads=asked.reads).order_by().values_list(*columns)[: MOST_COUNTED + 1]
    found = [_waits(*row) for row in rows]
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
