"""Figures as people read them: each a picture with the table behind it and its definition (docs/overview.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from escalation.overview.counting import Plan, plan
from escalation.overview.lapsing import lapsing
from escalation.overview.ranges import Asked
from escalation.overview.unresolved import Unresolved, unresolved
from escalation.overview.waiting import Queue, queue
from escalation.screens.overview_now import by_age, by_fact, by_group, by_recipient, by_team, in_the_next_hours
from escalation.screens.overview_sheet import Sheet
from escalation.screens.overview_then import asks, how_ended, how_long, proved, risks

Makes: TypeAlias = Callable[["Figures"], Sheet]


@dataclass
class Figures:
    """The figures that were asked for; what several of them rest on is read once."""

    asked: Asked

    @cached_property
    def waits(self) -> Queue:
        """What is in the queue now."""
        return queue(self.asked)

    @cached_property
    def unresolved(self) -> Unresolved:
        """What of it is unresolved."""
        return unresolved(self.waits)

    @cached_property
    def plan(self) -> Plan:
        """How the time is counted."""
        return plan(self.asked.span)

    def sheet(self, key: str) -> Sheet | None:
        """Return one figure by its key in the address; None where there is none."""
        made = {**NOW, **THEN}.get(key)
        return None if made is None else made(self)

    def now(self) -> list[Sheet]:
        """Return what is so at this moment, whatever the time that was asked for."""
        return [made(self) for made in NOW.values()]

    def then(self) -> list[Sheet]:
        """Return what was so in the time that was asked for."""
        return [made(self) for made in THEN.values()]


NOW: Final[Mapping[str, Makes]] = {
    "queue": lambda of: by_group(of.unresolved),
    "lapsing": lambda of: in_the_next_hours(lapsing(of.waits), now=of.asked.now, more=of.waits.more),
    "age": lambda of: by_age(of.unresolved),
    "recipient": lambda of: by_recipient(of.unresolved),
    "team": lambda of: by_team(of.unresolved),
    "fact": lambda of: by_fact(of.unresolved),
}
THEN: Final[Mapping[str, Makes]] = {
    "took": lambda of: how_long(of.asked, of.plan),
    "ended": lambda of: how_ended(of.asked, of.plan),
    "proved": lambda of: proved(of.asked, of.plan),
    "risks": lambda of: risks(of.asked),
    "asks": lambda of: asks(of.asked),
}
