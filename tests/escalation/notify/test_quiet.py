"""Quiet hours by a person's own clock."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from escalation.notify.quiet import Quiet, Sending, quiet_until, sending

BERLIN, NEW_YORK, KATHMANDU = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu")
NIGHT = Quiet(zone=BERLIN, begins=time(22), ends=time(7))
AHEAD = timedelta(minutes=4)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("quiet", "now", "until"),
    [
        (None, "2026-11-30T23:00", None),
        # Berlin is an hour ahead in winter, two in summer.
        (NIGHT, "2026-11-30T20:59", None),
        (NIGHT, "2026-11-30T21:00", "2026-12-01T06:00"),
        (NIGHT, "2026-12-01T05:59", "2026-12-01T06:00"),
        (NIGHT, "2026-12-01T06:00", None),
        (NIGHT, "2026-07-01T20:00", "2026-07-02T05:00"),
        (Quiet(zone=BERLIN, begins=time(12), ends=time(13)), "2026-11-30T11:30", "2026-11-30T12:00"),
        (Quiet(zone=BERLIN, begins=time(12), ends=time(13)), "2026-11-30T12:00", None),
        (Quiet(zone=KATHMANDU, begins=time(0), ends=time(6)), "2026-11-30T18:15", "2026-12-01T00:15"),
        # The night of 28 March 2026 has an hour less, that of 24 October one more.
        (NIGHT, "2026-03-28T21:00", "2026-03-29T05:00"),
        (NIGHT, "2026-10-24T20:00", "2026-10-25T06:00"),
        # 02:30 isn't there on 29 March: the first moment after it is 03:00, which is 01:00 UTC.
        (Quiet(zone=BERLIN, begins=time(22), ends=time(2, 30)), "2026-03-28T23:00", "2026-03-29T01:00"),
        (Quiet(zone=BERLIN, begins=time(2, 30), ends=time(6)), "2026-03-29T00:59", None),
        (Quiet(zone=BERLIN, begins=time(2, 30), ends=time(6)), "2026-03-29T01:00", "2026-03-29T04:00"),
        # 02:30 comes twice on 25 October, at 00:30 and at 01:30 UTC: they end at the first, and don't begin again.
        (Quiet(zone=BERLIN, begins=time(22), ends=time(2, 30)), "2026-10-25T00:29", "2026-10-25T00:30"),
        (Quiet(zone=BERLIN, begins=time(22), ends=time(2, 30)), "2026-10-25T01:10", None),
        # 01:30 comes twice in New York on 1 November: what begins at the first lasts through both.
        (Quiet(zone=NEW_YORK, begins=time(1, 30), ends=time(6)), "2026-11-01T06:10", "2026-11-01T11:00"),
    ],
)
def test_quiet_hours_are_those_of_the_persons_own_clock(quiet, now, until):
    assert quiet_until(quiet, now=utc(now)) == (None if until is None else utc(until))


@pytest.mark.parametrize(
    ("ends_at", "expected"),
    [
        (None, Sending(at=utc("2026-12-01T06:00"))),
        # What ends inside of them, or too soon after them to do anything, is told at once.
        ("2026-12-01T03:00", Sending(at=utc("2026-12-01T01:00"), anyway=True)),
        ("2026-12-01T06:00", Sending(at=utc("2026-12-01T01:00"), anyway=True)),
        ("2026-12-01T06:04", Sending(at=utc("2026-12-01T01:00"), anyway=True)),
        ("2026-12-01T06:05", Sending(at=utc("2026-12-01T06:00"))),
        # What has ended can't be saved any more.
        ("2026-12-01T01:00", Sending(at=utc("2026-12-01T06:00"))),
    ],
)
def test_what_falls_into_quiet_hours_waits_unless_it_would_be_lost(ends_at, expected):
    ends = None if ends_at is None else utc(ends_at)
    assert sending(NIGHT, ends_at=ends, ahead=AHEAD, now=utc("2026-12-01T01:00")) == expected


def test_outside_of_quiet_hours_it_is_sent_at_once_and_not_anyway():
    now = utc("2026-11-30T12:00")
    assert sending(NIGHT, ends_at=now + AHEAD, ahead=AHEAD, now=now) == Sending(at=now)


ZONES = st.sampled_from([BERLIN, NEW_YORK, KATHMANDU, ZoneInfo("UTC"), ZoneInfo("Australia/Lord_Howe")])


@given(
    zone=ZONES,
    begins=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    ends=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    minutes=st.integers(0, 366 * 1440),
)
def test_nothing_waits_for_more_than_a_day_and_what_waited_is_sent(zone, begins, ends, minutes):
    now = utc("2026-01-01T00:00") + timedelta(minutes=minutes)
    if begins == ends:
        return
    quiet = Quiet(zone=zone, begins=begins, ends=ends)
    until = quiet_until(quiet, now=now)
    assert until is None or now < until <= now + timedelta(hours=26)
    assert until is None or quiet_until(quiet, now=until) is None
