"""What runs out in the next hours, of what is in the queue and was not put off: by the hour."""

from collections import Counter
from dataclasses import dataclass

from escalation.overview.waiting import HOURS, Queue
from escalation.queue import Group


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


def lapsing(queue: Queue) -> tuple[Lapsing, ...]:
    """Return them hour by hour; the first two together are the queue's "Act within the hour"."""
    windows, deadlines = Counter[int](), Counter[int]()
    for row in queue.rows:
        if row.group is not Group.LEFT_UNRESOLVED:
            (deadlines if row.due else windows)[row.hour] += row.number
    return tuple([Lapsing(hour=hour, windows=windows[hour], deadlines=deadlines[hour]) for hour in range(HOURS + 1)])
