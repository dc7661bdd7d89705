"""What runs out in the next hours, of what is in the queue and was not put off: by the hour."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from escalation.overview.waiting import Queue
from escalation.queue import SOON, Group

HOURS: Final = 12
_HOUR: Final = timedelta(hours=1)
assert SOON == _HOUR  # noqa: S101  # so that what lapses in the first hour, or has, is the queue's first group


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsing:
    """How many have to be acted on in one hour from now; `hour` 0 is what has passed already, 1 the first hour.

    `windows` come to the end of protection, `deadlines` to the deadline; what comes to both at once is a deadline.
    """

    hour: int
    windows: int
    deadlines: int

    @property
    def number(self) -> int:
        """Both together."""
        return self.windows + self.deadlines


def lapsing(queue: Queue, *, now: datetime) -> tuple[Lapsing, ...]:
    """Return them hour by hour; the first two together are the queue's "Act within the hour"."""
    windows, deadlines = Counter[int](), Counter[int]()
    for row in queue.rows:
        if row.group is not Group.LEFT_UNRESOLVED:
            found = deadlines if row.due is not None and row.due == row.act_before else windows
            found[_hour(row.act_before - now)] += 1
    return tuple([Lapsing(hour=hour, windows=windows[hour], deadlines=deadlines[hour]) for hour in range(HOURS + 1)])


def _hour(left: timedelta) -> int:
    """Return in which hour from now it is; an hour ends with its last moment, as the queue's does."""
    return 0 if left <= timedelta(0) else -(-left // _HOUR)
