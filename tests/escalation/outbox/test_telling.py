"""Programs are told what is due, in the order of each operation and under one id, until they take it or it is given up."""

import json
from datetime import timedelta

import pytest

from escalation.models import OutboxDue, OutboxEvent, OutboxTry, Subscription, SubscriptionChange
from escalation.models.outbox import TEST, End, Over
from escalation.models.subscription import EventKind
from escalation.outbox.claiming import LEASED_FOR, claim
from escalation.outbox.finishing import finish, forget, read
from escalation.outbox.pacing import FIRST_WAIT, GIVEN_UP_AFTER, LONGEST_WAIT, RESTS_AFTER
from operations.posting import Posted, Wire
from tests.escalation.building import T0, operation
from tests.escalation.outbox.made import BROKEN, GONE, LOST, NOW, OK, Program, administrator, subscription, told

pytestmark = pytest.mark.django_db
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


def changed(*identities: str, times: int = 1) -> None:
    """Operations of which as many events each are to be told to one program."""
    made = [operation(one) for one in identities or ["order-1"]]
    for one in made:
        one.timed_out(now=T0 + SECOND)
    subscription(EventKind.STANDING_CHANGED)
    for one in made:
        for nth, (state, ticket) in enumerate([("pending", None), ("issued", "T-1")][2 - times :], start=2):
            one.recorded(state, now=T0 + nth * SECOND, ticket=ticket)
    assert OutboxDue.objects.count() == times * len(made)


def over() -> list[str]:
    return list(OutboxEvent.objects.order_by("id").values_list("ended_as", flat=True))


def test_nothing_is_sent_where_nothing_is_due():
    subscription()
    assert told(Program()) == 0


@pytest.mark.parametrize(
    "how",
    [{"paused_at": T0, "paused_by": True}, {"failures": 5, "failing_since": T0, "rests_until": NOW + SECOND}],
)
def test_to_a_program_that_is_paused_or_left_alone_nothing_is_sent(how):
    changed()
    how = {**how, **({"paused_by": administrator()} if "paused_by" in how else {})}
    Subscription.objects.update(**how)
    assert told(Program()) == 0
    assert over() == [""]


def test_what_is_taken_is_over():
    changed()
    program = Program()
    assert (told(program), told(program)) == (1, 0)
    attempt = OutboxTry.objects.get()
    assert (attempt.nth, attempt.ended_as, attempt.status, attempt.said) == (1, End.TAKEN, 200, "ok")
    assert (over(), OutboxDue.objects.count()) == ([Over.TAKEN], 0)


def test_of_one_operation_the_next_waits_until_the_one_before_is_taken():
    changed(times=2)
    program = Program([LOST, OK])
    assert told(program) == 1
    assert told(program, at=NOW + FIRST_WAIT - SECOND) == 0
    assert told(program, at=NOW + FIRST_WAIT) == 2
    first, again, second = program.got
    assert (first.id, first.body) == (again.id, again.body)
    assert json.loads(first.body)["data"]["sequence"] < json.loads(second.body)["data"]["sequence"]


def test_what_is_sent_again_and_fails_holds_up_nothing_that_is_newer():
    changed(times=2)
    first = OutboxDue.objects.select_related("event").earliest("event")
    event, subscribed = first.event, first.subscription
    first.delete()
    OutboxDue.objects.create(
        event=event, subscription=subscribed, operation=event.operation, at=T0, since=T0, again=True
    )
    assert told(Program([BROKEN, OK])) == 2
    assert over() == ["", Over.TAKEN]


def test_of_another_operation_nothing_waits_for_it():
    changed("order-1", "order-2", times=2)
    program = Program([BROKEN, OK])
    assert told(program) == 3
    assert sorted(over()) == ["", "", Over.TAKEN, Over.TAKEN]


def test_what_is_on_its_way_is_nobody_elses_to_send_until_its_lease_lapses():
    changed(times=2)
    [held] = claim(now=NOW, most=10)
    assert claim(now=NOW + LEASED_FOR - SECOND, most=10) == []
    [again] = claim(now=NOW + LEASED_FOR, most=10)
    assert (again.id, again.body) == (held.id, held.body)
    first, second = OutboxTry.objects.order_by("nth")
    assert (first.ended_as, second.ended_as) == (End.NO_ANSWER, "")
    assert "went down" in first.detail


def test_a_worker_whose_lease_lapsed_ends_nothing():
    changed()
    [held] = claim(now=NOW, most=1)
    claim(now=NOW + LEASED_FOR, most=1)
    finish(held, read(OK, now=NOW), now=NOW + LEASED_FOR, jitter=lambda: 1.0)
    assert (over(), OutboxDue.objects.count()) == ([""], 1)


def test_what_can_not_be_delivered_is_given_up_after_two_days_and_the_next_goes_out():
    changed(times=2)
    program = Program([BROKEN, OK])
    told(program)
    OutboxDue.objects.filter(tries=1).update(at=T0 + GIVEN_UP_AFTER + DAY)
    program.answers = [BROKEN, OK]
    Subscription.objects.update(failures=0, failing_since=None, rests_until=None)
    assert told(program, at=T0 + GIVEN_UP_AFTER + DAY) == 2
    assert over() == [Over.GIVEN_UP, Over.TAKEN]


def test_what_waits_too_long_for_a_paused_program_is_given_up():
    changed()
    Subscription.objects.update(paused_at=NOW, paused_by=administrator())
    told(Program(), at=NOW + GIVEN_UP_AFTER)
    assert over() == [Over.GIVEN_UP]


def test_a_program_that_fails_again_and_again_is_left_alone_and_then_tried_with_one():
    changed(*[f"order-{number}" for number in range(8)])
    program = Program([BROKEN])
    assert told(program) >= RESTS_AFTER
    tried, rests = len(program.got), Subscription.objects.get().rests_until
    assert rests is not None
    assert told(program, at=rests - SECOND) == 0
    assert told(program, at=rests) == 1
    program.answers = [OK]
    later = Subscription.objects.get().rests_until
    assert later is not None
    assert told(program, at=later) == 8
    assert len(program.got) == tried + 9
    assert (Subscription.objects.get().failures, set(over())) == (0, {Over.TAKEN})


def test_a_program_that_is_gone_is_told_nothing_more():
    changed(times=2)
    assert told(Program([GONE])) == 1
    assert over() == [Over.STOPPED, Over.STOPPED]
    assert Subscription.objects.get().gone_at == NOW
    assert SubscriptionChange.objects.get().by is None


def test_a_program_that_asks_for_time_gets_it_up_to_a_limit():
    changed()
    told(Program([Posted(wire=Wire.ANSWERED, status=429, retry_after="120")]))
    assert OutboxDue.objects.get().at == NOW + timedelta(seconds=120)
    told(Program([Posted(wire=Wire.ANSWERED, status=503, retry_after="999999")]), at=NOW + timedelta(seconds=120))
    assert OutboxDue.objects.get().at == NOW + timedelta(seconds=120) + LONGEST_WAIT


def test_a_test_is_tried_once():
    made = subscription()
    event = OutboxEvent.objects.create(subscription=made, kind=TEST, cause="test", about={}, made_at=NOW)
    OutboxDue.objects.create(event=event, subscription=made, at=NOW, since=NOW)
    program = Program([BROKEN])
    assert told(program) == 1
    assert over() == [Over.GIVEN_UP]
    assert json.loads(program.got[0].body)["type"] == TEST


def test_a_result_that_the_agent_learnt_by_itself_is_not_told_as_owed():
    subscription(EventKind.RESULT_OWED)
    operation().issued("T-1", now=T0 + SECOND, by="key unr_agent")
    assert OutboxDue.objects.count() == 1
    assert told(Program()) == 0
    assert OutboxEvent.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<script>alert(1)</script>", "<script>alert(1)</script>"),
        (b"a\r\nb\x00\xe2\x80\xaec\xff", "a b c�"),
        (b"your key is whsec_c2VjcmV0IG9mIHRoZSBkZXNr!", "your key is …!"),
        (b"got v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=", "got …"),
        (b"x" * 4_096, "x" * 299 + "…"),
    ],
)
def test_what_a_program_answers_is_kept_as_one_short_line_without_keys(body, said):
    assert read(Posted(wire=Wire.ANSWERED, status=400, body=body), now=NOW).said == said


@pytest.mark.parametrize("status", [100, 204, 301, 302, 307, 400, 401, 404, 408, 409, 429, 500, 503, 599])
def test_only_2xx_means_that_it_was_taken(status):
    found = read(Posted(wire=Wire.ANSWERED, status=status), now=NOW)
    assert (found.end is End.TAKEN) == (status == 204)
    assert ("not followed" in found.detail) == (300 <= status < 400)


def test_what_was_told_long_ago_is_removed_and_what_waits_is_kept():
    changed(times=2)
    told(Program([OK, BROKEN]))
    assert over() == [Over.TAKEN, ""]
    assert forget(before=NOW) == 0
    assert forget(before=NOW + SECOND) == 1
    assert (over(), OutboxTry.objects.count()) == ([""], 1)
