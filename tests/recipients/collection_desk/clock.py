"""The desk's own clock, which control can move forward."""

import time
from collections.abc import Callable

from tests.recipients.collection_desk.strict import is_seconds
from tests.recipients.collection_desk.values import DeskError


class Clock:
    """Seconds since 1970: those of `base` and what it was moved forward by."""

    def __init__(self, base: Callable[[], float]) -> None:
        self._base = base
        self._ahead = 0.0

    def now(self) -> float:
        """Return the time on this clock."""
        return self._base() + self._ahead

    def advance(self, by: float) -> None:
        """Move it forward by seconds; raises DeskError for anything else."""
        if not is_seconds(by):
            raise DeskError("A clock is moved forward by seconds.")
        self._ahead += by


def running() -> Clock:
    """A clock that runs with this machine's."""
    return Clock(time.time)


def stopped(at: float) -> Clock:
    """A clock that stands at `at` unless it is moved."""
    return Clock(lambda: at)
