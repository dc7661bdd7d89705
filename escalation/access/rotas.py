"""Rotas are made and ended, and their shifts and covers set, by administrators alone; what was set stays on record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from escalation.access.changing import By, NotChanged, changing
from escalation.access.teams import end_row, standing, told
from escalation.models import ChainStep, Rota, RotaCover, RotaShift, RotaTurn, User
from escalation.models.team_change import TeamAct


@dataclass(frozen=True, slots=True, kw_only=True)
class NewShift:
    """A shift as it is set (models/rota.py says what each means); `people` in the order of their turns."""

    name: str
    days: Sequence[int]
    begins: time
    ends: time
    first_day: date
    weeks: int
    people: Sequence[User]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCover:
    """Who is on call from `since` until `until`, whatever the shifts say; None: nobody."""

    person: User | None
    since: datetime
    until: datetime
    why: str = ""


def rota_called(pk: int) -> Rota:
    """Return the rota with this row id that was not ended; raises `NotChanged`."""
    found = Rota.objects.filter(pk=pk, ended_at=None).first()
    if found is None:
        raise NotChanged("There is no such rota any more.")
    return found


def make_rota(name: str, zone: str, *, by: By) -> Rota:
    """Make a rota, in which nobody is on call yet; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        if Rota.objects.filter(name__iexact=name).exists():
            raise NotChanged("There is a rota of this name, or was one; a name is used once.")
        rota = Rota.objects.create(name=name, zone=zone, made_at=by.now, made_by=who)
        told(TeamAct.ROTA_MADE, rota, f"Its times are those of {zone}.", by=by, who=who)
        return rota


def end_rota(pk: int, *, by: By) -> Rota:
    """End a rota that no chain calls; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        rota = rota_called(pk)
        calling = ChainStep.objects.filter(rota=rota, chain__ended_at=None).select_related("chain__team").first()
        if calling is not None:
            raise NotChanged(f"The chain of {calling.chain.team.name} calls it; change that first.")
        for row in [*rota.shifts.filter(ended_at=None), *rota.covers.filter(ended_at=None), rota]:
            end_row(row, by=by, who=who)
        told(TeamAct.ROTA_ENDED, rota, "", by=by, who=who)
        return rota


def set_shift(pk: int, shift: NewShift, *, by: By) -> Rota:
    """Add a shift behind those that run; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        rota = rota_called(pk)
        if rota.shifts.filter(name=shift.name, ended_at=None).exists():
            raise NotChanged(f"A shift named {shift.name} runs already; end it first.")
        _require_active(shift.people)
        row = RotaShift.objects.create(
            rota=rota,
            name=shift.name,
            days=sorted(shift.days),
            begins=shift.begins,
            ends=shift.ends,
            first_day=shift.first_day,
            weeks=shift.weeks,
            made_at=by.now,
            made_by=who,
        )
        for place, person in enumerate(shift.people):
            RotaTurn.objects.create(shift=row, place=place, person=person)
        names = ", ".join([person.username for person in shift.people])
        told(TeamAct.SHIFT_SET, rota, f"{shift.name}: {names}.", by=by, who=who)
        return rota


def end_shift(pk: int, shift: int, *, by: By) -> Rota:
    """End a shift (row ids); raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        rota = rota_called(pk)
        row = standing(RotaShift, shift, rota=rota)
        end_row(row, by=by, who=who)
        told(TeamAct.SHIFT_ENDED, rota, f"{row.name}.", by=by, who=who)
        return rota


def set_cover(pk: int, cover: NewCover, *, by: By) -> Rota:
    """Let somebody, or nobody, stand in for a time; the newest counts. Raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        rota = rota_called(pk)
        if cover.person is not None:
            _require_active([cover.person])
        row = RotaCover.objects.create(
            rota=rota,
            person=cover.person,
            since=cover.since,
            until=cover.until,
            why=cover.why,
            made_at=by.now,
            made_by=who,
        )
        told(TeamAct.COVER_SET, rota, _cover(row), by=by, who=who)
        return rota


def end_cover(pk: int, cover: int, *, by: By) -> Rota:
    """End a cover (row ids); raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        rota = rota_called(pk)
        row = standing(RotaCover, cover, rota=rota)
        end_row(row, by=by, who=who)
        told(TeamAct.COVER_ENDED, rota, _cover(row), by=by, who=who)
        return rota


def _cover(row: RotaCover) -> str:
    who = "nobody" if row.person is None else row.person.username
    return f"{who}, from {row.since:%Y-%m-%d %H:%M} to {row.until:%Y-%m-%d %H:%M} UTC."


def _require_active(people: Sequence[User]) -> None:
    for person in people:
        if not User.objects.filter(pk=person.pk, is_active=True).exists():
            raise NotChanged(f"{person.username} is inactive; make them active first.")
