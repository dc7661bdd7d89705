"""Quiet hours: what falls into them waits until their end, unless what would be lost meanwhile ends first.

Hours are those of the person's own clock. A day on which that clock is set has its own length: hours are worked out for
each day anew, an end that the day doesn't have is the first moment after it, one that comes twice is the first of both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

_DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """From `begins` until `ends` by the clock of `zone`, across midnight where `ends` is not the later; never all day."""

    zone: ZoneInfo
    begins: time
    ends: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """When to send; `anyway` says that it is sent inside quiet hours, because what it is about ends before they do."""

    at: datetime
    anyway: bool = False


def quiet_until(quiet: Quiet | None, *, now: datetime) -> datetime | None:
    """Return when the quiet hours end that `now` lies in; None outside of any."""
    if quiet is None:
        return None
    today = now.astimezone(quiet.zone).date()
    return next((ends for begins, ends in _around(quiet, today) if begins <= now < ends), None)


def sending(quiet: Quiet | None, *, ends_at: datetime | None, ahead: timedelta, now: datetime) -> Sending:
    """Return when to send what falls due now: `ends_at` is when protection or deadline ends (None: neither).

    Who is told has to have `ahead` left before it ends. What has ended already can't be saved any more, and waits.
    """
    until = quiet_until(quiet, now=now)
    if until is None:
        return Sending(at=now)
    if ends_at is not None and now < ends_at <= until + ahead:
        return Sending(at=now, anyway=True)
    return Sending(at=until)


def _around(quiet: Quiet, today: date) -> Iterator[tuple[datetime, datetime]]:
    for first in (today - _DAY, today):
        last = first if quiet.begins < quiet.ends else first + _DAY
        yield _moment(first, quiet.begins, quiet.zone), _moment(last, quiet.ends, quiet.zone)


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the first moment at which the clock there shows that time of that day, or a later one."""
    shown = datetime.combine(day, at)
    while True:
        found = shown.replace(tzinfo=zone).astimezone(UTC)
        if found.astimezone(zone).replace(tzinfo=None) == shown:
            return found
        shown += _MINUTE
