"""Authorising a repeat: refusals first, then what is written, and what is sent once it is."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from escalation.celery import app
from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.protected_repeat import AGENT_WITHIN, DESK_WITHIN, TooLate
from escalation.models import ProtectedRepeat, User
from escalation.policy import Role
from operations import models
from operations.dispatch import CannotSend
from operations.recording import NotPermitted, dispatching
from tests.escalation.people import with_role
from tests.escalation.repeats import repeated as decided
from tests.operations.dispatching import KEY, lost, now
from tests.recipients.reached import CREDENTIAL

WAIT = 60.0  # seconds; a bound, not a delay
pytestmark = pytest.mark.django_db


@pytest.fixture
def operation_id(desk):
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    return lost()


def revision_of(operation_id):
    return models.Operation.objects.get(id=operation_id).revision


def nothing_was_written():
    kinds = (ProtectedRepeat, models.Decision, models.Dispatch, models.Grant)
    return models.Attempt.objects.count() == 1 and not any(kind.objects.exists() for kind in kinds)


def test_without_the_role_nothing_is_written(operation_id):
    with pytest.raises(NotAllowed, match="operator"):
        decided(operation_id, with_role("reviewer", Role.REVIEWER))
    assert nothing_was_written()


def test_what_changed_since_it_was_seen_is_not_decided_on(operation_id, mira):
    with pytest.raises(StaleView):
        decided(operation_id, mira, revision=1)
    assert nothing_was_written()


@pytest.mark.parametrize("executor", ["desk", "agent"])
def test_what_the_core_refuses_is_not_authorised(desk, mira, executor):
    made = lost(sealed=False)
    with pytest.raises(NotPermitted):
        decided(made, mira, executor=executor)
    assert nothing_was_written()


def test_another_scope_is_not_sent_by_this_desk(operation_id, mira, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_SCOPE", "account two")
    with pytest.raises(CannotSend, match="new proposal"):
        decided(operation_id, mira)
    assert nothing_was_written()


@pytest.mark.parametrize("executor", ["desk", "agent"])
def test_a_window_that_closes_before_it_could_begin_authorises_nothing(desk, mira, executor):
    made = lost(ago=0)
    until = models.Operation.objects.get(id=made).protection_until
    assert until is not None
    with pytest.raises(TooLate):
        decided(made, mira, executor=executor, at=until - timedelta(seconds=0.5))
    assert nothing_was_written()


def test_while_this_desk_sends_nothing_else_is_authorised(operation_id, mira):
    decided(operation_id, mira)
    with pytest.raises(dispatching.UnderWay):
        decided(operation_id, mira, executor="agent", at=now() + timedelta(seconds=6))
    assert (ProtectedRepeat.objects.count(), models.Grant.objects.count()) == (1, 0)


def test_the_desks_repeat_is_an_attempt_a_dispatch_and_a_decision(operation_id, mira):
    at = now()
    found = decided(operation_id, mira, at=at)
    assert found.attempt is not None
    assert (found.executor, found.grant, found.attempt.number) == ("desk", None, 2)
    kept = models.Dispatch.objects.get()
    assert (kept.live, kept.claimed_by, kept.send_by) == (True, "", at + DESK_WITHIN)
    assert (found.decision.door, found.decision.action, found.decision.decided_by) == (
        "protected_repeat",
        "repeat",
        "mira",
    )
    bound = models.Operation.objects.get(id=operation_id)
    assert found.decision.content == {
        "executor": "desk",
        "digest": bound.digest,
        "scope": bound.scope,
        "proved": {"by": "sign-in link", "at": at.isoformat()},
    }


def test_the_agents_repeat_is_a_grant_and_no_attempt(operation_id, mira):
    at = now()
    found = decided(operation_id, mira, executor="agent", at=at)
    assert found.grant is not None
    assert (found.attempt, found.grant.ends_at, found.grant.granted_by) == (None, at + AGENT_WITHIN, "mira")
    assert (models.Attempt.objects.count(), models.Dispatch.objects.count()) == (1, 0)


def test_a_grant_ends_before_protection_does(desk, mira):
    made = lost(ago=86_400 - 60 - 100)
    until = models.Operation.objects.get(id=made).protection_until
    found = decided(made, mira, executor="agent")
    assert found.grant is not None
    assert until is not None
    assert found.grant.ends_at < until


def test_a_form_that_is_sent_twice_decides_once(operation_id, mira):
    seen = {"revision": revision_of(operation_id), "once": uuid4()}
    assert decided(operation_id, mira, **seen) == decided(operation_id, mira, **seen)
    assert (ProtectedRepeat.objects.count(), models.Attempt.objects.count()) == (1, 2)


@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_decision_can_not_be_changed_or_removed(operation_id, mira, change):
    decided(operation_id, mira)
    rows = ProtectedRepeat.objects.all()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(executor="agent") if change == "update" else rows.delete()


@pytest.mark.django_db(transaction=True)
def test_two_reviewers_at_once_take_one_decision(desk):
    made = lost()
    people = [with_role("mira", Role.OPERATOR), with_role("jonas", Role.OPERATOR)]
    seen, ready = revision_of(made), threading.Barrier(2)

    def one(person: User) -> object:
        try:
            ready.wait(WAIT)
            return decided(made, person, executor="agent", revision=seen)
        except StaleView as stale:
            return stale
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(one, people))
    assert sorted(type(one).__name__ for one in found) == ["ProtectedRepeat", "StaleView"]
    assert (models.Decision.objects.count(), models.Grant.objects.count()) == (1, 1)


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.django_db(transaction=True)
def test_it_is_sent_once_the_decision_is_on_record_and_there_is_one_ticket(desk, at_once):
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR))
    assert models.Dispatch.objects.get().ended_as == "answered"
    assert models.Operation.objects.get(id=made).evidence == "applied"
    assert len(desk.control.tickets(KEY)) == 1


@pytest.mark.django_db(transaction=True)
def test_without_a_broker_the_decision_stands_and_waits_for_the_sweep(desk):
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR))
    assert (models.Dispatch.objects.get().live, ProtectedRepeat.objects.count()) == (True, 1)
