"""Teams with chains and rotas, as they stand once administrators have set them."""

from datetime import date, datetime, time, timedelta
from typing import Any

from escalation.models import (
    Chain,
    ChainStep,
    Rota,
    RotaCover,
    RotaShift,
    RotaTurn,
    Team,
    TeamMember,
    TeamOwns,
    User,
)
from escalation.models.chain import StepKind
from operations.models import Recipient
from tests.escalation.building import T0

MINUTE = timedelta(minutes=1)


def setter() -> User:
    """Whoever sets all of this."""
    return User.objects.get_or_create(username="root")[0]


def _made(**more: Any) -> dict[str, Any]:
    return {"made_at": T0, "made_by": setter(), **more}


def team(name: str, *members: User, owns: Recipient | str | None = None) -> Team:
    """A team with its members; it owns a recipient, an effect by its word, or ("") the rest."""
    row = Team.objects.create(**_made(name=name))
    for person in members:
        TeamMember.objects.create(**_made(team=row, person=person))
    if isinstance(owns, Recipient):
        TeamOwns.objects.create(**_made(team=row, recipient=owns))
    elif owns is not None:
        TeamOwns.objects.create(**_made(team=row, effect=owns))
    return row


def chain(of: Team, *steps: tuple[User | Team | Rota | str, int]) -> Chain:
    """The chain of a team: whom each step calls (a text: a webhook), and for how many minutes it waits."""
    Chain.objects.filter(team=of, ended_at=None).update(ended_at=T0, ended_by=setter())
    row = Chain.objects.create(**_made(team=of))
    for position, (whom, wait) in enumerate(steps, start=1):
        ChainStep.objects.create(chain=row, position=position, wait=wait, **_whom(whom))
    return row


def _whom(whom: User | Team | Rota | str) -> dict[str, Any]:
    kinds = {User: StepKind.PERSON, Team: StepKind.TEAM, Rota: StepKind.ROTA, str: StepKind.WEBHOOK}
    kind = kinds[type(whom)].value
    return {"kind": kind, kind: whom}


def rota(name: str, *, zone: str = "Europe/Berlin") -> Rota:
    """A rota without shifts."""
    return Rota.objects.create(**_made(name=name, zone=zone))


def weekly(of: Rota, *people: User, first_day: date = date(2026, 11, 30), at: time = time(9)) -> RotaShift:
    """A shift that never ends, of which each has a week, handed over at `at`, local time."""
    row = RotaShift.objects.create(
        **_made(rota=of, name="Week", days=list(range(7)), begins=at, ends=at, first_day=first_day, weeks=1)
    )
    for place, person in enumerate(people):
        RotaTurn.objects.create(shift=row, place=place, person=person)
    return row


def cover(of: Rota, person: User | None, *, since: datetime, until: datetime) -> RotaCover:
    """Somebody, or nobody, in place of the shifts."""
    return RotaCover.objects.create(**_made(rota=of, person=person, since=since, until=until))
