"""What may not be sent by this desk, or not any more, is not sent; the attempt says so where there is one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from operations import models
from operations.channels.reading import Ended
from operations.dispatch import CannotSend, prepared
from operations.recording import NotPermitted, dispatching, observe
from tests.operations import rows
from tests.operations.dispatching import KEY, authorised, fact, lost, may_send, now, row, sent
from tests.recipients.reached import CREDENTIAL

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


# Who may not send.


def test_a_desk_that_sends_as_somebody_else_sends_nothing(desk, monkeypatch):
    made = lost(scope="account two")
    with pytest.raises(CannotSend, match="as “account one”, and the original went out as “account two”"):
        prepared(operation_of(made))


def test_a_desk_that_does_not_know_whom_it_sends_as_sends_nothing(desk, operation_id, monkeypatch):
    monkeypatch.delenv(f"{CREDENTIAL}_SCOPE")
    with pytest.raises(CannotSend, match=f"{CREDENTIAL}_SCOPE isn't set"):
        prepared(operation_of(operation_id))


def test_an_original_of_unknown_scope_is_not_repeated_here(desk):
    with pytest.raises(CannotSend, match="didn't say through which account"):
        prepared(operation_of(lost(scope="")))


def test_without_the_credential_nothing_is_sent(desk, operation_id, monkeypatch):
    monkeypatch.delenv(CREDENTIAL)
    with pytest.raises(CannotSend, match=f"Neither {CREDENTIAL} nor"):
        prepared(operation_of(operation_id))


def test_a_credential_goes_to_its_own_origin_alone(desk, operation_id, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_FOR", "https://desk.example")
    with pytest.raises(CannotSend, match=r"may be sent to https://desk.example only"):
        prepared(operation_of(operation_id))


def test_without_an_address_nothing_is_sent(desk, operation_id):
    models.Recipient.objects.update(address="")
    with pytest.raises(CannotSend, match="no address"):
        prepared(operation_of(operation_id))


# What may not be authorised, or not any more.


def test_what_the_core_refuses_is_not_authorised(desk):
    made = lost(sealed=False)
    with pytest.raises(NotPermitted):
        authorised(made)
    assert not models.Dispatch.objects.exists()


def test_one_send_at_a_time_is_authorised(operation_id):
    authorised(operation_id)
    later = now() + timedelta(seconds=6)  # past the recipient's pacing
    with pytest.raises(dispatching.UnderWay):
        authorised(operation_id, at=later)
    assert models.Attempt.objects.count() == 2


def test_what_was_learnt_since_is_inferred_again_and_nothing_is_sent(desk, operation_id):
    attempt = authorised(operation_id)
    found = passages(desk)
    models.Operation.objects.get(id=operation_id)
    at = now()
    told = replace(rows.report(), received_at=at, asked_at=at)
    observe(operation_id, told, claimed=replace(rows.claimed("applied"), as_of=at), now=at, source="the desk")
    assert sent(attempt) is None
    assert passages(desk) == found
    assert (row(attempt).ended_as, row(attempt).live) == ("not_sent", False)
    assert "It happened; there is nothing left to send." in row(attempt).because
    assert fact(attempt) == ("not_sent", "not_sent", None)


def test_a_send_that_can_not_arrive_in_time_is_not_made(desk):
    """The window is a day less a minute; it lapses between the decision and the worker."""
    made = lost(ago=86_400 - 60 - 30)
    attempt = authorised(made)
    before = passages(desk)
    assert sent(attempt, clock=lambda: now() + timedelta(seconds=31)) is None
    assert passages(desk) == before == []
    assert row(attempt).ended_as == "not_sent"
    assert fact(attempt)[0] == "not_sent"


def test_a_send_whose_leave_has_ended_is_not_made(desk, operation_id):
    attempt = authorised(operation_id, lasts=5)
    assert sent(attempt, clock=lambda: now() + timedelta(seconds=6)) is None
    assert row(attempt).because == "Not sent: the time in which it could still be sent is over."
    assert tickets(desk) == 1


@pytest.mark.parametrize("stops", ["monotonic", "clock"])
def test_a_worker_that_is_held_up_before_the_first_byte_sends_nothing(desk, operation_id, stops):
    """Between its claim and the first byte a minute passes, on one of the two clocks that are looked at."""
    attempt, before = authorised(operation_id), len(passages(desk))
    ahead = {"monotonic": 0.0, "clock": 0.0}

    def held_up(step):
        if step == "connected":
            ahead[stops] = 60.0

    found = sent(
        attempt,
        clock=lambda: now() + timedelta(seconds=ahead["clock"]),
        monotonic=lambda: 1000.0 + ahead["monotonic"],
        step=held_up,
    )
    assert (found.ended, found.first_byte_written_at) == (Ended.NOT_SENT, None)
    assert len(passages(desk)) == before
    assert (row(attempt).ended_as, fact(attempt)[0]) == ("not_sent", "not_sent")
    assert row(attempt).connected_at is not None


def test_an_address_that_changed_since_is_not_sent_to(desk, operation_id, monkeypatch):
    attempt, before = authorised(operation_id), len(passages(desk))
    models.Recipient.objects.update(address=f"{desk.url}/other")
    assert sent(attempt) is None
    assert "address or credential is another one" in row(attempt).because
    assert len(passages(desk)) == before
