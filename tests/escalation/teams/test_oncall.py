"""Who is on call: turns go round by local days, clocks that change leave no gap, covers stand in, nobody is said."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from escalation.teams.oncall import Cover, Plan, Shift, on_call, stretches

BERLIN = ZoneInfo("Europe/Berlin")
ADA, BEN, EVA = 1, 2, 3
MONDAY = date(2026, 11, 30)
HOUR = timedelta(hours=1)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=BERLIN).astimezone(UTC)


def weekly(*people: int, **more: Any) -> Shift:
    """Each has a week, handed over on Mondays at nine."""
    stated = {
        "name": "Week",
        "days": frozenset(range(7)),
        "begins": time(9),
        "ends": time(9),
        "first_day": MONDAY,
        "weeks": 1,
    }
    return Shift(people=people, **{**stated, **more})


def plan(*shifts: Shift, covers: tuple[Cover, ...] = ()) -> Plan:
    return Plan(zone=BERLIN, shifts=shifts, covers=covers)


def test_where_nothing_is_set_nobody_is_on_call():
    assert on_call(plan(), now=at(2026, 12, 1, 12)) is None


def test_before_the_first_day_nobody_is_on_call():
    assert on_call(plan(weekly(ADA)), now=at(2026, 11, 30, 8, 59)) is None


WEEKS = [
    ((2026, 11, 30, 9, 0), ADA),  # the handover itself is the next one's
    ((2026, 12, 7, 8, 59), ADA),
    ((2026, 12, 7, 9, 0), BEN),
    ((2026, 12, 14, 8, 59), BEN),
    ((2026, 12, 14, 9, 0), ADA),  # all round again
]


@pytest.mark.parametrize(("when", "who"), WEEKS)
def test_a_turn_is_handed_over_on_its_weekday_at_its_time(when, who):
    assert on_call(plan(weekly(ADA, BEN)), now=at(*when)) == who


def test_a_turn_of_two_weeks_lasts_two_weeks():
    two = plan(weekly(ADA, BEN, weeks=2))
    assert [on_call(two, now=at(2026, 12, day, 10)) for day in (13, 14)] == [ADA, BEN]


NIGHTS = [
    ((2026, 12, 4, 21, 59), None),  # Friday
    ((2026, 12, 4, 22, 0), ADA),
    ((2026, 12, 5, 5, 59), ADA),  # Saturday, of Friday's night
    ((2026, 12, 5, 6, 0), None),
    ((2026, 12, 5, 22, 0), None),  # no night begins on Saturdays
]


@pytest.mark.parametrize(("when", "who"), NIGHTS)
def test_a_night_belongs_to_the_day_on_which_it_begins(when, who):
    nights = weekly(ADA, begins=time(22), ends=time(6), days=frozenset(range(5)))
    assert on_call(plan(nights), now=at(*when)) == who


def test_a_night_handed_over_on_monday_is_still_the_former_ones_on_monday_morning():
    nights = weekly(ADA, BEN, begins=time(22), ends=time(6))
    assert [on_call(plan(nights), now=at(2026, 12, 7, hour)) for hour in (5, 23)] == [ADA, BEN]


def test_of_shifts_that_overlap_the_first_counts():
    first = weekly(ADA, begins=time(8), ends=time(12))
    assert [on_call(plan(first, weekly(BEN)), now=at(2026, 12, 1, hour)) for hour in (11, 12)] == [ADA, BEN]


def test_a_cover_stands_in_from_its_beginning_until_before_its_end():
    since, until = at(2026, 12, 1, 10), at(2026, 12, 1, 12)
    covered = plan(weekly(ADA), covers=(Cover(since=since, until=until, person=BEN),))
    moments = (since - timedelta(seconds=1), since, until - timedelta(seconds=1), until)
    assert [on_call(covered, now=now) for now in moments] == [ADA, BEN, BEN, ADA]


def test_the_newest_cover_counts_and_may_say_that_nobody_is_on_call():
    since, until = at(2026, 12, 1, 10), at(2026, 12, 1, 12)
    covers = (
        Cover(since=since, until=until, person=None),
        Cover(since=since - HOUR, until=until + HOUR, person=BEN),
    )
    covered = plan(weekly(ADA), covers=covers)
    moments = (since - HOUR, since, until, until + HOUR)
    assert [on_call(covered, now=now) for now in moments] == [BEN, None, BEN, ADA]


@pytest.mark.parametrize("night", [(2027, 3, 28), (2026, 10, 25)], ids=["an hour less", "an hour more"])
def test_a_night_in_which_clocks_change_leaves_no_gap(night):
    days = weekly(ADA, begins=time(2, 30), ends=time(9), first_day=date(2026, 1, 1))
    rest = weekly(BEN, begins=time(9), ends=time(2, 30), first_day=date(2026, 1, 1))
    since = at(*night) - HOUR
    found = stretches(plan(days, rest), since=since, until=since + 12 * HOUR)
    assert [one.person for one in found] == [BEN, ADA, BEN]


def test_who_is_next_follows_without_a_gap():
    since = at(2026, 12, 1, 12)
    found = stretches(plan(weekly(ADA, BEN)), since=since, until=since + timedelta(days=14))
    assert [(one.person, one.by) for one in found] == [(ADA, "Week"), (BEN, "Week"), (ADA, "Week")]
    assert [one.since for one in found[1:]] == [at(2026, 12, 7, 9), at(2026, 12, 14, 9)]


CLOCKS = st.times().map(lambda one: one.replace(second=0, microsecond=0, tzinfo=None))
SHIFTS = st.builds(
    Shift,
    name=st.sampled_from(["Day", "Night"]),
    days=st.frozensets(st.integers(0, 6), min_size=1),
    begins=CLOCKS,
    ends=CLOCKS,
    first_day=st.dates(date(2026, 3, 1), date(2026, 3, 31)),
    weeks=st.integers(1, 3),
    people=st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple),
)


@given(shifts=st.lists(SHIFTS, max_size=3), hours=st.integers(0, 400))
def test_any_rota_is_told_without_gap_or_overlap_and_as_it_is_answered_moment_by_moment(shifts, hours):
    rota, since = plan(*shifts), datetime(2026, 3, 22, tzinfo=UTC)
    until = since + timedelta(days=14)
    found = stretches(rota, since=since, until=until)
    assert [one.since for one in found] == [since, *[one.until for one in found[:-1]]]
    assert found[-1].until == until
    moment = since + timedelta(hours=hours) / 2
    told = next(one for one in found if one.since <= moment < one.until)
    assert on_call(rota, now=moment) == told.person
