"""Times carry their day and their distance."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from escalation.screens.times import clock, day, distance, exact, span

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (NOW, "today"),
        (NOW.replace(hour=0), "today"),
        (NOW - timedelta(hours=12, seconds=1), "yesterday"),
        (NOW + timedelta(hours=12), "tomorrow"),
        (NOW + timedelta(days=2), "Wed 2 Dec"),
        (NOW - timedelta(days=400), "Sun 26 Oct 2025"),
        (datetime(2026, 12, 1, 1, 0, tzinfo=timezone(timedelta(hours=2))), "today"),  # 23:00 UTC
    ],
)
def test_the_day_is_that_of_utc(at, said):
    assert day(at, now=NOW) == said


def test_a_clock_time_carries_its_day():
    assert clock(NOW + timedelta(hours=4, minutes=2), now=NOW) == "today 16:02"


def test_an_exact_time_names_its_zone():
    assert exact(datetime(2026, 11, 30, 14, 0, 7, tzinfo=timezone(timedelta(hours=2)))) == "2026-11-30 12:00:07 UTC"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (7440, "2 h 04 min"), (90_000, "1 d 1 h")],
)
def test_a_span_is_told_in_two_units_at_most(seconds, said):
    assert span(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(("seconds", "said"), [(120, "in 2 min"), (-120, "2 min ago"), (0.5, "now"), (-0.5, "now")])
def test_a_distance_says_which_way(seconds, said):
    assert distance(NOW + timedelta(seconds=seconds), now=NOW) == said
