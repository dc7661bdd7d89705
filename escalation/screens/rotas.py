"""Rotas in words: who is on call now, who is next, and the shifts and covers that say so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet

from escalation.models import ChainStep, Rota, RotaCover, RotaShift, RotaTurn, User
from escalation.screens.people import Reader
from escalation.screens.teams import known
from escalation.teams.oncall import Stretch
from escalation.teams.rotas import coming

# How far ahead the page of a rota shows who is on call.
SHOWN: Final = timedelta(days=14)
MOST_STRETCHES: Final = 60
DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnCall:
    """From `since` until `until` this person is on call, None: nobody; `by` says by what. Times `local` to the rota too."""

    since: datetime
    until: datetime
    person: User | None
    by: str
    since_local: str
    until_local: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RotaShown:
    """One rota: who is on call now, and who is next, None where nothing changes within four weeks."""

    row: Rota
    now: OnCall
    next: OnCall | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftShown:
    """One shift in words, with whoever takes turns in it, in their order."""

    row: RotaShift
    days: str
    people: tuple[User, ...]
    overnight: bool


def rotas_known(reader: Reader) -> QuerySet[Rota]:
    """Return the rotas that the reader may know of, by name: those that a team they know calls, or in which they stand."""
    rows = Rota.objects.order_by("name")
    if reader.administers:
        return rows
    called = ChainStep.objects.filter(rota=OuterRef("pk"), chain__ended_at=None, chain__team__in=known(reader))
    turns = RotaTurn.objects.filter(shift__rota=OuterRef("pk"), shift__ended_at=None, person=reader.person)
    covers = RotaCover.objects.filter(rota=OuterRef("pk"), ended_at=None, person=reader.person)
    return rows.filter(Exists(called) | Exists(turns) | Exists(covers))


def rotas(reader: Reader, *, now: datetime) -> list[RotaShown]:
    """Return the rotas that weren't ended and that the reader may know of, by name."""
    return [shown(row, now=now) for row in rotas_known(reader).filter(ended_at=None)]


def shown(row: Rota, *, now: datetime) -> RotaShown:
    """Return who is on call in one rota, and who is next."""
    found = _told(row, coming(row, now=now)[:2])
    return RotaShown(row=row, now=found[0], next=found[1] if len(found) > 1 else None)


def calendar(row: Rota, *, now: datetime) -> list[OnCall]:
    """Return who is on call in the coming two weeks."""
    return _told(row, coming(row, now=now, ahead=SHOWN)[:MOST_STRETCHES])


def _told(row: Rota, found: Sequence[Stretch]) -> list[OnCall]:
    people = User.objects.in_bulk({one.person for one in found if one.person is not None})
    zone = ZoneInfo(row.zone)
    return [
        OnCall(
            since=one.since,
            until=one.until,
            person=None if one.person is None else people[one.person],
            by="a cover" if one.covered else one.by or "no shift",
            since_local=_local(one.since, zone),
            until_local=_local(one.until, zone),
        )
        for one in found
    ]


def _local(at: datetime, zone: ZoneInfo) -> str:
    return at.astimezone(zone).strftime("%a %d %b %H:%M")


def shifts(row: Rota) -> list[ShiftShown]:
    """Return the shifts that run, in the order in which they count."""
    rows = row.shifts.filter(ended_at=None).order_by("pk").prefetch_related("turns__person")
    return [_shift(one) for one in rows]


def _shift(row: RotaShift) -> ShiftShown:
    turns = sorted(row.turns.all(), key=lambda turn: turn.place)
    return ShiftShown(
        row=row,
        days=_days(row.days),
        people=tuple([turn.person for turn in turns]),
        overnight=row.ends <= row.begins,
    )


def _days(days: Sequence[int]) -> str:
    """Return days of the week in words: "every day", "Mon to Fri", "Sat, Sun"."""
    if len(days) == len(DAYS):
        return "every day"
    first, last = min(days), max(days)
    if len(days) > 2 and len(days) == last - first + 1:  # two are listed
        return f"{DAYS[first]} to {DAYS[last]}"
    return ", ".join([DAYS[day] for day in sorted(days)])


def covers(row: Rota, *, now: datetime) -> list[RotaCover]:
    """Return the covers that are not over, the newest first: the newest counts."""
    found = row.covers.filter(Q(ended_at=None), until__gt=now).select_related("person", "made_by")
    return list(found.order_by("-pk"))
