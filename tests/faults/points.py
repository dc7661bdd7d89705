"""Where a process can be stopped: a point before and after each commit, after each write, at each byte and each answer.

Nothing of this is in the product. The points are those that a process passes anyway: what it says to the database, to
the recipient's sockets and to the broker, and the steps that a send names (hooks.py). They are named as they are
passed.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import operations

ROOT: Final = Path(operations.__file__).parents[1]
GO_ON: Final = b"g"
LOSE_THE_ANSWER: Final = b"l"
_PRODUCT: Final = (f"{ROOT / 'operations'}/", f"{ROOT / 'escalation'}/")


class Points:
    """The points that one process passes, in order; at `stop_at` it waits for `stopped` to say how to go on.

    `functions` are the product's own functions that were under way at any point, `doors` the doors, `tasks` the tasks.
    `product`: the folders of what is broken off.
    """

    product: tuple[str, ...] = _PRODUCT

    def __init__(self, *, stop_at: str | None, stopped: Callable[[], bytes]) -> None:
        self.passed: list[str] = []
        self.functions: set[str] = set()
        self.doors: set[str] = set()
        self.tasks: set[str] = set()
        self._stop_at = stop_at
        self._stopped = stopped
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reach(self, what: str) -> bytes:
        """Pass a point, and return how to go on."""
        with self._lock:
            self._times[what] += 1
            name = what if self._times[what] == 1 else f"{what} ({self._times[what]})"
            self.passed.append(name)
        if self._stop_at is None:
            self._look_around()
        return self._stopped() if name == self._stop_at else GO_ON

    def _look_around(self) -> None:
        frame = sys._getframe(2)  # the caller's caller is the hook's
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(self.product):
                self.functions.add(f"{frame.f_globals['__name__']}.{code.co_qualname.replace('.<locals>', '')}")
                if code.co_name == "take" and "door" in frame.f_locals:
                    self.doors.add(frame.f_locals["door"].name)
            frame = frame.f_back  # type: ignore[assignment]
