"""How one send of a notice ended, as far as its medium lets one say; and when it may be tried again.

`not_sent`: nothing was taken, so that sending again can't tell anybody twice. `may_have_arrived`: it left, or may have,
and nobody said what became of it. A medium that knows a message by its id takes it again without harm; no other is asked
to: who would be told twice doesn't know which of the two to believe, and the chain goes on by itself.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from escalation.models.notice import End

FIRST_WAIT: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(minutes=10)
GIVEN_UP_AFTER: Final = timedelta(hours=48)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a send ended, and why in a sentence without secrets. `wait`: how long the medium asks to be left alone.

    `outage`: the medium's own server couldn't be reached, whoever it was for.
    """

    end: End
    detail: str
    wait: timedelta | None = None
    outage: bool = False


def next_try(*, tries: int, wait: timedelta | None, first_due: datetime, now: datetime) -> datetime | None:
    """Return when what was not sent is tried again after that many tries; None: it is given up.

    Twice as long each time, ten minutes at most: after an outage of hours the first try comes within those.
    """
    if now - first_due >= GIVEN_UP_AFTER:
        return None
    pause: timedelta = min(FIRST_WAIT * 2 ** min(tries - 1, 10), LONGEST_WAIT)
    return now + max(pause, min(wait or timedelta(0), LONGEST_WAIT))


def asked_to_wait(written: str, *, now: datetime) -> timedelta | None:
    """Return what a Retry-After says (RFC 9110, section 10.2.3); None where it can't be read or has passed."""
    if written.isascii() and written.isdigit() and len(written) < 9:
        return timedelta(seconds=int(written))
    try:
        at = parsedate_to_datetime(written)
    except ValueError:
        return None
    return at - now if at.tzinfo is not None and at > now else None
