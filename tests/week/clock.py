"""One clock for the run and for every process that it forks: it stands where the run puts it."""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from django.utils import timezone

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)


class Clock:
    """A time in memory that forks share; nothing moves it but `stand_at`."""

    def __init__(self, at: datetime) -> None:
        self._shared = mmap.mmap(-1, 8)
        self.stand_at(at)

    def stand_at(self, at: datetime) -> None:
        """It is this time now, here and in every fork."""
        self._shared[:8] = struct.pack("q", (at - _EPOCH) // _MICRO)

    def now(self) -> datetime:
        """The time now, aware."""
        micros: int = struct.unpack("q", self._shared[:8])[0]
        return _EPOCH + _MICRO * micros


@contextmanager
def in_place(clock: Clock) -> Iterator[None]:
    """Everything of the desk's that asks what time it is asks this clock."""
    before = timezone.now  # noqa: TID251  # it is replaced
    timezone.now = clock.now  # noqa: TID251  # likewise
    try:
        yield
    finally:
        timezone.now = before  # noqa: TID251  # likewise
