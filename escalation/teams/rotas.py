"""Rotas as they stand: their rows as values, and who is on call in one now."""

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from escalation.models import Rota, RotaCover, RotaShift, User
from escalation.teams.oncall import Cover, Plan, Shift, Stretch, on_call, stretches

# How far ahead it is looked who is next.
AHEAD: Final = timedelta(days=28)


def plan_of(rota: Rota, *, since: datetime) -> Plan:
    """Return a rota as it stands, with the covers that end after `since`."""
    shifts = RotaShift.objects.filter(rota=rota, ended_at=None).order_by("pk").prefetch_related("turns")
    covers = RotaCover.objects.filter(rota=rota, ended_at=None, until__gt=since).order_by("-pk")
    return Plan(
        zone=ZoneInfo(rota.zone),
        shifts=tuple([_shift(row) for row in shifts]),
        covers=tuple([Cover(since=row.since, until=row.until, person=row.person_id) for row in covers]),
    )


def _shift(row: RotaShift) -> Shift:
    turns = sorted(row.turns.all(), key=lambda turn: turn.place)
    return Shift(
        name=row.name,
        days=frozenset(row.days),
        begins=row.begins,
        ends=row.ends,
        first_day=row.first_day,
        weeks=row.weeks,
        people=tuple([turn.person_id for turn in turns]),
    )


def called_now(rota: Rota, *, now: datetime) -> User | None:
    """Return who is on call at `now`; None: nobody."""
    pk = on_call(plan_of(rota, since=now), now=now)
    return None if pk is None else User.objects.get(pk=pk)


def coming(rota: Rota, *, now: datetime, ahead: timedelta = AHEAD) -> tuple[Stretch, ...]:
    """Return who is on call from now on, the first of them now."""
    return stretches(plan_of(rota, since=now), since=now, until=now + ahead)
