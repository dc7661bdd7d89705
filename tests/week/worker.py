"""Workers of the desk's task queue: Celery's own, each a process that the run forks, can watch, and kills where it wants."""

import logging
import mmap
import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

# All that a worker imports by and by, so that every fork of this process has it already.
import kombu.asynchronous
import kombu.transport.redis  # noqa: F401  # likewise
from celery import Task, signals
from django.db import connections

from escalation.cases import calling
from escalation.celery import app
from escalation.notify import sweeping

WAIT: Final = 120.0  # seconds of this machine's; a bound, not a delay
# Where a worker dies: before what it called is committed; when a notice is written down and not sent; when it is sent
# and nothing is written down of that.
IN_A_CALL, BEFORE_SENDING, AFTER_SENDING = 1, 2, 3
WHERE: Final = {IN_A_CALL: "in a call", BEFORE_SENDING: "before sending", AFTER_SENDING: "after sending"}
_RETRY: Final = {"max_retries": 20, "interval_start": 0.1, "interval_step": 0.1, "interval_max": 0.5}
_inherited: list[Any] = []


class Order:
    """Where the next worker that gets there dies, in memory that forks share."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 1)

    def give(self, where: int) -> None:
        """Whoever gets there first dies there; 0: nobody."""
        self._shared[0] = where

    def is_for(self, where: int) -> bool:
        """Say whether to die here."""
        return self._shared[0] == where


class _Errors(logging.Handler):
    """What the desk logs as gone wrong is told to the run."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell it in one line."""
        error = record.exc_info[1] if record.exc_info else ""
        self._tell(f"error {record.getMessage()}: {error!r}".replace("\n", " ")[:300])


class Worker:
    """One process that works for the queue until it is killed."""

    def __init__(self, order: Order, *, listening: Callable[[], list[int]]) -> None:
        says, told = os.pipe()
        connections.close_all()
        self.pid = os.fork()
        if self.pid == 0:
            for one in (says, *listening()):  # else a server that is stopped would still be connected to
                os.close(one)
            _work(told, order)
        os.close(told)
        self.says, self._rest = says, b""

    def lines(self) -> list[str] | None:
        """Return what it has said meanwhile; None: it is dead."""
        came = os.read(self.says, 65_536)
        if not came:
            self._reap()
            return None
        *whole, self._rest = (self._rest + came).split(b"\n")
        return [line.decode() for line in whole]

    def kill(self) -> None:
        """It is gone, as by the kernel's own hand."""
        os.kill(self.pid, signal.SIGKILL)
        self._reap()

    def _reap(self) -> None:
        os.waitpid(self.pid, 0)
        os.close(self.says)


def _work(told: int, order: Order) -> None:
    """Be a worker, and never come back to where this process was forked."""
    mine = connections["default"]
    _inherited.append(mine.connection)  # the parent's, which is neither used nor closed here
    mine.connection = None

    def tell(line: str) -> None:
        os.write(told, f"{line}\n".encode())

    logging.disable(logging.NOTSET)
    for name in ("escalation", "operations"):
        logging.getLogger(name).addHandler(_Errors(tell))
    signals.task_postrun.connect(lambda task_id=None, **_: tell(f"done {task_id}"), weak=False)
    signals.after_task_publish.connect(lambda headers=None, **_: tell(f"sent {headers['id']}"), weak=False)
    _arm(order, tell)
    warnings.simplefilter("ignore")  # else a test run makes errors of what Celery warns of
    app.conf.update({"CELERY_DB_REUSE_MAX": 1_000_000})
    try:
        app.Worker(
            pool="solo",
            loglevel="CRITICAL",
            quiet=True,
            hostname=f"week-{os.getpid()}@desk",
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        ).start()
    except BaseException as error:  # noqa: BLE001  # whatever it is, the run is told
        tell(f"error the worker ended by {error!r}"[:300])
    finally:
        os._exit(1)


def _arm(order: Order, tell: Callable[[str], None]) -> None:
    """Have this process die where it is told to."""

    def die(where: int, notice: object = "") -> None:
        if order.is_for(where):
            order.give(0)
            tell(f"dies {where} {notice}")
            os.kill(os.getpid(), signal.SIGKILL)

    _die_in_a_call(die)
    _die_around_a_send(die)


def _die_in_a_call(die: Callable[..., None]) -> None:
    goes_on = calling._Calling.go_on

    def go_on(self: Any) -> None:
        goes_on(self)
        die(IN_A_CALL)

    calling._Calling.go_on = go_on  # type: ignore[method-assign]  # where it dies


def _die_around_a_send(die: Callable[..., None]) -> None:
    claim, finish = sweeping.claim, sweeping.finish
    in_hand: list[object] = [None]

    def claims(**named: Any) -> Any:
        found = claim(**named)
        if found is not None and found.notice is not None:
            in_hand[0] = found.notice
            die(BEFORE_SENDING, found.notice)
        return found

    def finishes(notice: Any, outcome: Any, **named: Any) -> None:
        if notice == in_hand[0]:  # else it is one that another left when it died
            die(AFTER_SENDING, notice)
        finish(notice, outcome, **named)

    sweeping.claim, sweeping.finish = claims, finishes


class Stuck(AssertionError):
    """A worker did neither do what it was asked to nor die."""


class Workers:
    """Those that work now; `listening` are this process's sockets, which are not theirs. `killed` names where one died and the notice that it had in hand, `errors` what was logged."""

    def __init__(self, order: Order, *, listening: Callable[[], list[int]]) -> None:
        self.order, self._listening = order, listening
        self.running: list[Worker] = []
        self.killed: list[tuple[int, str]] = []
        self.errors: list[str] = []

    def be(self, many: int) -> None:
        """So many work from now on."""
        while len(self.running) > many:
            self.running.pop().kill()
        while len(self.running) < many:
            self.running.append(Worker(self.order, listening=self._listening))

    def do(self, tasks: "Sequence[Task[..., Any]]", *, times: int = 1) -> bool:
        """Have the queue carry each task so many times, and wait for them; False: a worker died meanwhile."""
        wanted = {task.apply_async(expires=600, retry_policy=_RETRY).id for task in tasks for _ in range(times)}
        until = time.monotonic() + WAIT
        while wanted:
            ready, _, _ = select.select([one.says for one in self.running], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise Stuck(f"{len(wanted)} tasks are not done")
            if not self._hear([one for one in self.running if one.says in ready], wanted):
                return False
        return True

    def _hear(self, some: Sequence[Worker], wanted: set[str]) -> bool:
        for one in some:
            lines = one.lines()
            if lines is None:
                self.running.remove(one)
                return False
            for word, _, rest in [line.partition(" ") for line in lines]:
                self._heard(word, rest, wanted)
        return True

    def _heard(self, word: str, rest: str, wanted: set[str]) -> None:
        if word == "done":
            wanted.discard(rest)
        elif word == "sent":
            wanted.add(rest)
        elif word == "dies":
            where, _, notice = rest.partition(" ")
            self.killed.append((int(where), notice))
        else:
            self.errors.append(rest)
