"""What one task may still ask of one recipient: so many at once, so far apart, and not after it broke off.

Pure of rows and network. A turn owns a stretch of the recipient's time (recording.pacing), from when it was claimed or,
where loading took longer, from when asking begins. Asks begin in it or at most `GRACE` seconds after it; what is left
then is due as before, so that workers who fell behind don't add up to more than the rate. The first question of each
place goes out however late it is: a machine that is slow goes on slowly instead of claiming and letting go for ever.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from operations.asking import Prepared
from operations.channels.base import Answered
from operations.contracts.http_semantics import PACING
from operations.recording.pacing import Allowed

GRACE: Final = 5.0
# Bytes. What a recipient may answer in one turn: it is held until it is recorded, and read at up to a second a megabyte.
MOST_HEARD: Final = 16 * 1024 * 1024


@dataclass(slots=True)
class Turn:
    """One recipient's part of a claim; `waiting` are the questions that are not asked yet."""

    allowed: Allowed
    waiting: deque[Prepared]
    next_at: datetime
    until: datetime
    failures: int
    asked: int = 0
    heard_bytes: int = 0
    broken_off: bool = False

    def next(self, *, now: datetime) -> tuple[Prepared, float] | None:
        """Return the next question and how many seconds to wait before it goes out; None where no more may."""
        at = max(now, self.next_at)
        too_late = at > self.until and self.asked >= self.allowed.places
        if self.broken_off or not self.waiting or too_late:
            return None
        self.asked += 1
        self.next_at = at + timedelta(seconds=self.allowed.gap)
        return self.waiting.popleft(), (at - now).total_seconds()

    def heard(self, answered: Answered) -> None:
        """Break off where the recipient asks to be left alone, gives no answer again and again, or says very much."""
        self.failures = 0 if answered.failed is None else self.failures + 1
        if self.failures >= self.allowed.breaks_after or (self.allowed.trial and self.failures):
            self.broken_off = True
        self.heard_bytes += len(answered.body or b"")
        if answered.status in PACING or self.heard_bytes > MOST_HEARD:
            self.broken_off = True


def turn(allowed: Allowed, questions: Iterable[Prepared], *, now: datetime) -> Turn:
    """Return the turn of a recipient, whose asking begins now."""
    waiting = deque(questions)
    first_at = max(allowed.first_at, now)
    return Turn(
        allowed=allowed,
        waiting=waiting,
        next_at=first_at,
        until=first_at + timedelta(seconds=len(waiting) * allowed.gap + GRACE),
        failures=allowed.failures,
    )
