"""Two connections at once at one original: one closing request and one clear 409, or evidence that is stored and judged."""

from datetime import timedelta
from uuid import uuid4

import pytest

from escalation.models import CloseOriginal
from escalation.policy import Role
from operations import models
from operations.core.standing import Situation
from operations.recording import dispatching
from tests.escalation.building import Made
from tests.escalation.closings import attempt_of, decided, may_close, now, state, told
from tests.escalation.people import with_role
from tests.escalation.views.test_leave_races import at_once, posts
from tests.operations.dispatching import lost, sent

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, whose closing request is documented."""
    may_close(collection_desk, monkeypatch)
    return collection_desk


def made(turn):
    """An operation whose reply was lost."""
    key = f"order-{turn}"
    return Made(lost(key=key), key, "Cedar")


def typed(one, executor="agent"):
    return {"revision": one.row.revision, "once": uuid4(), "executor": executor, "understood": "on"}


def operators():
    return with_role("mira", Role.OPERATOR), with_role("noor", Role.OPERATOR)


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_operators_one_has_it_closed_and_one_gets_a_409(desk, turn):
    one = made(turn)
    answers = at_once(*[posts(who, "close_original", one, typed(one)) for who in operators()])
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "changed while you were reading" in refused.text
    assert CloseOriginal.objects.count() == models.Closing.objects.count() == models.Decision.objects.count() == 1
    assert models.Operation.objects.count() == 2


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_a_closing_and_a_repeat_one_is_decided(desk, turn):
    one, (mira, noor) = made(turn), operators()
    answers = at_once(posts(mira, "close_original", one, typed(one)), posts(noor, "protected_repeat", one, typed(one)))
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    assert models.Decision.objects.count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_evidence_that_comes_meanwhile_is_stored_and_the_closing_is_decided_before_it_or_not_at_all(desk, turn):
    one, (mira, _) = made(turn), operators()
    answer, stored = at_once(
        posts(mira, "close_original", one, typed(one)),
        lambda: told(one.id, channel="record", status=200, body=state("issued", ticket="T-1", key=one.identity)),
    )
    assert stored.created
    assert models.Operation.objects.get(id=one.id).situation == Situation.APPLIED
    assert (answer.status_code, CloseOriginal.objects.count()) in ((302, 1), (409, 0))


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_an_answer_to_the_closing_and_evidence_of_the_original_are_both_stored(desk, turn):
    one, (mira, _) = made(turn), operators()
    row = decided(one.id, mira)
    answers = at_once(
        lambda: sent(attempt_of(row)),
        lambda: told(one.id, channel="record", status=200, body=state("issued", ticket="T-1", key=one.identity)),
    )
    assert answers[1].created
    channels = set(models.Observation.objects.filter(operation_id=one.id).values_list("channel", flat=True))
    kept = models.Dispatch.objects.get()
    if kept.ended_as == "answered":
        assert channels == {"record", "closing_reply"}
        assert models.Operation.objects.get(id=one.id).conflict == "applied_and_closed"
    else:  # it was settled before the worker asked
        assert (kept.ended_as, channels) == ("not_sent", {"record"})


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_workers_one_sends_the_closing(desk, turn):
    one, (mira, _) = made(turn), operators()
    row = decided(one.id, mira)
    answers = at_once(lambda: sent(attempt_of(row)), lambda: sent(attempt_of(row)))
    assert [answer is None for answer in answers].count(True) == 1
    assert desk.control.did(one.identity).count("closed") == 1


def test_a_worker_that_dies_before_the_first_byte_is_not_followed_by_another(desk):
    one, (mira, _) = made(9), operators()
    row = decided(one.id, mira)

    def dies(step):
        if step == "claimed":
            raise SystemExit

    with pytest.raises(SystemExit):
        sent(attempt_of(row), step=dies)
    assert sent(attempt_of(row)) is None
    dispatching.end_lapsed(now=now() + timedelta(hours=1), most=9)
    assert sent(attempt_of(row)) is None
    assert "closed" not in desk.control.did(one.identity)
    assert models.Operation.objects.get(id=one.id).situation == Situation.OPEN
