"""Who is on call, who is quiet and where somebody is told, by the week's plain values: no code of the product is asked."""

from datetime import UTC, datetime, timedelta
from typing import Final

from tests.week import world
from tests.week.world import ADDRESSES, LEAVES, T0, TEAMS, Quiet, Rota, Shift

_DAY: Final = timedelta(days=1)


def is_active(person: str, at: datetime) -> bool:
    """Say whether somebody is still there."""
    after, who = LEAVES
    return person != who or at < T0 + after


def on_call(rota: Rota, at: datetime) -> str:
    """Return who is on call, empty where nobody is: a cover that was set by then, else the first shift that runs."""
    for cover in reversed(rota.covers):
        if T0 + cover.made <= at and T0 + cover.since <= at < T0 + cover.until:
            return cover.person or ""
    for shift in rota.shifts:
        person = _in_shift(shift, rota, at)
        if person:
            return person
    return ""


def _in_shift(shift: Shift, rota: Rota, at: datetime) -> str:
    """A shift runs from its beginning on one of its days until the clock there shows its end, on that day or the next."""
    today = at.astimezone(rota.zone).date()
    for day in (today, today - _DAY):
        last = day if shift.ends > shift.begins else day + _DAY
        begins = datetime.combine(day, shift.begins, rota.zone).astimezone(UTC)
        ends = datetime.combine(last, shift.ends, rota.zone).astimezone(UTC)
        if day.weekday() in shift.days and begins <= at < ends:
            return shift.people[(day - shift.first_day).days // 7 % len(shift.people)]
    return ""


def quiet_until(quiet: Quiet | None, at: datetime) -> datetime | None:
    """Return when somebody's quiet hours end that a time lies in, None outside of any."""
    if quiet is None:
        return None
    here = at.astimezone(quiet.zone)
    clock = here.time().replace(tzinfo=None)
    if not (clock >= quiet.begins or clock < quiet.ends):
        return None
    day = here.date() + _DAY if clock >= quiet.begins else here.date()
    return datetime.combine(day, quiet.ends, quiet.zone).astimezone(UTC)


def reader_of(address: str) -> str:
    """Return the person who reads at an address, empty where it is a room or a webhook."""
    return next((one for one, some in ADDRESSES.items() if address in some and one not in TEAMS), "")


def addresses_of(kind: str, whom: str, at: datetime) -> frozenset[str]:
    """Return every address at which whoever is called is told: a team's own, and those of everybody active in it."""
    if kind == "webhook":
        return frozenset([whom])
    people = world.TEAMS[whom] if kind == "team" else (whom,)
    found = [one for person in people if is_active(person, at) for one in ADDRESSES.get(person, ())]
    return frozenset([*found, *(ADDRESSES.get(whom, ()) if kind == "team" else ())])
