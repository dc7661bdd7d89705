"""Two workers send no event twice and none before its turn; one that is killed leaves what the next sends, under its id."""

import json
import os
import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from pytest_httpserver import HTTPServer

from escalation.models import OutboxDue, OutboxEvent, OutboxTry
from escalation.models.outbox import End, Over
from escalation.models.subscription import EventKind
from escalation.outbox.claiming import LEASED_FOR, Claimed
from escalation.outbox.telling import by
from operations.posting import Posted
from tests.escalation.building import T0, operation
from tests.escalation.outbox.made import KEY, NOW, OK, Program, subscription, told

pytestmark = pytest.mark.django_db(transaction=True)
SECOND = timedelta(seconds=1)
ENVIRON = {"UNRESOLVED_SUBSCRIPTION_KEY_BILLING": KEY, "UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS": "127.0.0.0/8"}


def due(count: int, *, address: str = "https://billing.example/desk") -> None:
    """Operations of which two events each are to be told."""
    made = [operation(f"order-{number}") for number in range(count)]
    for one in made:
        one.timed_out(now=T0 + SECOND)
    subscription(EventKind.STANDING_CHANGED, address=address)
    for one in made:
        one.recorded("pending", now=T0 + 2 * SECOND)
        one.recorded("issued", now=T0 + 3 * SECOND, ticket="T-1")


def worker(act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_workers_at_once_tell_each_event_once_and_in_order():
    due(5)
    program, ready = Program(), threading.Barrier(3)

    def sweep() -> None:
        ready.wait()
        told(program)

    for thread in [worker(sweep) for _ in range(3)]:
        thread.join()
    told(program)
    assert len(program.ids) == len(set(program.ids)) == 10
    found = [json.loads(one.body)["data"] for one in program.got]
    for number in {one["operation"]["number"] for one in found}:
        of_one = [one["sequence"] for one in found if one["operation"]["number"] == number]
        assert of_one == sorted(of_one)
    assert set(OutboxEvent.objects.values_list("ended_as", flat=True)) == {Over.TAKEN}


def test_what_one_worker_is_sending_no_other_sends_nor_what_comes_after_it():
    due(1)
    begun, go = threading.Event(), threading.Event()

    def wait(_: Claimed) -> None:
        begun.set()
        go.wait(30)

    slow, other = Program(before=wait), Program()
    thread = worker(lambda: told(slow))
    assert begun.wait(30)
    assert told(other) == 0
    go.set()
    thread.join()
    assert (len(slow.got), other.got) == (2, [])


def killed(send: Callable[[Claimed], Posted]) -> None:
    """A worker of its own process, which ends in the midst of sending as by kill -9."""
    child = os.fork()
    if child == 0:
        inherited, connection.connection = connection.connection, None  # the parent's: neither used nor closed
        try:
            told(send)
        finally:
            os._exit(1 if inherited is not None else 2)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_worker_that_was_killed_had_claimed_is_sent_by_the_next_under_the_same_id():
    due(1)

    def before_the_send(_: Claimed) -> Posted:
        die()
        return OK

    killed(before_the_send)
    claimed = OutboxEvent.objects.earliest("id")
    assert (claimed.tries, bool(claimed.body)) == (1, True)
    program = Program()
    assert told(program, at=NOW + LEASED_FOR - SECOND) == 0
    assert told(program, at=NOW + LEASED_FOR) == 2
    assert (program.got[0].id, program.got[0].body) == (f"event_{claimed.key.hex}", claimed.body)


def test_what_was_sent_and_not_recorded_is_sent_again_under_the_same_id(httpserver: HTTPServer):
    httpserver.expect_request("/hook").respond_with_data("")
    due(1, address=httpserver.url_for("/hook"))
    send = by(lambda: datetime.now(UTC), environ=ENVIRON)

    def before_the_record(claimed: Claimed) -> Posted:
        send(claimed)
        die()
        return OK

    killed(before_the_record)
    told(send, at=NOW + LEASED_FOR)
    ids = [request.headers["webhook-id"] for request, _ in httpserver.log]
    bodies = [request.get_data() for request, _ in httpserver.log]
    assert (len(ids), ids[0], bodies[0]) == (3, ids[1], bodies[1])
    assert OutboxDue.objects.count() == 0
    first = OutboxTry.objects.filter(event=OutboxEvent.objects.order_by("id").first()).order_by("nth")
    assert [one.ended_as for one in first] == [End.NO_ANSWER, End.TAKEN]
