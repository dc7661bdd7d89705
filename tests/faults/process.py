"""A process that is stopped at a point: a fork of this one, with a connection of its own to everything."""

import gc
import json
import logging
import os
import select
import signal
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Final

from django.db import connections

from tests.faults.hooks import arm
from tests.faults.points import GO_ON, Points

WAIT: Final = 60.0  # seconds; a bound, not a delay
_inherited: list[Any] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a process said at its end: a status as HTTP has it, in words, and by which way in it came."""

    status: int
    said: str = ""
    way: str = ""

    @property
    def good(self) -> bool:
        """Whether it was told that it is done."""
        return 200 <= self.status < 400


@dataclass(slots=True)
class Ran:
    """What a process passed, and its outcome; None: it was killed before it could say."""

    outcome: Outcome | None = None
    passed: list[str] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    doors: set[str] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)


class Stuck(AssertionError):
    """A process neither came to its point nor to its end."""


class Process:
    """One fork that does something and stops at a point, if it comes there; `armed` hooks it, as the desk's own is if left out."""

    def __init__(
        self,
        do: Callable[[], Outcome],
        *,
        stop_at: str | None = None,
        ports: tuple[int, ...] = (),
        armed: Callable[[Points], None] | None = None,
    ) -> None:
        says, told = os.pipe()
        ordered, orders = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(says)
            os.close(orders)
            hooked = partial(arm, ports=ports) if armed is None else armed
            _child(do, stop_at=stop_at, armed=hooked, told=told, ordered=ordered)
        os.close(told)
        os.close(ordered)
        self._says, self._orders = says, orders
        self._lines = b""
        self.ran = Ran()
        self.ended = False

    def until_it_stops(self, within: float = WAIT) -> bool | None:
        """Whether it stopped at its point; False: it came to its end. None: neither happened within these seconds."""
        while b"\n" not in self._lines:
            ready, _, _ = select.select([self._says], [], [], within)
            if not ready:
                return None
            came = os.read(self._says, 65_536)
            if not came:
                self._reap()
                return False
            self._lines += came
        line, _, self._lines = self._lines.partition(b"\n")
        said = json.loads(line)
        if said == "stopped":
            return True
        self.ran = Ran(
            Outcome(**said["outcome"]),
            said["passed"],
            set(said["functions"]),
            set(said["doors"]),
            set(said["tasks"]),
        )
        self._reap()
        return False

    def go_on(self, order: bytes = GO_ON) -> None:
        """Let it go on from its point."""
        os.write(self._orders, order)

    def kill(self) -> None:
        """It is gone, as by the kernel's own hand; if it was there still."""
        if not self.ended:
            os.kill(self.pid, signal.SIGKILL)
            self._reap()

    def end(self) -> Ran:
        """Wait for its end, and return what it came to; raises `Stuck`."""
        if not self.ended and self.until_it_stops() is not False:
            self.kill()
            raise Stuck(f"process {self.pid} did not come to its end")
        return self.ran

    def _reap(self) -> None:
        if not self.ended:
            os.waitpid(self.pid, 0)
            os.close(self._says)
            os.close(self._orders)
            self.ended = True


def _child(
    do: Callable[[], Outcome], *, stop_at: str | None, armed: Callable[[Points], None], told: int, ordered: int
) -> None:
    """Do it and end, without coming back to where this process was forked."""
    logging.disable(logging.CRITICAL)
    gc.disable()  # it ends before there is anything to collect

    def stopped() -> bytes:
        os.write(told, b'"stopped"\n')
        return os.read(ordered, 1) or os._exit(1)

    leave_the_parents_connection()
    points = Points(stop_at=stop_at, stopped=stopped)
    armed(points)
    try:
        outcome = do()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is what came of it
        outcome = Outcome(status=500, said=f"{type(error).__name__}: {error}")
    points.reach("answer")
    said = {
        "outcome": asdict(outcome),
        "passed": points.passed,
        "functions": sorted(points.functions),
        "doors": sorted(points.doors),
        "tasks": sorted(points.tasks),
    }
    os.write(told, json.dumps(said, default=str).encode() + b"\n")
    os._exit(0)


def leave_the_parents_connection() -> None:
    """The parent goes on using it, so it is neither used nor closed here."""
    mine = connections["default"]
    _inherited.append(mine.connection)
    mine.connection = None
