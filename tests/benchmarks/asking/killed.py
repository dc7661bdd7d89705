"""`python -m tests.benchmarks.asking.killed`: 10,000 polls by the desk's own worker, which is killed twice, the broker once.

Prints what the recipient saw and what is on record. Exit status 1 if anything was lost or is there twice.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any, Final

from tests.benchmarks.asking.recipient import Recipient, recipient
from tests.benchmarks.asking.servers import ROOT, Servers, open_servers

OPERATIONS: Final = 10_000
TICK: Final = 2.0
WITHIN: Final = 1_800.0


class Worker:
    """The desk's worker with its two processes, in a session of its own; started again when it dies, as the desk does."""

    def __init__(self) -> None:
        self.starts = 0
        self._start()

    def _start(self) -> None:
        words = [sys.executable, "-m", "celery", "--app", "escalation.celery", "worker", "--concurrency=2"]
        words += ["--loglevel=CRITICAL", "--without-gossip", "--without-mingle"]
        self._process = subprocess.Popen(words, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)
        self.starts += 1

    def look_after(self) -> None:
        """Start it again if it has ended by itself."""
        if self._process.poll() is not None:
            self._kill()
            self._start()

    def kill(self) -> None:
        """All of its processes are gone in the middle of whatever they did; another is started."""
        self._kill()
        self._start()

    def end(self) -> None:
        """It is gone for good."""
        self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(10)


class Ticks:
    """Sends a message at every tick, as the beat does; one that the broker does not take is lost."""

    def __init__(self) -> None:
        self.sent = self.lost = 0
        self._next_at = 0.0

    def tick(self) -> None:
        """Send one if it is time."""
        import escalation.celery  # noqa: F401  # before any task is sent
        from operations.tasks import poll

        if time.monotonic() < self._next_at:
            return
        self._next_at = time.monotonic() + TICK
        try:
            poll.apply_async(retry=False, expires=10)
            self.sent += 1
        except poll.OperationalError:
            self.lost += 1


def until(asked: Recipient, asks: int, *, ticks: Ticks, worker: Worker) -> None:
    """The recipient was asked so often, or everything is on record."""
    from operations import models

    last = time.monotonic() + WITHIN
    while asked.counted()["asks"] < asks and models.Observation.objects.count() < OPERATIONS:
        assert time.monotonic() < last
        worker.look_after()
        ticks.tick()
        time.sleep(0.2)


def on_record() -> dict[str, int]:
    """What the desk knows."""
    from django.db.models import Count

    from operations import models

    each = models.Operation.objects.annotate(answers=Count("observations"))
    return {
        "answers": models.Observation.objects.count(),
        "operations_with_one": each.filter(answers=1).count(),
        "operations_with_more": each.filter(answers__gt=1).count(),
        "readings": models.Reading.objects.count(),
        "leases": models.Due.objects.exclude(lease=None).count(),
        "asks_on_plans": sum(models.Due.objects.values_list("asks_made", flat=True)),
    }


def run(servers: Servers, asked: Recipient) -> dict[str, Any]:
    """Kill a worker, then the broker, then a worker again; let the last one finish."""
    ticks, worker, began = Ticks(), Worker(), time.monotonic()
    try:
        until(asked, 2_000, ticks=ticks, worker=worker)
        worker.kill()
        until(asked, 5_000, ticks=ticks, worker=worker)
        servers.kill_the_broker()
        for _ in range(20):
            ticks.tick()
            time.sleep(0.25)
        servers.start_the_broker()
        until(asked, 7_500, ticks=ticks, worker=worker)
        worker.kill()
        until(asked, 10 * OPERATIONS, ticks=ticks, worker=worker)
    finally:
        worker.end()
    told = {"recipient": asked.counted(), "on_record": on_record()}
    sent = {"messages": ticks.sent, "messages_lost": ticks.lost, "worker_starts": worker.starts}
    return {**told, **sent, "seconds": round(time.monotonic() - began)}


def main() -> int:
    """Say what came of it."""
    with open_servers() as servers, recipient(wait=0.01) as asked:
        from tests.benchmarks.asking.due import asked_at, due

        with asked_at(asked.url, at_once=50) as contract:
            due(contract, OPERATIONS)
            told = run(servers, asked)
    print(json.dumps(told, indent=1))
    good = told["recipient"]["keys"] == told["on_record"]["operations_with_one"] == told["on_record"]["answers"]
    return 0 if good and told["on_record"]["answers"] == OPERATIONS else 1


if __name__ == "__main__":
    sys.exit(main())
