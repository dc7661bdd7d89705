"""What the desk makes of a request that arrived: later, never, wrongly, or not at all."""

import pytest

from tests.recipients.collection_desk import clock
from tests.recipients.desk_control import ControlRefused
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import CollectionDesk, desk_on

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def test_a_ticket_names_its_request_line_by_line(collection_desk: CollectionDesk):
    facts = collection_desk.public.ask_for_ticket("order-1", place="East", parcel="Cedar")
    answer = told(facts)
    assert status(facts) == 201
    assert (answer["key"], answer["place"], answer["parcel"]) == ("order-1", "East", "Cedar")
    assert (answer["state"], answer["ticket"]["number"]) == ("issued", "T-1001")


# Refused or turned away: nothing is issued.


@pytest.mark.parametrize("code", [403, 408, 423, 425, 429, 503])
def test_what_is_turned_away_may_come_again(collection_desk: CollectionDesk, code):
    collection_desk.control.tell(handling="turn_away", status=code)
    facts = collection_desk.public.ask_for_ticket("order-1")
    assert (status(facts), told(facts)["covers_copies"]) == (code, False)
    assert collection_desk.public.operation("order-1")["state"] == "absent"
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 201


def test_too_many_requests_say_when_to_come_again(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="turn_away")
    facts = collection_desk.public.ask_for_ticket("order-1")
    assert facts.reply is not None
    assert (facts.reply.status, facts.reply.headers["retry-after"]) == (429, "5")


def test_a_stranger_is_refused(collection_desk: CollectionDesk):
    facts = collection_desk.as_account("of nobody").ask_for_ticket("order-1")
    assert (status(facts), told(facts)["covers_copies"]) == (401, False)
    assert collection_desk.control.did("order-1") == ["received", "turned_away", "answered"]


def test_what_is_refused_for_good_is_refused_whenever_it_comes(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="refuse")
    first = collection_desk.public.ask_for_ticket("order-1")
    assert (status(first), told(first)["covers_copies"]) == (422, True)
    collection_desk.control.forget("order-1")
    again = collection_desk.public.ask_for_ticket("order-1")
    assert (status(again), told(again)["covers_copies"]) == (422, True)
    assert collection_desk.control.copy("p1")["status"] == 422
    assert collection_desk.public.operation("order-1")["state"] == "refused"


def test_a_final_refusal_is_of_these_bytes_alone(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="refuse", kept=False)
    collection_desk.public.ask_for_ticket("order-1")
    assert status(collection_desk.public.ask_for_ticket("order-1", parcel="Elm")) == 201


def test_malformed_bytes_are_refused_for_good(collection_desk: CollectionDesk):
    facts = collection_desk.public.ask_for_ticket("order-1", parcel="")
    assert (status(facts), told(facts)["covers_copies"]) == (422, True)
    assert collection_desk.public.operation("order-1")["state"] == "refused"


def test_a_request_without_a_key_is_refused(collection_desk: CollectionDesk):
    assert status(collection_desk.public.ask_for_ticket(None)) == 400
    assert collection_desk.control.truth()["tickets"] == []


# Accepted for later.


def accepted(desk: CollectionDesk) -> None:
    desk.control.tell(key="order-1", handling="accept")
    facts = desk.public.ask_for_ticket("order-1")
    assert facts.reply is not None
    assert (facts.reply.status, facts.reply.headers["retry-after"]) == (202, "5")
    assert facts.reply.headers["location"] == "/operations/order-1"


def test_what_is_accepted_is_pending_for_as_long_as_nobody_ends_it(collection_desk: CollectionDesk):
    accepted(collection_desk)
    collection_desk.control.advance(7 * 24 * 3600)
    assert collection_desk.public.operation("order-1")["state"] == "pending"
    assert collection_desk.control.tickets("order-1") == []


def test_a_repeat_of_what_is_pending_is_answered_alike(collection_desk: CollectionDesk):
    accepted(collection_desk)
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 202
    assert collection_desk.control.did("order-1") == [
        "received",
        "pending",
        "answered",
        "received",
        "replayed",
        "answered",
    ]


@pytest.mark.parametrize(
    ("handling", "state", "repeated"),
    [("issue", "issued", 201), ("refuse", "refused", 422), ("fail_before", "failed", 500)],
)
def test_what_is_pending_ends_when_control_says(collection_desk: CollectionDesk, handling, state, repeated):
    accepted(collection_desk)
    collection_desk.control.finish("p1", handling=handling)
    assert collection_desk.public.operation("order-1")["state"] == state
    assert status(collection_desk.public.ask_for_ticket("order-1")) == repeated


def test_an_error_that_ends_what_was_pending_is_kept_only_if_errors_are():
    with desk_on({"covers": "success_only"}) as desk:
        accepted(desk)
        desk.control.finish("p1", handling="fail_before")
        assert status(desk.public.ask_for_ticket("order-1")) == 201


def test_what_ended_does_not_end_again(collection_desk: CollectionDesk):
    accepted(collection_desk)
    collection_desk.control.finish("p1")
    with pytest.raises(ControlRefused, match="p1 is not pending"):
        collection_desk.control.finish("p1")
    assert collection_desk.control.tickets("order-1") == ["T-1001"]


def test_without_keys_what_is_accepted_has_a_number():
    with desk_on({"mechanism": "none"}) as desk:
        desk.control.tell(handling="accept")
        facts = desk.public.ask_for_ticket("order-1")
        assert facts.reply is not None
        where = facts.reply.headers["location"]
        assert told(desk.public.get(where))["state"] == "pending"
        desk.control.finish("p1")
        assert told(desk.public.get(where))["ticket"]["number"] == "T-1001"


def test_when_to_come_again_can_be_a_date():
    with desk_on({"retry_after": 90, "retry_after_as": "date"}, clock=clock.stopped(NOON)) as desk:
        desk.control.tell(handling="accept")
        facts = desk.public.ask_for_ticket("order-1")
        assert facts.reply is not None
        assert facts.reply.headers["retry-after"] == "Thu, 01 Jan 2026 12:01:30 GMT"


# Errors.


def test_an_error_after_issuing_hides_a_ticket(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="fail_after")
    for _ in range(3):
        facts = collection_desk.public.ask_for_ticket("order-1")
        assert (status(facts), told(facts)["type"]) == (500, "urn:collection-desk:failed")
    assert collection_desk.control.tickets("order-1") == ["T-1001"]
    assert collection_desk.public.operation("order-1")["ticket"]["number"] == "T-1001"


def test_errors_before_and_after_issuing_look_the_same(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="fail_before")
    collection_desk.control.tell(handling="fail_after")
    before, after = [told(collection_desk.public.ask_for_ticket(key)) for key in ("order-1", "order-2")]
    for answer in (before, after):
        del answer["key"], answer["as_of"]
    assert before == after
    assert (collection_desk.control.tickets("order-1"), collection_desk.control.tickets("order-2")) == ([], ["T-1001"])


@pytest.mark.parametrize(("kept", "repeated"), [(None, 500), (True, 500), (False, 201)])
def test_an_error_before_issuing_is_kept_or_not(collection_desk: CollectionDesk, kept, repeated):
    collection_desk.control.tell(handling="fail_before", kept=kept)
    assert status(collection_desk.public.ask_for_ticket("order-1")) == 500
    assert collection_desk.public.operation("order-1")["state"] == "failed"
    assert status(collection_desk.public.ask_for_ticket("order-1")) == repeated


def test_an_error_kept_against_the_terms():
    with desk_on({"covers": "success_only"}) as desk:
        desk.control.tell(handling="fail_after", kept=True)
        desk.public.ask_for_ticket("order-1")
        assert status(desk.public.ask_for_ticket("order-1")) == 500
        assert desk.control.tickets("order-1") == ["T-1001"]


def test_work_that_was_held_can_end_in_an_error(collection_desk: CollectionDesk):
    collection_desk.control.tell(work="held", handling="fail_after")
    collection_desk.public.ask_for_ticket("order-1", within=0.05)
    [hold] = collection_desk.control.held("order-1")
    assert collection_desk.control.release(hold["id"])["status"] == 500
    assert collection_desk.control.tickets("order-1") == ["T-1001"]
