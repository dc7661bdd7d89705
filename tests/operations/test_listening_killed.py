"""A web process that is killed while it hears, and two that hear the same at once: one row, judged once, or no answer."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection, transaction

from escalation.env import app_role, kept_secret
from operations import listening, models
from tests.escalation.building import Made, operation
from tests.operations.told import event, heard, may_tell, signed

ROOT = Path(__file__).parents[2]
WAIT = 60.0  # seconds; a bound, not a delay

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _signs(monkeypatch):
    may_tell(monkeypatch)


def this_database() -> str:
    """The test's database as the app role reaches it."""
    at = connection.settings_dict
    login = f"{quote(app_role(), safe='')}:{quote(kept_secret('app-password'), safe='')}"
    return f"postgresql://{login}@/{at['NAME']}?host={quote(str(at['OPTIONS'].get('host') or at['HOST']))}"


def begun(made: Made, *, at: datetime) -> "subprocess.Popen[str]":
    """A web process that hears that the ticket was issued."""
    body = event(made, "issued", at=at, ticket="T-1")
    said = {"address": "/hooks/collection-desk", "body": body.decode(), "headers": signed(body, at=at)}
    env = {**os.environ, "DATABASE_APP_URL": this_database(), "UNRESOLVED_ROLE": "app"}
    words = [sys.executable, "-m", "tests.operations.teller"]
    process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps(said))
    process.stdin.close()
    return process


def until_it_waits(process: "subprocess.Popen[str]") -> None:
    """Return once that process waits for a row that this test holds."""
    last = time.monotonic() + WAIT
    while True:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < last
        time.sleep(0.005)


def killed(process: "subprocess.Popen[str]") -> str:
    """Kill it and return what it had answered."""
    process.send_signal(signal.SIGKILL)
    assert process.wait(WAIT) == -signal.SIGKILL
    assert process.stdout is not None
    with process.stdout as said:
        return said.read()


def test_a_message_is_on_record_though_its_process_is_killed_before_it_is_judged():
    now = datetime.now(UTC)
    made = operation(now=now - timedelta(minutes=5))
    with transaction.atomic():
        models.Operation.objects.select_for_update().get(id=made.id)
        process = begun(made, at=now)
        until_it_waits(process)
        answered = killed(process)
    row = models.Message.objects.get()
    assert (answered, row.operation_id, models.Observation.objects.count()) == ("", None, 0)
    assert [listening.sweep(now=datetime.now(UTC)) for _ in range(2)] == [1, 0]
    assert (models.Observation.objects.count(), made.row.evidence) == (1, "applied")


def test_a_message_whose_process_is_killed_before_it_is_on_record_was_not_answered_and_may_come_again():
    now = datetime.now(UTC)
    made = operation(now=now - timedelta(minutes=5))
    models.Hearing.objects.create(recipient_id=made.row.recipient_id)
    with transaction.atomic():
        models.Hearing.objects.select_for_update().get(recipient_id=made.row.recipient_id)
        process = begun(made, at=now)
        until_it_waits(process)
        answered = killed(process)
    assert (answered, models.Message.objects.count()) == ("", 0)
    again = begun(made, at=now)
    assert again.stdout is not None
    with again.stdout as said:
        assert said.read() == "202\n"
    assert again.wait(WAIT) == 0
    assert (models.Message.objects.count(), made.row.evidence) == (1, "applied")


def at_once(act: Callable[[], object]) -> list[object]:
    """Do the same on four connections at the same time."""
    together = threading.Barrier(4)

    def one(_: int) -> object:
        try:
            together.wait(WAIT)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(one, range(4)))


def test_a_message_that_comes_four_times_at_once_is_stored_and_judged_once():
    now = datetime.now(UTC)
    made = operation(now=now - timedelta(minutes=5))
    body = event(made, "issued", at=now, ticket="T-1")
    found = at_once(lambda: heard(body, now=now))
    assert sorted(one.created for one in found if isinstance(one, listening.Heard)) == [False, False, False, True]
    row = models.Message.objects.get()
    assert sorted(at_once(lambda: listening.judge(row.id, now=now)), key=bool) == [False, False, False, True]
    assert (models.Observation.objects.count(), models.Hearing.objects.get().messages) == (1, 1)


def test_sweeps_at_once_judge_each_message_once_and_find_no_fault_with_any():
    now = datetime.now(UTC)
    made = [operation(key, now=now - timedelta(minutes=5)) for key in ("order-1001", "order-2")]
    for number in range(10):
        heard(event(made[number % 2], "issued", at=now, ticket="T-1"), now=now, event_id=f"msg_{number}")
        heard(b'{"data": {"key": "nobody-knows"}}', now=now, event_id=f"orphan_{number}")
    given = at_once(lambda: listening.sweep(now=now))
    assert sum(one for one in given if isinstance(one, int)) == models.Observation.objects.count() == 10
    assert set(models.Message.objects.values_list("failure", "linked_by")) == {("", "desk"), ("", "")}
