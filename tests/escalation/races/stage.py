"""Operations in each state that opens doors, and the people at them; begun ten minutes ago, on the real clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Final
from uuid import uuid4

from django.test import Client

from escalation.decisions.inspection import Taken, take_down
from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.taking import Taker
from escalation.models import BusinessException, Inspection, User
from escalation.models.protected_repeat import AGENT
from operations.core.facts import Sends
from operations.inspecting import sheet
from tests.escalation.building import Made, operation
from tests.escalation.contradictions import refused
from tests.escalation.decisions.risks import accepted, limit, proposed
from tests.escalation.people import proved

MINUTE: Final = timedelta(minutes=1)
_NAMES: Final = count(1)


def now() -> datetime:
    return datetime.now(UTC)


def lost(*, sealed: bool = True) -> Made:
    """An operation whose reply was lost."""
    number = next(_NAMES)
    made = operation(f"order-{number}", parcel=f"P{number}", now=now() - 10 * MINUTE, sealed=sealed, sends=Sends.ONE)
    made.timed_out(now=now() - 9 * MINUTE)
    return made


def _contradict(made: Made) -> None:
    made.issued("T-1", now=now() - 2 * MINUTE)
    made.recorded("closed", now=now() - MINUTE)


# What is learnt then, once all is prepared; the order is that in which a pair looks for a state that leaves both open.
NOBODY_KNOWS: Final = "nobody knows"
NOT_SEALED: Final = "nobody knows, and not sealed"
STATES: Final[Mapping[str, Callable[[Made], object]]] = {
    NOBODY_KNOWS: lambda _: None,
    NOT_SEALED: lambda _: None,
    "closed": lambda made: made.recorded("closed", now=now() - MINUTE),
    "happened": lambda made: made.issued("T-1", now=now() - MINUTE),
    "refused for good": lambda made: refused(made, now=now() - MINUTE),
    "contradicted": _contradict,
}


def brought_to(state: str, *prepare: Callable[[Made], object]) -> Made:
    """An operation in a state; what is to be prepared on it happens while nobody knows."""
    made = lost(sealed=state != NOT_SEALED)
    for one in prepare:
        one(made)
    STATES[state](made)
    return made


@dataclass
class Stage:
    """Who acts: two people who hold every role, each at a screen; another proposed and took down what waits."""

    people: tuple[User, User] = field(default_factory=lambda: (_administrator("ann"), _administrator("ben")))
    other: User = field(default_factory=lambda: _administrator("mira"))

    def screens(self) -> tuple[Client, Client]:
        """A browser each."""
        found = Client(), Client()
        for client, person in zip(found, self.people, strict=True):
            client.force_login(person)
        return found

    def waiting_risk(self, made: Made) -> BusinessException:
        """The risk that was proposed here; one that waits, if none was."""
        return BusinessException.objects.filter(operation=made.id).first() or proposed(made, self.other, now=now())

    def accepted_risk(self, made: Made) -> None:
        """A risk that was accepted and not used, unless there is another already."""
        if not BusinessException.objects.filter(operation=made.id).exists():
            accepted(made, self.other, self.people[0], now=now())

    def waiting_inspection(self, made: Made) -> Inspection:
        """What one person took down, and another has not confirmed yet."""
        found = Inspection.objects.filter(operation=made.id).first()
        return found or take_down(made.id, _taken(made), person=self.other, now=now())

    def grant(self, made: Made) -> None:
        """Leave for one further attempt of the agent."""
        taker = Taker(
            person=self.other, revision=made.row.revision, once=uuid4(), now=now(), proof=proved(self.other, at=now())
        )
        protected_repeat(made.id, taker, executor=AGENT)


def _administrator(name: str) -> User:
    person = User.objects.create_superuser(name)
    limit(person, None)
    limit(person)
    return person


def _taken(made: Made) -> Taken:
    row = made.row
    asked = sheet(row, "counter").asked
    words = {"key": made.identity, "place": "East", "parcel": made.parcel}
    typed = {one.place: words.get(one.place.rpartition("/")[2]) or next(iter(one.values), "T-1") for one in asked}
    said = [(one.label, str(typed[one.place])) for one in asked]
    return Taken(channel="counter", typed=typed, said=said, read_at=now() - MINUTE, notes="", once=uuid4())
