"""Two acts on a connection each, put into a stated order at the spot where it matters: no luck, and no sleeping."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from threading import Event, Thread
from typing import Any, Final

from django.db import connection

# Whoever writes to an operation locks its row first (recording.writing, recording.held).
_LOCKS: Final = re.compile(r"operations_operation.*FOR UPDATE", re.DOTALL)
_PATIENCE: Final = 30.0


class Spot(Enum):
    """Where the first of two is stopped while the other goes on.

    `HELD`: it has the lock, and the other comes to wait for it. `OVERTAKEN`: it has looked and is about to lock, and
    the other goes all the way meanwhile.
    """

    HELD = "holds the lock while the other waits"
    OVERTAKEN = "is overtaken between looking and locking"


@dataclass(frozen=True, slots=True)
class Ended:
    """How an act ended: what it wrote stands (`won`), or it was refused with `said`; 302 and 409 at a page."""

    won: bool
    said: str = ""
    status: int = 0


Act = Callable[[], Ended]


class _Gate:
    """Stops one thread at its first lock of an operation; as a wrapper of Django's it sees each of its statements."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot
        self.reached, self.go = Event(), Event()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # Django's
        here = not self.reached.is_set() and _LOCKS.search(sql) is not None
        if here and self.spot is Spot.OVERTAKEN:
            self._stop()
        found = execute(sql, params, many, context)
        if here and self.spot is Spot.HELD:
            self._stop()
        return found

    def _stop(self) -> None:
        self.reached.set()
        assert self.go.wait(_PATIENCE), "nobody opened the gate"


class _Runner(Thread):
    """One act on a connection of its own."""

    def __init__(self, act: Act, gate: _Gate | None) -> None:
        super().__init__(daemon=True)
        self.act, self.gate = act, gate
        self.backend: int | None = None
        self.ended: Ended | None = None
        self.broke: BaseException | None = None

    def run(self) -> None:
        try:
            connection.ensure_connection()
            self.backend = connection.connection.info.backend_pid
            if self.gate is None:
                self.ended = self.act()
            else:
                with connection.execute_wrapper(self.gate):
                    self.ended = self.act()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the test tells it
            self.broke = error
        finally:
            connection.close()


def _until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not what():
        assert time.monotonic() < end, "neither of the two went on"
        time.sleep(0.001)


def _waits(one: _Runner) -> bool:
    """Whether the database has this act wait for a lock that another connection holds."""
    if one.backend is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [one.backend])
        return bool(cursor.fetchone()[0])


@dataclass(frozen=True, slots=True)
class Raced:
    """How both ended, and whether the second came to wait for the first, or overtook it, as was wanted."""

    first: Ended
    second: Ended
    met: bool
    overtaken: bool


def race(first: Act, second: Act, *, spot: Spot) -> Raced:
    """Let two acts meet at a spot; whatever either raises is raised here, a deadlock too."""
    gate = _Gate(spot)
    one, two = _Runner(first, gate), _Runner(second, None)
    one.start()
    _until(lambda: gate.reached.is_set() or not one.is_alive())
    stopped = gate.reached.is_set()
    two.start()
    if spot is Spot.HELD:
        _until(lambda: not two.is_alive() or _waits(two))
    else:
        _until(lambda: not two.is_alive() or (not stopped and not one.is_alive() and not two.is_alive()))
    met = stopped and two.is_alive() if spot is Spot.HELD else stopped
    gate.go.set()
    for runner in (one, two):
        runner.join(_PATIENCE)
        if runner.broke is not None:
            raise runner.broke
    assert one.ended is not None
    assert two.ended is not None
    return Raced(one.ended, two.ended, met=met, overtaken=met and spot is Spot.OVERTAKEN)
