"""What befalls messages on their way to the desk and back, told request by request."""

from dataclasses import replace

import pytest

from tests.recipients.client import Ended, Facts
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.desk_public import status, told
from tests.recipients.desk_recipient import DeskRecipient, sending
from tests.recipients.fixtures import CollectionDesk, desk_on, desk_recipient_on
from tests.recipients.recipient import Intent

CLOSED = Facts(connected=True, first_byte_written=True, last_byte_written=True, ended=Ended.CLOSED)
RESET = replace(CLOSED, ended=Ended.RESET)
ORDER = Intent(identity="order-1", subject="Cedar")


def test_a_lost_request_was_never_received(collection_desk: CollectionDesk):
    collection_desk.control.tell(request="lost")
    assert collection_desk.public.ask_for_ticket("order-1") == CLOSED
    assert collection_desk.control.did("order-1") == ["lost"]


def test_a_lost_reply_follows_the_ticket(collection_desk: CollectionDesk):
    collection_desk.control.tell(reply="lost")
    assert collection_desk.public.ask_for_ticket("order-1") == CLOSED
    assert collection_desk.control.did("order-1") == ["received", "issued", "answered"]


@pytest.mark.parametrize("what", [{"request": "lost"}, {"reply": "lost"}])
def test_a_lost_message_can_end_in_a_reset(collection_desk: CollectionDesk, what):
    collection_desk.control.tell(**what, ending="reset")
    assert collection_desk.public.ask_for_ticket("order-1") == RESET


def test_a_truncated_reply_is_no_reply(collection_desk: CollectionDesk):
    collection_desk.control.tell(reply="truncated")
    facts = collection_desk.public.ask_for_ticket("order-1")
    assert (facts.first_byte_read, facts.reply, facts.ended) == (True, None, Ended.CLOSED)
    assert collection_desk.control.tickets("order-1") == ["T-1001"]


@pytest.fixture
def recipient():
    with desk_recipient_on(Terms()) as opened:
        yield opened


def test_the_desk_knows_nothing_of_a_request_under_way(recipient: DeskRecipient):
    recipient.control.tell(request="held")
    with sending(recipient, ORDER) as facts:
        [hold] = recipient.control.held("order-1")
        assert hold["stage"] == "request"
        assert recipient.public.operation("order-1")["state"] == "absent"
        recipient.control.release(hold["id"])
    assert status(facts[0]) == 201
    assert recipient.public.operation("order-1")["state"] == "issued"


def test_a_request_under_way_can_still_get_lost(recipient: DeskRecipient):
    recipient.control.tell(request="held")
    with sending(recipient, ORDER) as facts:
        [hold] = recipient.control.held("order-1")
        recipient.control.lose(hold["id"])
    assert facts[0].ended is Ended.CLOSED
    assert recipient.effects(ORDER) == []


def test_a_held_reply_follows_the_ticket(recipient: DeskRecipient):
    recipient.control.tell(reply="held")
    with sending(recipient, ORDER) as facts:
        [hold] = recipient.control.held("order-1")
        assert hold["stage"] == "reply"
        assert recipient.effects(ORDER) == ["T-1001"]
        recipient.control.release(hold["id"])
    assert recipient.effect_told(facts[0]) == "T-1001"


def test_silence_leaves_the_request_under_way(recipient: DeskRecipient):
    """A sender that stops waiting stops nothing: what is held still arrives."""
    recipient.control.tell(request="held")
    assert recipient.public.ask_for_ticket("order-1", within=0.05).ended is Ended.TIMED_OUT
    [hold] = recipient.control.held("order-1")
    assert recipient.effects(ORDER) == []
    recipient.control.release(hold["id"])
    assert recipient.effects(ORDER) == ["T-1001"]


def test_work_is_visible_while_it_is_held(recipient: DeskRecipient):
    with recipient.in_work(ORDER):
        assert recipient.public.operation("order-1")["state"] == "received"
        refused = recipient.send(ORDER)
        assert (status(refused), told(refused)["type"]) == (409, "urn:collection-desk:key-in-use")
    assert recipient.public.operation("order-1")["state"] == "issued"


def test_work_that_is_lost_ends_without_a_ticket(recipient: DeskRecipient):
    recipient.control.tell(work="held")
    with sending(recipient, ORDER):
        [hold] = recipient.control.held("order-1")
        recipient.control.lose(hold["id"])
    assert recipient.public.operation("order-1")["state"] == "failed"
    assert status(recipient.send(ORDER)) == 201
    assert recipient.effects(ORDER) == ["T-1001"]


def test_a_late_copy_of_what_was_answered_is_known(recipient: DeskRecipient):
    recipient.send(ORDER)
    assert recipient.control.copy("p1")["body"]["ticket"]["number"] == "T-1001"
    assert recipient.effects(ORDER) == ["T-1001"]


def test_a_late_copy_where_nothing_protects_acts_again():
    with desk_recipient_on(Terms(mechanism="none")) as unprotected:
        unprotected.send(ORDER)
        unprotected.copy_arrives(ORDER)
        assert unprotected.effects(ORDER) == ["T-1001", "T-1002"]


def test_a_copy_is_marked_in_the_truth(recipient: DeskRecipient):
    recipient.send(ORDER)
    recipient.copy_arrives(ORDER)
    assert [passage["copy_of"] for passage in recipient.control.truth()["passages"]] == [None, "p1"]


def test_reads_can_be_lost_too(collection_desk: CollectionDesk):
    collection_desk.control.tell(door="operation", key="order-1", reply="lost")
    assert collection_desk.public.get("/operations/order-1").ended is Ended.CLOSED
    assert status(collection_desk.public.get("/operations/order-1")) == 404


def test_instructions_wait_for_the_request_that_they_fit(collection_desk: CollectionDesk):
    collection_desk.control.tell(key="order-2", request="lost")
    collection_desk.control.tell(parcel="Elm", reply="lost", times=2)
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 201
    assert collection_desk.public.ask_for_ticket("order-2").reply is None
    assert collection_desk.public.ask_for_ticket("order-3", parcel="Elm").reply is None
    assert collection_desk.public.ask_for_ticket("order-4", parcel="Elm").reply is None
    assert status(collection_desk.public.ask_for_ticket("order-5", parcel="Elm")) == 201
    assert collection_desk.control.programme() == []


def test_desks_share_nothing():
    with desk_on() as first, desk_on() as second:
        first.public.ask_for_ticket("order-1")
        assert second.public.operation("order-1")["state"] == "absent"
        assert second.control.truth()["acts"] == []
