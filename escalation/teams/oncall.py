"""Who is on call when, as values: shifts whose turns go round in local time, and covers that stand in for them.

A shift of a day begins and ends at its local times, so that a night in which clocks change has an hour more or less, and
a shift that ends when the next begins leaves no gap. Where shifts overlap, the first of them counts; of covers the newest
(the first given here).
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

DAY: Final = timedelta(days=1)
WEEK: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A named shift on `days` of the week (0: Monday), from `begins` to `ends`, where not later: of the next day.

    From `first_day` on the turn of each of `people` (ids, in order, at least one) has `weeks` weeks.
    """

    name: str
    days: frozenset[int]
    begins: time
    ends: time
    first_day: date
    weeks: int
    people: tuple[int, ...]

    def turn(self, day: date) -> int:
        """Return whose turn it is on a day, from the first on."""
        return self.people[(day - self.first_day).days // (WEEK * self.weeks) % len(self.people)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """From `since` until before `until` this person is on call; None: nobody."""

    since: datetime
    until: datetime
    person: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The whole of a rota."""

    zone: ZoneInfo
    shifts: tuple[Shift, ...] = ()
    covers: tuple[Cover, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """From `since` until before `until` (UTC) `person` is on call, None: nobody; `by` names the shift, if it is by one.

    `covered` says that a cover stands in.
    """

    since: datetime
    until: datetime
    person: int | None
    by: str = ""
    covered: bool = False


def _at(day: date, clock: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, clock, zone).astimezone(UTC)


def _turns(shift: Shift, zone: ZoneInfo, since: datetime, until: datetime) -> Iterator[Stretch]:
    """Yield the turns of a shift that reach into the time from `since` until `until`."""
    day = max(since.astimezone(zone).date() - DAY, shift.first_day)
    over = DAY if shift.ends <= shift.begins else timedelta(0)
    while (begins := _at(day, shift.begins, zone)) < until:
        ends = _at(day + over, shift.ends, zone)
        if day.weekday() in shift.days and ends > since:
            yield Stretch(since=begins, until=ends, person=shift.turn(day), by=shift.name)
        day += DAY


def stretches(plan: Plan, *, since: datetime, until: datetime) -> tuple[Stretch, ...]:
    """Return who is on call from `since` until `until`, without a gap: where it is nobody, a stretch says so."""
    layers: list[Sequence[Stretch]] = [
        [Stretch(since=one.since, until=one.until, person=one.person, covered=True)] for one in plan.covers
    ]
    layers += [list(_turns(shift, plan.zone, since, until)) for shift in plan.shifts]
    pieces = [piece for layer in layers for piece in layer]
    moments = {since, until, *[one.since for one in pieces], *[one.until for one in pieces]}
    bounds = sorted(moment for moment in moments if since <= moment <= until)
    found = [_piece(pieces, at, then) for at, then in itertools.pairwise(bounds)]
    return tuple(_joined(found))


def _piece(pieces: Iterable[Stretch], at: datetime, then: datetime) -> Stretch:
    one = next((one for one in pieces if one.since <= at < one.until), None)
    return Stretch(since=at, until=then, person=None) if one is None else replace(one, since=at, until=then)


def _joined(pieces: Iterable[Stretch]) -> list[Stretch]:
    """Put together what follows on each other with the same person by the same word."""
    found: list[Stretch] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and _same(last, piece):
            found[-1] = replace(last, until=piece.until)
        else:
            found.append(piece)
    return found


def _same(one: Stretch, other: Stretch) -> bool:
    return (one.person, one.by, one.covered) == (other.person, other.by, other.covered)


def on_call(plan: Plan, *, now: datetime) -> int | None:
    """Return who is on call at `now`; None: nobody."""
    return stretches(plan, since=now, until=now + timedelta(microseconds=1))[0].person
