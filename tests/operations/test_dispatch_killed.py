"""A worker that is killed on the way leaves an unknown outcome, which nothing resends; one grant is used once."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from operations import dispatch, models
from operations.core.facts import Sends
from operations.recording import Intent, NotPermitted, begin
from operations.recording.granting import GrantRefused, Unusable
from tests.operations.dispatching import KEY, SCOPE, authorised, lost, may_send, now, row, sent
from tests.operations.granted import granted
from tests.operations.polling.test_killed import this_database
from tests.operations.rows import BY

ROOT = Path(__file__).parents[2]
WAIT = 60.0  # seconds; a bound, not a delay

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, which this desk may send to."""
    may_send(collection_desk, monkeypatch)
    return collection_desk


def worker(attempt, after):
    """Run a worker without a broker, and return how it ended."""
    env = {
        **os.environ,
        "DATABASE_APP_URL": this_database(),
        "UNRESOLVED_ROLE": "app",
        "REDIS_URL": "redis://127.0.0.1:9",
    }
    words = [sys.executable, "-m", "tests.operations.sender", str(attempt), after]
    return subprocess.run(words, cwd=ROOT, env=env, timeout=WAIT, check=False).returncode


def arrived(desk):
    return len(desk.control.truth(KEY)["passages"])


@pytest.mark.parametrize(
    ("after", "arrives"),
    [("claimed", 0), ("resolved", 0), ("connected", 0), ("written", 1), ("ended", 1)],
)
def test_a_worker_that_is_killed_leaves_an_unknown_outcome_and_nothing_is_sent_again(desk, after, arrives):
    made = lost()
    attempt = authorised(made)
    assert worker(attempt, after) == -signal.SIGKILL
    kept = row(attempt)
    assert (kept.live, kept.ended_as) == (True, "")
    assert sent(attempt) is None  # a redelivered message finds it claimed
    later = now() + timedelta(seconds=dispatch.LEASED_FOR + 1)
    assert dispatch.sweep(now=later) == []
    assert dispatch.sweep(now=later) == []
    assert worker(attempt, "none") == 0
    assert (row(attempt).live, row(attempt).ended_as) == (False, "lapsed")
    assert not models.Observation.objects.exists()
    assert models.Operation.objects.get(id=made).evidence == "unknown"
    assert models.Attempt.objects.count() == 2
    assert arrived(desk) == arrives
    assert len(desk.control.tickets(KEY)) == arrives


def test_a_worker_that_is_killed_after_it_recorded_has_lost_nothing(desk):
    made = lost()
    attempt = authorised(made)
    assert worker(attempt, "recorded") == -signal.SIGKILL
    assert (row(attempt).live, row(attempt).ended_as) == (False, "answered")
    assert models.Operation.objects.get(id=made).evidence == "applied"
    assert (arrived(desk), len(desk.control.tickets(KEY))) == (1, 1)


def at_once(*going):
    """Do these at the same time, each on a connection of its own, and return what each came to."""
    ready = threading.Barrier(len(going))

    def one(act):
        try:
            ready.wait(WAIT)
            return act()
        except GrantRefused as refused:
            return refused.why
        except NotPermitted as refused:
            return refused.refusal.kind
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=len(going)) as pool:
        return list(pool.map(one, going))


def test_of_two_workers_that_claim_at_once_one_sends(desk):
    made = lost()
    attempt = authorised(made)
    found = at_once(*[lambda: sent(attempt)] * 4)
    assert sum(one is not None for one in found) == 1
    assert (arrived(desk), len(desk.control.tickets(KEY))) == (1, 1)


def test_of_two_attempts_that_begin_with_one_grant_at_once_one_begins(desk):
    made = lost()
    grant = granted(made, now=now())

    def beginning(attempt):
        intent = Intent(attempt=attempt, sends=Sends.ONE, scope=SCOPE, begun_at=now())
        return lambda: begin(made, intent, now=now(), by=BY, grant=grant).attempt

    found = at_once(*[beginning(f"a{number}") for number in range(2, 6)])
    assert sorted(map(str, found))[1:] == [Unusable.USED] * 3
    assert (models.Attempt.objects.count(), models.GrantUse.objects.count()) == (2, 1)


def test_a_grant_and_a_send_of_this_desk_decided_at_once_are_one_decision_after_the_other(desk):
    """Whichever comes second stands on the first: a grant that was given before it is replaced."""
    made = lost()
    at_once(lambda: granted(made, now=now()), lambda: authorised(made))
    grants, sends = models.Grant.objects.count(), models.Dispatch.objects.count()
    assert (grants, sends) in {(1, 1), (0, 1)}
    if grants:
        intent = Intent(attempt="a9", sends=Sends.ONE, scope=SCOPE, begun_at=now())
        with pytest.raises(GrantRefused) as refused:
            begin(made, intent, now=now(), by=BY, grant=models.Grant.objects.get().id)
        assert refused.value.why is Unusable.SUPERSEDED
