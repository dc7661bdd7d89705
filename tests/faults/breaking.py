"""One trial: an act is played, broken off at a point in one process, taken up again as in life, and judged."""

import base64
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import psycopg
import redis
from django.conf import settings
from django.db import connection

from escalation.models import Case as OpenCase
from escalation.tasks import call_chains, wake_cases
from operations import models, tasks
from tests.faults.case import Act, Case
from tests.faults.oracle import wrong
from tests.faults.points import GO_ON, LOSE_THE_ANSWER
from tests.faults.process import Outcome, Process, Ran, Stuck
from tests.faults.stage import PAST_EVERY_LEASE, Stage, second_connection

MOST_MESSAGES: Final = 20
TRIES: Final = 3
BESIDE: Final = 5.0  # seconds at most in which a second worker goes as far as it can while the first stands
LOOK: Final = 0.02  # seconds between two looks at it
NOT_REACHED: Final = "not reached"
STUCK: Final = "stuck"
CRASH_EVERY: Final = 5
MUCH_LATER: Final = timedelta(days=3650)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of one: `how` it was broken off, and what was wrong afterwards."""

    act: str
    point: str
    process: str
    how: str
    wrong: list[str] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Where it was broken off, and how."""
        return f"{self.act}, {self.point}, {self.process} ({self.how})"

    @property
    def counts(self) -> bool:
        """Whether it was broken off there at all, and taken up."""
        return self.how not in (NOT_REACHED, STUCK)


def trace(stage: Stage, act: Act) -> tuple[Ran, list[str]]:
    """Play an act without any fault: what it passes, and what is wrong already."""
    case = _prepared(stage, act)
    first = Process(case.do, ports=stage.ports)
    if first.until_it_stops() is not False:
        first.kill()
    return first.ran, _taken_up(stage, case, first.ran.outcome, twice=False)


def trial(stage: Stage, act: Act, *, point: str, process: str, turn: int) -> Trial:
    """Break an act off at a point in one process, take it up again, and judge; `turn` chooses among what may befall it."""
    case = _prepared(stage, act)
    first = Process(case.do, stop_at=point, ports=stage.ports)
    if first.until_it_stops() is not True:
        said = first.ran.outcome
        first.kill()
        return Trial(act=act.name, point=point, process=process, how=NOT_REACHED, wrong=[f"{NOT_REACHED}: {said}"])
    try:
        how = FAULTS[process](stage, case, first, point, turn)
        found = _taken_up(stage, case, first.ran.outcome, twice=process == "broker" and bool(turn % 2))
    except Stuck as error:
        how, found = STUCK, [str(error)]
    return Trial(act=act.name, point=point, process=process, how=how, wrong=found)


def _prepared(stage: Stage, act: Act) -> Case:
    """Only what the act is about is due: of what earlier trials left nothing is asked, and nobody is called for it."""
    soon, later = stage.now() + MUCH_LATER / 2, stage.now() + MUCH_LATER
    models.Due.objects.filter(at__lt=soon).update(at=later)
    models.Due.objects.filter(call_at__lt=soon).update(call_at=later)
    OpenCase.objects.filter(closed_at=None, next_call_at__lt=soon).update(next_call_at=later)
    case = act.prepare(stage)
    case.is_of_a_worker = act.process == "worker"
    return case


def _killed(_: Stage, __: Case, first: Process, ___: str, ____: int) -> str:
    first.kill()
    return "killed"


def _without_the_database(stage: Stage, _: Case, first: Process, point: str, turn: int) -> str:
    lose = LOSE_THE_ANSWER if point.startswith("after commit") else GO_ON
    if stage.crashes and turn % CRASH_EVERY == CRASH_EVERY - 1:
        how = "server crashed"
        _crash()
    else:
        how = "connection ended"
        _end_connections()
    first.go_on(lose)
    first.end()
    return how


def _mine(beside: Any) -> list[int]:
    own = connection.connection
    return [beside.info.backend_pid, *([] if own is None else [own.info.backend_pid])]


_ITS_BACKENDS: Final = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
    " AND pid <> ALL(%s)"
)


def _end_connections() -> None:
    with second_connection() as beside:
        for (pid,) in beside.execute(_ITS_BACKENDS, [_mine(beside)]).fetchall():
            beside.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def _crash() -> None:
    """One backend dies by the kernel's hand, whereupon the server drops every other and recovers from its log."""
    with second_connection() as beside:
        found = beside.execute(_ITS_BACKENDS, [_mine(beside)]).fetchone()
    os.kill((found or [second_connection().info.backend_pid])[0], signal.SIGKILL)
    connection.close()
    last = time.monotonic() + 60
    time.sleep(0.05)
    while time.monotonic() < last:
        try:
            second_connection().close()
        except psycopg.OperationalError:
            time.sleep(0.02)
        else:
            return


def _without_the_broker(stage: Stage, case: Case, first: Process, _: str, turn: int) -> str:
    if turn % 2 == 0:
        stage.broker.kill()
        try:
            first.go_on()
            first.end()
        finally:
            stage.broker.start()
        return "broker gone"
    if not case.is_of_a_worker:
        first.go_on()
        first.end()
        return "message twice"
    beside = Process(case.do, ports=stage.ports)
    _until_it_stands(beside)
    first.go_on()
    first.end()
    beside.end()
    return "two at once"


_WAITS: Final = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def _until_it_stands(beside: Process) -> None:
    """A second worker came to its end, or waits for what the first has locked."""
    last = time.monotonic() + BESIDE
    with second_connection() as looking:
        while beside.until_it_stops(LOOK) is None and time.monotonic() < last:
            if looking.execute(_WAITS).fetchone() is not None:
                return


Fault = Callable[[Stage, Case, Process, str, int], str]
FAULTS: Final[dict[str, Fault]] = {
    "web": _killed,
    "worker": _killed,
    "database": _without_the_database,
    "broker": _without_the_broker,
}


def _taken_up(stage: Stage, case: Case, last: Outcome | None, *, twice: bool) -> list[str]:
    """Take it up again in a process of its own, and return what is wrong then."""

    def take_up() -> Outcome:
        told = _again(case, last)
        _drain(twice=twice)
        stage.pass_every_lease()
        _work(case, twice=twice)
        return Outcome(status=200, said="\n".join(wrong(case, told)))

    ran = Process(take_up).end()
    stage.clock.ahead += PAST_EVERY_LEASE
    assert ran.outcome is not None
    if ran.outcome.status != 200:
        return [f"could not be taken up: {ran.outcome.said}"]
    return ran.outcome.said.splitlines()


def _again(case: Case, last: Outcome | None) -> Outcome:
    """Whoever had no answer, or an error, does it again; three times at most."""
    for _ in range(TRIES):
        if last is not None and last.good:
            return last
        try:
            last = case.taken_up(last)
        except Exception as error:  # noqa: BLE001  # a worker's task fails, and its message comes again
            last = Outcome(status=500, said=f"{type(error).__name__}: {error}")
    assert last is not None
    return last


def _work(case: Case, *, twice: bool) -> None:
    """What the workers do as time goes by: what the broker has for them, and each tick."""
    _drain(twice=twice)
    tasks.sweep_sends()
    _drain(twice=twice)
    tasks.judge()
    tasks.reread()
    tasks.call_people()
    wake_cases()
    call_chains()
    if case.polls:
        models.Due.objects.filter(operation=case.intended.operation).update(at=case.stage.now())
        tasks.poll()


def _drain(*, twice: bool) -> None:
    from escalation.celery import app

    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        for queue in ("dispatch", "celery"):
            for name, given in _messages(broker, queue):
                for _ in range(2 if twice else 1):
                    app.tasks[name](*given)


def _messages(broker: Any, queue: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield what waits in a queue, as the workers read it: the name of a task, and what it is given."""
    for _ in range(MOST_MESSAGES):
        raw = broker.rpop(queue)
        if raw is None:
            return
        message = json.loads(raw)
        given, _named, _more = json.loads(base64.b64decode(message["body"]))
        yield message["headers"]["task"], given
