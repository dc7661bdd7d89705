"""A worker that is killed in the middle loses nothing and leaves nothing twice; the broker has no part in it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection
from django.db.models import Count

from escalation.env import app_role, kept_secret
from operations import models
from tests.operations.polling.waiting import recipient, waiting
from tests.recipients.counting import Behaviour, Counting

ROOT = Path(__file__).parents[3]
OPERATIONS = 1_000
WAIT = 60.0  # seconds; a bound, not a delay

pytestmark = pytest.mark.django_db(transaction=True)


def this_database() -> str:
    """The test's database as the app role reaches it."""
    at = connection.settings_dict
    login = f"{quote(app_role(), safe='')}:{quote(kept_secret('app-password'), safe='')}"
    return f"postgresql://{login}@/{at['NAME']}?host={quote(str(at['OPTIONS'].get('host') or at['HOST']))}"


@contextmanager
def worker(*, ahead: float) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker without a broker."""
    env = {
        **os.environ,
        "DATABASE_APP_URL": this_database(),
        "UNRESOLVED_ROLE": "app",
        "REDIS_URL": "redis://127.0.0.1:9",
    }
    words = [sys.executable, "-m", "tests.operations.polling.worker", str(ahead)]
    process = subprocess.Popen(words, cwd=ROOT, env=env)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(WAIT)


def until_asked(recipient: Counting, times: int, process: "subprocess.Popen[bytes]") -> None:
    last = time.monotonic() + WAIT
    while recipient.counted.asks.total() < times:
        assert process.poll() is None, "the worker ended by itself"
        assert time.monotonic() < last
        time.sleep(0.005)


def test_what_a_killed_worker_had_in_hand_is_asked_again_and_recorded_once(asked, monkeypatch):
    asked.behaviour = Behaviour(wait=0.002)
    contract = recipient(asked.url, environ=monkeypatch, at_once=50)
    waiting(contract, range(OPERATIONS), begun_at=datetime.now(UTC) - timedelta(minutes=1))
    for ahead, asks in ((0.0, 300), (100.0, 650)):
        with worker(ahead=ahead) as process:
            until_asked(asked, asks, process)
            process.send_signal(signal.SIGKILL)
            assert process.wait(WAIT) == -signal.SIGKILL
    recorded = models.Observation.objects.count()
    assert recorded < asked.counted.asks.total() < OPERATIONS * 2
    assert models.Due.objects.exclude(lease=None).exists()
    with worker(ahead=200.0) as process:
        assert process.wait(WAIT) == 0
    assert len(asked.counted.asks) == OPERATIONS
    each = models.Operation.objects.annotate(answers=Count("observations")).values_list("answers", "evidence")
    assert set(each) == {(1, "applied")}
    assert set(models.Due.objects.values_list("asks_made", "lease")) == {(1, None)}
