"""Outcomes that nobody knows, of what is in the queue now: by age, by recipient, by missing fact."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from escalation.overview.waiting import Queue, Waits
from escalation.queue import Group
from operations.core.missing import Fact

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
# Ages below which a row stands in each part; the last one has no end.
AGES: Final = (_HOUR, 4 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY, 30 * _DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """The rows of the queue by their groups; of those whose outcome is unresolved the ages, recipients and missing facts.

    One operation may miss several facts and is counted under each. `more`: every number is a least one.
    """

    groups: tuple[tuple[Group, int], ...]
    number: int
    put_off: int
    ages: tuple[int, ...]
    recipients: tuple[tuple[str, int], ...]
    facts: tuple[tuple[Fact, int], ...]
    more: bool

    @property
    def waiting(self) -> int:
        """How many need a person now, as the queue's own heading counts them: all but those put off."""
        return sum(number for group, number in self.groups if group is not Group.LEFT_UNRESOLVED)


def unresolved(queue: Queue, *, now: datetime) -> Unresolved:
    """Return them as of `now`."""
    groups = Counter(row.group for row in queue.rows)
    open_ = [row for row in queue.rows if row.unresolved]
    ages = Counter(_age(row, now) for row in open_)
    facts = Counter(fact for row in open_ for fact in row.facts)
    return Unresolved(
        groups=tuple([(group, groups[group]) for group in Group]),
        number=len(open_),
        put_off=sum(row.group is Group.LEFT_UNRESOLVED for row in open_),
        ages=tuple([ages[part] for part in range(len(AGES) + 1)]),
        recipients=_recipients(open_),
        facts=tuple(sorted(facts.items(), key=lambda one: (-one[1], one[0].value))),
        more=queue.more,
    )


def _age(row: Waits, now: datetime) -> int:
    return next((part for part, end in enumerate(AGES) if now - row.since < end), len(AGES))


def _recipients(rows: list[Waits]) -> tuple[tuple[str, int], ...]:
    found = Counter(row.recipient_id for row in rows)
    names = {row.recipient_id: row.recipient for row in rows}
    return tuple([(names[one], number) for one, number in sorted(found.items(), key=lambda of: (-of[1], names[of[0]]))])
