"""One operation of each kind at each recipient, made as in life, for very many to be copied from.

Of a thousand operations 700 have nothing but their attempt and nobody is needed for them yet, 200 are settled on our record, and
100 wait for a person (`KINDS`). Everything is registered, answered, called for and decided by the product's own functions at the
moment that each kind says.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

if TYPE_CHECKING:
    from escalation.models import User
    from operations.models import Contract
    from tests.escalation.building import Made

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
YEAR: Final = 365 * DAY
RECIPIENTS: Final = 30
PEOPLE: Final = 20
PLACES: Final = ("Harbour", "Station", "Market", "Campus", "Airport", "Mill")
EFFECTS: Final = ("collection ticket", "locker code", "return label", "pallet slot", "courier call")


@dataclass(frozen=True, slots=True)
class Kind:
    """`of_thousand` operations are like this; the youngest began `age` ago, the oldest `spread` before it."""

    of_thousand: int
    age: timedelta
    spread: timedelta
    befalls: Callable[["Made", "User"], None]
    deadline: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """An operation to copy; `kind` is its place in `KINDS`, `recipient` its recipient's in the order of their making."""

    operation: UUID
    kind: int
    recipient: int


def _nothing(_: "Made", __: "User") -> None:
    """Nothing came of it yet."""


def _lost(made: "Made", _: "User") -> None:
    made.timed_out(now=made.row.created_at + timedelta(seconds=30))


def _failed(made: "Made", _: "User") -> None:
    made.failed(now=made.row.created_at + timedelta(seconds=2))


def _issued(made: "Made", _: "User") -> None:
    made.issued(f"T-{made.identity}", now=made.row.created_at + timedelta(seconds=2))


def _closed(made: "Made", person: "User") -> None:
    _lost(made, person)
    made.recorded("closed", now=made.row.created_at + timedelta(minutes=2))


def _torn(made: "Made", person: "User") -> None:
    _issued(made, person)
    made.recorded("closed", now=made.row.created_at + timedelta(minutes=2))


def _put_off(made: "Made", person: "User") -> None:
    from escalation.cases.minding import Minder, put_off, take
    from escalation.models import Case

    _lost(made, person)
    for hours in (1, 25, 47):  # all reasons that will come are there: one more would take it up again
        _call(made.row.created_at + hours * HOUR)
    for act in (take, lambda pk, minder: put_off(pk, minder, until=minder.now + 29 * DAY, note="The desk is closed.")):
        case = Case.objects.get(operation_id=made.id)
        act(made.id, Minder(person=person, seen=case.revision, now=made.row.created_at + 2 * DAY - HOUR))


def _recorded(made: "Made", person: "User") -> None:
    from operations import recording

    _issued(made, person)
    with recording.writing(made.id, now=made.row.created_at + timedelta(seconds=3)) as pen:
        recording.complete(pen, receipt=made.row.observations.get().id, by="key:transport")
        pen.finish()


# The first is the kind that a rare word is put into; the last two need nobody.
KINDS: Final = (
    Kind(35, 2 * DAY, YEAR, _lost),
    Kind(25, DAY, YEAR, _issued),
    Kind(10, 2 * DAY, YEAR, _failed),
    Kind(10, 2 * DAY, YEAR, _lost, deadline=30 * DAY),
    Kind(9, 2 * DAY, YEAR, _torn),
    Kind(5, 2 * DAY, YEAR, _closed),
    Kind(5, 2 * DAY, 20 * DAY, _put_off),
    Kind(1, 21 * HOUR, 2.9 * HOUR, _lost),  # a repeat is protected for hours yet
    Kind(200, DAY, YEAR, _recorded),
    Kind(700, 0 * DAY, YEAR, _nothing),
)
WAITING: Final = len(KINDS) - 2  # the first so many of them wait for a person


def _call(now: datetime) -> None:
    from operations.recording import calling

    while calling.call(now=now, most=500):
        pass


def people(*, now: datetime) -> "list[User]":
    """Whoever looks after cases, made where they are not there yet."""
    from escalation.models import RoleGrant, User
    from escalation.policy import Role

    found = []
    for nth in range(PEOPLE):
        person, fresh = User.objects.get_or_create(username=f"bench-{nth:02}")
        if fresh:
            RoleGrant.objects.create(person=person, role=Role.REVIEWER.value, given_at=now)
        found.append(person)
    return found


def _teams(contracts: "list[Contract]", *, by: "User", now: datetime) -> None:
    """Three teams: one owns every fourth recipient, one an effect, one the rest."""
    from escalation.models import Team, TeamOwns

    made = {"made_at": now, "made_by": by}
    teams = [Team.objects.create(name=name, **made) for name in ("Payments", "Lockers", "Everything else")]
    owned = [{"recipient": contract.recipient} for contract in contracts[::4]]
    owning: list[list[dict[str, Any]]] = [owned, [{"effect": EFFECTS[1]}], [{}]]
    for team, some in zip(teams, owning, strict=True):
        for what in some:
            TeamOwns.objects.create(team=team, **made, **what)


def _contracts(recipients: int) -> "list[Contract]":
    from operations.contracts.loading import library_text
    from tests.escalation.building import contract_of

    text, found = library_text("collection-desk"), []
    for nth in range(recipients):
        effect = EFFECTS[nth % len(EFFECTS)]
        words = text.replace("word: collection ticket", f"word: {effect}")
        name = f"{PLACES[nth % len(PLACES)]} desk {nth // len(PLACES) + 1}"
        found.append(contract_of(words, key=f"desk-{nth:02}", name=name))
    return found


def make(*, now: datetime, recipients: int = RECIPIENTS) -> Iterator[Template]:
    """Yield every kind at every recipient, once each; the oldest are made first, as time goes."""
    from escalation.queue import end_windows
    from tests.escalation.building import operation

    persons, contracts = people(now=now), _contracts(recipients)
    _teams(contracts, by=persons[0], now=now)
    for nth, kind in sorted(enumerate(KINDS), key=lambda one: -one[1].age):
        begun = now - kind.age
        some = []
        for at, contract in enumerate(contracts):
            deadline = None if kind.deadline is None else now + kind.deadline
            identity, parcel = f"template-{nth}-{at}", f"{contract.recipient.name} {nth}"
            some.append(
                operation(
                    identity, now=begun, parcel=parcel, contract=contract, deadline=deadline, sealed=nth < WAITING
                )
            )
        for at, made in enumerate(some):
            kind.befalls(made, persons[at % PEOPLE])
            yield Template(made.id, nth, at)
        if nth < WAITING:
            _call(min(begun + HOUR, now))
            _call(now)
    end_windows(now=now, most=1_000)
