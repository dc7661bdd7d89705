"""What waits in a journal is told to the desk beside the work, round by round; nothing is ever sent to a recipient by it."""

import asyncio
import logging
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from unresolved.kept import JournalUnwritable
from unresolved.recorder import Recorder
from unresolved.shipping import Shipped

EVERY: Final = 60.0  # seconds

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Shipper:
    """`with Shipper(recorder=recorder):`, or `async with`: calls `recorder.ship` at once and then every so many seconds.

    It has a thread of its own, under asyncio too, and no more than one. A round that fails is logged, and the next is
    made all the same. A forked child has no such thread: it starts its own. `last` is what the last whole round came to.
    """

    recorder: Recorder
    every: float = EVERY
    last: Shipped | None = field(default=None, init=False)
    _over: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)

    def start(self) -> None:
        """Begin; raises RuntimeError where it goes on already."""
        if self._thread is not None and self._thread.is_alive():
            raise RuntimeError("this shipper goes on already")
        self._over.clear()
        self._thread = threading.Thread(target=self._rounds, name="unresolved shipper", daemon=True)
        self._thread.start()

    def stop(self, *, wait: float | None = None) -> bool:
        """Begin no further round, and wait for the one that is under way, `wait` seconds at most; returns whether it ended.

        It makes no last round: call `recorder.ship` behind it, where the process has the time.
        """
        self._over.set()
        if self._thread is None:
            return True
        self._thread.join(wait)
        return not self._thread.is_alive()

    def _rounds(self) -> None:
        while not self._over.is_set():
            self._round()
            self._over.wait(self.every)

    def _round(self) -> None:
        try:
            self.last = self.recorder.ship()
        except JournalUnwritable as error:
            log.warning("the journal could not be read or written: %s", error)
        except Exception:  # a thread that ended unseen would tell nothing more
            log.exception("a round of telling the desk failed")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)
