"""This desk sends once, what was authorised, while it is protected; whatever goes wrong on the way is never sent again."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from escalation.celery import app
from operations import dispatch, models, reading, tasks
from operations.channels.reading import Ended
from operations.core.representation import Representation
from operations.dispatch import prepared
from operations.recording import Report
from operations.reporting import report
from tests.operations import rows
from tests.operations.dispatching import BODY, KEY, SCOPE, authorised, fact, lost, may_send, now, row, sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, which this desk may send to."""
    may_send(collection_desk, monkeypatch)
    return collection_desk


@pytest.fixture
def operation_id(desk):
    """An operation whose reply was lost: the recipient has issued a ticket, and nobody here knows."""
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    return lost()


def tickets(desk):
    return len(desk.control.tickets(KEY))


def passages(desk):
    return desk.control.truth(KEY)["passages"]


def operation_of(operation_id):
    return models.Operation.objects.select_related("recipient", "contract").get(id=operation_id)


# Once.


def test_a_message_that_comes_twice_sends_once(desk, operation_id):
    attempt = authorised(operation_id)
    assert sent(attempt) is not None
    assert sent(attempt) is None
    assert len(passages(desk)) == 2


def test_a_message_for_something_else_sends_nothing(desk, operation_id):
    assert sent(uuid4()) is None
    assert len(passages(desk)) == 1


def test_the_task_is_acknowledged_before_it_runs_and_never_tried_again():
    send = tasks.send
    assert (send.acks_late, send.reject_on_worker_lost, send.max_retries) == (False, False, 0)
    assert app.amqp.router.route({}, send.name)["queue"].name == "dispatch"
    assert not getattr(send, "autoretry_for", ())


def test_a_repeat_after_a_lost_reply_gives_no_second_ticket(desk, operation_id):
    attempt = authorised(operation_id)
    found = sent(attempt)
    assert (found.ended, found.status, tickets(desk)) == (Ended.ANSWERED, 201, 1)
    kept = operation_of(operation_id)
    assert (kept.evidence, kept.finality, kept.further_effect) == ("applied", "settled", "excluded")
    assert fact(attempt) == ("applied", "", 201)


def test_a_first_send_where_nothing_was_sent_issues_one_ticket(desk):
    made = lost(ago=60)

    told = Report(event="w", channel="wire", received_at=now(), authentic=True, attempt="a1", fact="not_sent")
    report(made, told, now=now(), source=rows.BY)
    found = sent(authorised(made))
    assert (found.status, tickets(desk)) == (201, 1)


def test_the_bytes_that_arrive_have_the_digest_of_the_operation(desk, operation_id):
    sent(authorised(operation_id))
    [first, again] = passages(desk)
    assert first != again
    ready = prepared(operation_of(operation_id)).written
    head, _, body = ready.whole.partition(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
    arrived = Representation(
        method=method,
        target=target,
        headers=ready.bound,
        body=body,
        arguments=reading.representation(operation_of(operation_id)).arguments,
        scope=SCOPE,
        identity=KEY,
    )
    assert (body, arrived.digest) == (BODY, operation_of(operation_id).digest)


@pytest.mark.parametrize(
    ("told", "ended", "issued"),
    [
        ({"reply": "lost", "ending": "closed"}, "closed", 1),
        ({"reply": "lost", "ending": "reset"}, "reset", 1),
        ({"request": "lost", "ending": "closed"}, "closed", 0),
        ({"reply": "truncated"}, "truncated", 1),
    ],
)
def test_a_desk_that_reads_and_closes_counts_one_and_the_outcome_stays_unknown(desk, told, ended, issued):
    made = lost()
    desk.control.tell(key=KEY, **told)
    attempt = authorised(made)
    sent(attempt)
    assert (len(passages(desk)), tickets(desk)) == (1, issued)
    assert (row(attempt).ended_as, row(attempt).live) == (ended, False)
    assert row(attempt).last_byte_written_at is not None
    assert fact(attempt) == ("indeterminate", ended, None)
    assert operation_of(made).evidence == "unknown"


def test_an_answer_that_says_not_now_is_recorded_and_not_tried_again(desk):
    made = lost()
    desk.control.tell(key=KEY, handling="turn_away", status=503)
    attempt = authorised(made)
    sent(attempt)
    assert (len(passages(desk)), fact(attempt)[2]) == (1, 503)


def test_who_answers_not_now_is_asked_nothing_either_until_then(desk):
    made = lost()
    desk.control.terms(retry_after=120)
    desk.control.tell(key=KEY, handling="turn_away", status=503)
    before = now()
    sent(authorised(made))
    pace = models.Pace.objects.get()
    assert pace.not_before is not None
    assert pace.not_before >= before + timedelta(seconds=120)
    assert pace.not_before_because.startswith("It answered 503")


def test_the_facts_of_the_wire_are_on_the_row(desk, operation_id):
    attempt = authorised(operation_id)
    sent(attempt)
    kept = row(attempt)
    times = (kept.resolved_at, kept.connected_at, kept.first_byte_written_at, kept.last_byte_written_at)
    told = [at for at in (*times, kept.first_byte_read_at, kept.ended_at) if at is not None]
    assert len(told) == 6
    assert told == sorted(told)
    assert (kept.claimed_by, kept.secured_at, kept.ended_as) == ("worker", None, "answered")


def test_a_database_that_is_away_before_the_first_byte_keeps_it_from_leaving(desk, operation_id, monkeypatch):
    attempt, before = authorised(operation_id), len(passages(desk))

    class Away(Exception):
        pass

    def gone(step):
        if step == "connected":
            raise Away

    with pytest.raises(Away):
        sent(attempt, step=gone)
    assert len(passages(desk)) == before
    assert row(attempt).live


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_for_a_moment_does_not_lose_the_answer(desk, operation_id):
    attempt, before = authorised(operation_id), len(passages(desk))
    held, over = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            models.Operation.objects.select_for_update().get(id=operation_id)
            held.set()
            over.wait(60)
        connection.close()

    holder = threading.Thread(target=hold)

    def away(step):
        if step == "ended":
            holder.start()
            held.wait(60)
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '50ms'")

    def back(_):
        over.set()
        holder.join(60)

    sent(attempt, step=away, sleep=back)
    assert over.is_set()
    assert (fact(attempt)[2], len(passages(desk))) == (201, before + 1)


# Who dies on the way.


def claimed_and_left(operation_id):
    """A worker claimed the send and was never heard of again."""
    attempt = authorised(operation_id)
    assert dispatch.claim(attempt, by="worker", now=now()) is not None
    return attempt


def test_a_lease_that_runs_is_nobody_elses(desk, operation_id):
    attempt = claimed_and_left(operation_id)
    assert dispatch.sweep(now=now()) == []
    assert sent(attempt) is None
    assert row(attempt).live


def test_a_lease_that_ran_out_leaves_an_unknown_outcome_and_blocks_nothing(desk, operation_id):
    attempt, before = claimed_and_left(operation_id), len(passages(desk))
    revision = operation_of(operation_id).revision
    later = now() + timedelta(seconds=dispatch.LEASED_FOR + 1)
    assert dispatch.sweep(now=later) == []
    kept = row(attempt)
    assert (kept.live, kept.ended_as, kept.ended_at) == (False, "lapsed", later)
    assert "nobody knows how far it came" in kept.because
    assert operation_of(operation_id).revision == revision + 1
    assert operation_of(operation_id).evidence == "unknown"
    assert sent(attempt) is None
    assert len(passages(desk)) == before
    again = authorised(operation_id, at=later + timedelta(seconds=6))
    assert again != attempt


def test_an_answer_after_the_lease_ran_out_is_kept_all_the_same(desk, operation_id):
    attempt = authorised(operation_id)

    def slow(step):
        if step == "ended":
            dispatch.sweep(now=now() + timedelta(seconds=dispatch.LEASED_FOR + 1))

    sent(attempt, step=slow)
    assert (row(attempt).ended_as, fact(attempt)) == ("lapsed", ("applied", "", 201))
    assert row(attempt).first_byte_read_at is not None


def test_a_message_that_was_lost_is_announced_again(desk, operation_id):
    attempt = authorised(operation_id)
    assert dispatch.sweep(now=now()) == [attempt]
    sent(attempt)
    assert dispatch.sweep(now=now()) == []


def test_lease_and_time_to_begin_outlive_what_a_send_may_take():
    assert dispatch.BEGIN_WITHIN + dispatch.LIMITS.whole < dispatch.LEASED_FOR
