"""When an event is tried again, and when a program that can't be reached is left alone for a while. Pure values."""

from datetime import datetime, timedelta
from typing import Final

FIRST_WAIT: Final = timedelta(seconds=10)
LONGEST_WAIT: Final = timedelta(minutes=30)
GIVEN_UP_AFTER: Final = timedelta(hours=48)
# So many tries in a row that failed, whichever events they were of, and the program is left alone for a while.
RESTS_AFTER: Final = 5
FIRST_REST: Final = timedelta(seconds=30)
LONGEST_REST: Final = timedelta(minutes=10)


def next_try(
    *, tries: int, since: datetime, now: datetime, jitter: float, wait: timedelta | None = None
) -> datetime | None:
    """Return when an event is tried again after that many tries; None: it is given up.

    Twice as long each time and half an hour at most, times `jitter`, which lies around 1; `wait` is what the program
    asked for, and is kept to within that half hour.
    """
    if now - since >= GIVEN_UP_AFTER:
        return None
    pause: timedelta = min(FIRST_WAIT * 2 ** min(tries - 1, 10), LONGEST_WAIT) * jitter
    return now + max(pause, min(wait or timedelta(0), LONGEST_WAIT))


def rests_until(*, failures: int, now: datetime) -> datetime | None:
    """Return until when a program is left alone after that many failures in a row; None: it is not."""
    if failures < RESTS_AFTER:
        return None
    pause: timedelta = min(FIRST_REST * 2 ** min(failures - RESTS_AFTER, 10), LONGEST_REST)
    return now + pause
