"""Ending an operation: what it covers, what it cannot undo, and what the receipt says."""

import pytest

from tests.recipients.client import Ended
from tests.recipients.collection_desk import clock
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import CollectionDesk, desk_on

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


@pytest.fixture
def lenient():
    """A desk whose closing covers only what was sent before."""
    with desk_on({"closure": "earlier_attempts"}, clock=clock.stopped(NOON)) as desk:
        yield desk


def test_a_closed_operation_issues_nothing(collection_desk: CollectionDesk):
    receipt = told(collection_desk.public.close("order-1"))
    assert (receipt["key"], receipt["state"], receipt["closure"]["covers"]) == ("order-1", "closed", "identity")
    facts = collection_desk.public.ask_for_ticket("order-1")
    assert (status(facts), told(facts)["type"]) == (410, "urn:collection-desk:closed")
    assert collection_desk.public.operation("order-1")["state"] == "closed"
    assert collection_desk.control.tickets("order-1") == []


def test_closing_comes_too_late_for_a_ticket(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    receipt = told(collection_desk.public.close("order-1"))
    assert (receipt["state"], receipt["closure"], receipt["ticket"]["number"]) == ("issued", None, "T-1001")


def test_closing_again_closes_what_is_closed_and_nothing_else(collection_desk: CollectionDesk):
    states = [told(collection_desk.public.close("order-1"))["state"] for _ in range(2)]
    assert (states, collection_desk.control.tickets("order-1")) == (["closed", "closed"], [])


def test_closing_again_takes_back_no_ticket(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    states = [told(collection_desk.public.close("order-1"))["state"] for _ in range(2)]
    assert (states, collection_desk.control.tickets("order-1")) == (["issued", "issued"], ["T-1001"])


def test_a_closed_key_stays_closed_when_it_is_forgotten():
    with desk_on({"keeps_for": 60}) as desk:
        desk.control.tell(handling="accept")
        desk.public.ask_for_ticket("order-1")
        desk.public.close("order-1")
        desk.control.advance(3600)
        assert status(desk.public.ask_for_ticket("order-1")) == 410


def test_closing_ends_what_is_pending(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="accept")
    collection_desk.public.ask_for_ticket("order-1")
    assert told(collection_desk.public.close("order-1"))["state"] == "closed"
    assert collection_desk.control.truth()["pending"] == []


def test_what_only_earlier_attempts_are_closed_for_can_be_asked_anew(lenient: CollectionDesk):
    assert told(lenient.public.close("order-1"))["closure"]["covers"] == "earlier_attempts"
    lenient.control.advance(1)
    assert status(lenient.public.ask_for_ticket("order-1")) == 201
    assert lenient.public.operation("order-1")["state"] == "issued"


def test_a_copy_is_as_early_as_its_original(lenient: CollectionDesk):
    lenient.control.tell(request="lost")
    lenient.public.ask_for_ticket("order-1")
    lenient.control.advance(1)
    lenient.public.close("order-1")
    lenient.control.advance(1)
    assert lenient.control.copy("p1")["status"] == 410
    assert status(lenient.public.ask_for_ticket("order-1")) == 201
    assert lenient.control.copy("p1")["status"] == 410
    assert lenient.control.tickets("order-1") == ["T-1001"]


def test_a_request_under_way_is_as_early_as_it_was_sent(lenient: CollectionDesk):
    lenient.control.tell(request="held")
    lenient.public.ask_for_ticket("order-1", within=0.05)
    [hold] = lenient.control.held("order-1")
    lenient.control.advance(1)
    lenient.public.close("order-1")
    lenient.control.advance(1)
    assert lenient.control.release(hold["id"])["status"] == 410
    assert lenient.control.tickets("order-1") == []


def test_after_closing_what_was_pending_a_new_attempt_is_not_answered_with_it(lenient: CollectionDesk):
    lenient.control.tell(handling="accept")
    lenient.public.ask_for_ticket("order-1")
    lenient.public.close("order-1")
    lenient.control.advance(1)
    assert status(lenient.public.ask_for_ticket("order-1")) == 201


def test_the_receipt_of_a_closing_can_be_lost(collection_desk: CollectionDesk):
    collection_desk.control.tell(door="close", reply="lost")
    assert collection_desk.public.close("order-1").ended is Ended.CLOSED
    assert collection_desk.public.operation("order-1")["state"] == "closed"


def test_a_closing_that_is_lost_closes_nothing(collection_desk: CollectionDesk):
    collection_desk.control.tell(door="close", request="lost")
    collection_desk.public.close("order-1")
    assert collection_desk.public.operation("order-1")["state"] == "absent"


def test_a_closing_that_is_turned_away_closes_nothing(collection_desk: CollectionDesk):
    collection_desk.control.tell(door="close", handling="turn_away", status=409)
    assert status(collection_desk.public.close("order-1")) == 409
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 201


def test_a_stranger_closes_nothing(collection_desk: CollectionDesk):
    assert status(collection_desk.as_account("of nobody").close("order-1")) == 401
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 201
