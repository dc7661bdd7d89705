"""Outcomes that nobody knows, of what is in the queue now: by age, recipient, team and missing fact."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from escalation.overview.waiting import AGES, Alike, Queue
from escalation.queue import Group
from escalation.teams.owning import effect_by, owners
from operations import versions
from operations.core.missing import Fact

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """The rows of the queue by their groups; of those whose outcome is unresolved the ages, recipients, teams (None: no team
    owns them) and missing facts.

    One operation may miss several facts and is counted under each. `more`: every number is a least one.
    """

    groups: tuple[tuple[Group, int], ...]
    number: int
    put_off: int
    ages: tuple[int, ...]
    recipients: tuple[tuple[str, int], ...]
    teams: tuple[tuple[str | None, int], ...]
    facts: tuple[tuple[Fact, int], ...]
    more: bool

    @property
    def waiting(self) -> int:
        """How many need a person now, as the queue's own heading counts them: all but those put off."""
        return sum(number for group, number in self.groups if group is not Group.LEFT_UNRESOLVED)


def unresolved(queue: Queue) -> Unresolved:
    """Return them."""
    groups = _counted(queue.rows, lambda row: [row.group])
    open_ = [row for row in queue.rows if row.unresolved]
    ages = _counted(open_, lambda row: [row.age])
    facts = _counted(open_, lambda row: row.facts)
    return Unresolved(
        groups=tuple([(group, groups[group]) for group in Group]),
        number=sum(row.number for row in open_),
        put_off=sum(row.number for row in open_ if row.group is Group.LEFT_UNRESOLVED),
        ages=tuple([ages[part] for part in range(len(AGES) + 1)]),
        recipients=_recipients(open_),
        teams=_teams(open_),
        facts=tuple(sorted(facts.items(), key=lambda one: (-one[1], one[0].value))),
        more=queue.more,
    )


def _counted(rows: Iterable[Alike], kinds: Callable[[Alike], Iterable[Kind]]) -> Counter[Kind]:
    """Return how many rows are of each kind; a row is counted under every kind that it is of."""
    found: Counter[Kind] = Counter()
    for row in rows:
        for kind in kinds(row):
            found[kind] += row.number
    return found


def _recipients(rows: Iterable[Alike]) -> tuple[tuple[str, int], ...]:
    found = _counted(rows, lambda row: [row.recipient])
    names = versions.named(found.keys())
    return tuple([(names[one], number) for one, number in sorted(found.items(), key=lambda of: (-of[1], names[of[0]]))])


def _teams(rows: Iterable[Alike]) -> tuple[tuple[str | None, int], ...]:
    """Return how many each team owns now; what no team owns stands last."""
    owner = owners()

    def name(row: Alike) -> str | None:
        team = owner(row.recipient, effect_by(row.contract))
        return None if team is None else team.name

    found = _counted(rows, lambda row: [name(row)])
    return tuple(sorted(found.items(), key=lambda one: (one[0] is None, -one[1], one[0] or "")))
