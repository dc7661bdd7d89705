"""Times as people read them: always with their day, exact in UTC, and their distance from now.

screens.md: "Every time carries its day"; "Times show relative and exact, in UTC and local". The reader's own local
time is added by the browser, which alone knows it.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR


def day(at: datetime, *, now: datetime) -> str:
    """Return the day of `at` in UTC: today, yesterday, tomorrow, else the date; the year only where it is another."""
    there, here = at.astimezone(UTC).date(), now.astimezone(UTC).date()
    near = {0: "today", -1: "yesterday", 1: "tomorrow"}.get((there - here).days)
    if near is not None:
        return near
    year = "" if there.year == here.year else f" {there.year}"
    return f"{there:%a} {there.day} {there:%b}{year}"


def clock(at: datetime, *, now: datetime) -> str:
    """Return day and clock time in UTC: "today 16:02"."""
    return f"{day(at, now=now)} {at.astimezone(UTC):%H:%M}"


def exact(at: datetime) -> str:
    """Return date and time to the second: "2026-11-30 16:02:07 UTC"."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def span(length: timedelta) -> str:
    """Return how long: "35 s", "41 min", "2 h 04 min", "3 d 4 h". Less than a second is "0 s"."""
    seconds = int(length.total_seconds())
    if seconds < MINUTE:
        return f"{seconds} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min"
    if seconds < DAY:
        return f"{seconds // HOUR} h {seconds % HOUR // MINUTE:02d} min"
    return f"{seconds // DAY} d {seconds % DAY // HOUR} h"


def distance(at: datetime, *, now: datetime) -> str:
    """Return the way from now: "in 41 min", "3 min ago", "now"."""
    ahead = at - now
    if abs(ahead) < timedelta(seconds=1):
        return "now"
    return f"in {span(ahead)}" if ahead > timedelta(0) else f"{span(-ahead)} ago"
