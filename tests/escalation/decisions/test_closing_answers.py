"""What a closing request is answered, read for the original: receipts, refusals, what comes late, and what contradicts."""

from datetime import timedelta
from typing import Any

import pytest

from operations import models
from operations.core.facts import Sends
from operations.core.standing import Situation
from operations.recording import Intent, NotPermitted, begin, dispatching, writing
from tests.escalation.closings import attempt_of, decided, heard, now, original, state, told
from tests.escalation.repeats import repeated
from tests.operations.dispatching import KEY, lost, sent

pytestmark = pytest.mark.django_db


def test_a_closed_answer_is_a_receipt_for_the_original(made, desk, mira):
    found = decided(made, mira)
    sent(attempt_of(found))
    row = original(found)
    assert (row.evidence, row.finality, row.situation) == ("not_applied", "excluded", Situation.CLOSED)
    assert heard(made) == [("closing_closed_it", "closed", True)]
    assert models.Operation.objects.get(id=found.closing_id).evidence == "applied"
    assert desk.control.tickets(KEY) == []


def test_an_answer_given_again_to_a_later_attempt_is_dated_by_the_first(made, mira):
    found, at = decided(made, mira, executor="agent"), now()
    first = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=at - timedelta(seconds=20))
    begin(found.closing_id, first, now=at, by="key", grant=found.grant_id)
    again = repeated(found.closing_id, mira, executor="agent", at=at)
    later = Intent(attempt="c2", sends=Sends.ONE, scope="account one", begun_at=at)
    begin(found.closing_id, later, now=at, by="key", grant=again.grant_id)
    told(found.closing_id, channel="reply", attempt="c2", status=200, body=state("closed"))
    kept = models.Observation.objects.get(operation_id=made, channel="closing_reply")
    assert kept.asked_at == first.begun_at


def test_the_observation_says_where_it_came_from(made, mira):
    found = decided(made, mira)
    sent(attempt_of(found))
    kept = models.Observation.objects.get(operation_id=made, channel="closing_reply")
    raw = models.Observation.objects.get(operation_id=found.closing_id, channel="reply")
    assert kept.source == f"answer to closing operation {found.closing.number}"
    assert (bytes(kept.payload or b""), kept.status, kept.authentic) == (bytes(raw.payload or b""), 200, True)
    assert (kept.attempt, kept.asked_at, kept.event) == (None, found.attempt.begun_at, f"closing-{raw.id.hex}")


def test_an_answer_that_it_came_too_late_is_a_receipt_that_it_happened(desk, mira):
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    found = decided(made, mira)
    sent(attempt_of(found))
    assert original(found).evidence == "applied"
    assert heard(made) == [("closing_came_too_late", "applied", True)]
    assert desk.control.tickets(KEY) == ["T-1001"]
    assert models.Operation.objects.get(id=found.closing_id).situation == Situation.CLOSED


def test_an_answer_to_an_attempt_that_is_not_on_record_says_nothing_of_the_original(made, mira):
    found = decided(made, mira, executor="agent")
    told(found.closing_id, channel="reply", attempt="c1", status=200, body=state("closed"))
    assert (heard(made), original(found).situation) == ([], Situation.OPEN)
    assert models.Observation.objects.filter(operation_id=found.closing_id).count() == 1


def test_whoever_may_not_speak_of_the_original_says_nothing_of_it(made, mira):
    found = decided(made, mira, executor="agent")
    intent = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(found.closing_id, intent, now=now(), by="key", grant=found.grant_id)
    closing, first = found.closing.recipient_id, original(found).recipient_id
    said: dict[str, Any] = {"channel": "reply", "attempt": "c1", "status": 200, "body": state("closed"), "event": "e1"}
    told(found.closing_id, recipients=frozenset({closing}), **said)
    assert (heard(made), original(found).situation) == ([], Situation.OPEN)
    assert models.Observation.objects.filter(operation_id=found.closing_id).count() == 1
    told(found.closing_id, recipients=frozenset({closing, first}), **said)
    assert len(heard(made)) == 1


@pytest.mark.parametrize("status", [401, 409, 429, 503])
def test_a_refused_answer_settles_nothing(made, desk, mira, status):
    desk.control.tell(door="close", handling="turn_away", status=status)
    found = decided(made, mira)
    sent(attempt_of(found))
    row = original(found)
    assert (row.evidence, row.finality, row.situation) == ("unknown", "unestablished", Situation.OPEN)
    assert [counts for _, _, counts in heard(made)] == [False]


def test_an_answer_that_was_lost_settles_nothing_and_the_closing_is_open(made, desk, mira):
    desk.control.tell(door="close", reply="lost")
    found = decided(made, mira)
    sent(attempt_of(found))
    closing = models.Operation.objects.get(id=found.closing_id)
    assert (original(found).situation, closing.situation, heard(made)) == (Situation.OPEN, Situation.OPEN, [])
    with pytest.raises(NotPermitted, match="authorised already"):
        decided(made, mira)


def test_what_closed_only_earlier_attempts_is_less_than_this_contract_promises(made, desk, mira):
    desk.control.terms(closure="earlier_attempts")
    found = decided(made, mira)
    sent(attempt_of(found))
    assert original(found).situation == Situation.OPEN
    assert heard(made) == [("any_other_closing", "indeterminate", False)]


def test_what_settles_between_decision_and_send_keeps_it_from_being_sent(made, desk, mira):
    found = decided(made, mira)
    told(made, channel="record", status=200, body=state("issued", ticket="T-1"))
    assert sent(attempt_of(found)) is None
    kept = models.Dispatch.objects.get()
    assert (kept.ended_as, kept.because) == (
        "not_sent",
        "Not sent: It happened; to close it now could only take back what was asked for.",
    )
    assert "closed" not in desk.control.did(KEY)


def test_the_agent_may_not_begin_either_once_the_original_is_settled(made, mira):
    found = decided(made, mira, executor="agent")
    told(made, channel="record", status=200, body=state("issued", ticket="T-1"))
    intent = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    with pytest.raises(NotPermitted, match="It happened"):
        begin(found.closing_id, intent, now=now(), by="key", grant=found.grant_id)


def test_the_agents_answer_is_heard_for_the_original_too(made, desk, mira):
    found = decided(made, mira, executor="agent")
    intent = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(found.closing_id, intent, now=now(), by="key", grant=found.grant_id)
    reply = desk.public.close(KEY).reply
    for _ in range(2):  # the same report again is the same observation
        told(found.closing_id, channel="reply", attempt="c1", status=reply.status, raw=reply.body, event="c1")
    assert original(found).situation == Situation.CLOSED
    assert len(heard(made)) == 1


def test_an_answer_to_the_closing_that_comes_after_a_receipt_contradicts_it(made, desk, mira):
    desk.control.tell(door="close", reply="held")
    found = decided(made, mira, executor="agent")
    intent = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(found.closing_id, intent, now=now(), by="key", grant=found.grant_id)
    told(made, channel="record", status=200, body=state("issued", ticket="T-1"))
    assert original(found).situation == Situation.APPLIED
    told(found.closing_id, channel="reply", attempt="c1", status=200, body=state("closed"))
    row = original(found)
    assert (row.situation, row.conflict) == (Situation.CONFLICT, "applied_and_closed")


def test_a_receipt_that_comes_after_the_closing_contradicts_it(made, desk, mira):
    found = decided(made, mira)
    sent(attempt_of(found))
    assert original(found).situation == Situation.CLOSED
    told(made, channel="record", status=200, body=state("issued", ticket="T-1"))
    assert original(found).conflict == "applied_and_closed"


def test_somebody_elses_closing_says_nothing_of_this_one(made, mira):
    found = decided(made, mira, executor="agent")
    intent = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(found.closing_id, intent, now=now(), by="key", grant=found.grant_id)
    told(found.closing_id, channel="reply", attempt="c1", status=200, body=state("closed", key="order-9"))
    assert heard(made) == [("closing_closed_it", "closed", False)]
    assert original(found).situation == Situation.OPEN


def test_whoever_dies_between_decision_and_send_leaves_what_nothing_sends_again(made, desk, mira):
    found = decided(made, mira)
    at = now()
    with writing(found.closing_id, now=at) as pen:  # a worker claims it, and dies
        held = dispatching.unclaimed(pen, found.attempt_id)
        assert held is not None
        assert dispatching.claim(held, by="worker", leased_until=at + timedelta(seconds=75))
    dispatching.end_lapsed(now=at + timedelta(seconds=76), most=9)
    assert models.Dispatch.objects.get().ended_as == "lapsed"
    assert sent(attempt_of(found)) is None
    assert "closed" not in desk.control.did(KEY)
    assert (original(found).situation, models.Operation.objects.get(id=found.closing_id).situation) == (
        Situation.OPEN,
        Situation.OPEN,
    )
