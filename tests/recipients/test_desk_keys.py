"""How long and for whom the desk keeps a key, and what it says of it."""

import pytest

from tests.recipients.collection_desk import clock
from tests.recipients.desk_control import ControlRefused
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import CollectionDesk, desk_on

HOUR = 3600
NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def statement(desk: CollectionDesk, key: str = "order-1") -> dict[str, object]:
    return told(desk.public.get(f"/keys/{key}"))


def test_a_key_is_kept_from_its_first_receipt_and_not_renewed():
    with desk_on({"keeps_for": HOUR}, clock=clock.stopped(NOON)) as desk:
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(HOUR - 1)
        assert told(desk.public.ask_for_ticket("order-1"))["ticket"]["number"] == "T-1001"
        desk.control.advance(1)
        assert told(desk.public.ask_for_ticket("order-1"))["ticket"]["number"] == "T-1002"


def test_a_key_that_starts_anew_has_a_clock_of_its_own():
    with desk_on({"keeps_for": HOUR}, clock=clock.stopped(NOON)) as desk:
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(HOUR)
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(HOUR - 1)
        desk.public.ask_for_ticket("order-1")
        assert desk.control.tickets("order-1") == ["T-1001", "T-1002"]


def test_a_late_repeat_can_be_refused_instead():
    with desk_on({"keeps_for": HOUR, "after": "refused"}) as desk:
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(HOUR)
        facts = desk.public.ask_for_ticket("order-1")
        assert (status(facts), told(facts)["type"]) == (412, "urn:collection-desk:key-expired")


def test_the_desk_states_until_when_it_keeps_a_key():
    with desk_on({"keeps_for": HOUR}, clock=clock.stopped(NOON)) as desk:
        assert status(desk.public.get("/keys/order-1")) == 404
        desk.public.ask_for_ticket("order-1")
        kept = statement(desk)
        assert (kept["state"], kept["first_received_at"]) == ("kept", "2026-01-01T12:00:00.000Z")
        assert kept["kept_until"] == "2026-01-01T13:00:00.000Z"
        desk.control.advance(HOUR)
        assert (statement(desk)["state"], statement(desk)["kept_until"]) == ("forgotten", None)


def test_a_key_kept_for_ever_has_no_end(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    assert (statement(collection_desk)["state"], statement(collection_desk)["kept_until"]) == ("kept", None)


def test_a_key_forgotten_before_its_time_is_said_to_be(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    collection_desk.control.forget("order-1")
    assert statement(collection_desk)["state"] == "forgotten"
    assert collection_desk.control.did("order-1")[-1] == "forgotten"


def test_what_was_never_kept_is_not_forgotten(collection_desk: CollectionDesk):
    with pytest.raises(ControlRefused, match="No key order-1 is kept"):
        collection_desk.control.forget("order-1")


def test_a_key_can_be_kept_while_its_ticket_exists():
    with desk_on({"keeps_for": "while_exists"}) as desk:
        desk.public.ask_for_ticket("order-1")
        desk.public.ask_for_ticket("order-1")
        assert desk.control.tickets("order-1") == ["T-1001"]
        desk.control.collect("T-1001")
        desk.public.ask_for_ticket("order-1")
        assert desk.control.tickets("order-1") == ["T-1001", "T-1002"]


def test_keys_of_the_desk_hold_for_every_account(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    other = collection_desk.as_account("credential-of-two").ask_for_ticket("order-1")
    assert told(other)["ticket"]["number"] == "T-1001"


def test_keys_of_a_credential_protect_within_it_alone():
    with desk_on({"key_scope": "credential"}) as desk:
        other = desk.as_account("credential-of-two")
        desk.public.ask_for_ticket("order-1")
        assert other.operation("order-1")["state"] == "absent"
        assert status(other.get("/tickets/T-1001")) == 404
        assert told(other.ask_for_ticket("order-1"))["ticket"]["number"] == "T-1002"
        assert desk.control.tickets("order-1") == ["T-1001", "T-1002"]


def test_changed_arguments_are_named_and_change_nothing(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1", place="East")
    for place, parcel in (("West", "Cedar"), ("East", "Elm")):
        facts = collection_desk.public.ask_for_ticket("order-1", place=place, parcel=parcel)
        assert (status(facts), told(facts)["type"]) == (422, "urn:collection-desk:changed-arguments")
        assert told(facts)["covers_copies"] is False
    assert collection_desk.public.operation("order-1")["place"] == "East"


def test_arguments_whose_outcome_was_not_kept_bind_nothing(collection_desk: CollectionDesk):
    collection_desk.control.tell(handling="fail_before", kept=False)
    collection_desk.public.ask_for_ticket("order-1", place="East")
    for _ in range(2):
        assert told(collection_desk.public.ask_for_ticket("order-1", place="West"))["ticket"]["number"] == "T-1001"
    assert status(collection_desk.public.ask_for_ticket("order-1", place="East")) == 422


def test_changed_arguments_can_be_answered_with_the_first_outcome():
    """Success under a key is then no proof of these arguments; the echo shows it."""
    with desk_on({"changed_arguments": "replayed"}) as desk:
        desk.public.ask_for_ticket("order-1", place="East")
        facts = desk.public.ask_for_ticket("order-1", place="West")
        assert (status(facts), told(facts)["place"]) == (201, "East")
        assert desk.control.tickets("order-1") == ["T-1001"]


def test_a_replay_is_the_first_answer_and_says_so(collection_desk: CollectionDesk):
    first = collection_desk.public.ask_for_ticket("order-1")
    collection_desk.control.advance(60)
    again = collection_desk.public.ask_for_ticket("order-1")
    assert first.reply is not None
    assert again.reply is not None
    assert again.reply.body == first.reply.body
    assert again.reply.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.reply.headers


def test_without_a_fence_a_repeat_in_flight_acts_too():
    with desk_on({"concurrent_use": "unprotected"}) as desk:
        desk.control.tell(work="held")
        desk.public.ask_for_ticket("order-1", within=0.05)
        [hold] = desk.control.held("order-1")
        assert status(desk.public.ask_for_ticket("order-1")) == 201
        desk.control.release(hold["id"])
        assert desk.control.tickets("order-1") == ["T-1001", "T-1002"]


@pytest.mark.parametrize("path", ["/operations/order-1", "/keys/order-1"])
def test_without_keys_nothing_is_found_by_one(path):
    with desk_on({"mechanism": "none"}) as desk:
        answer = told(desk.public.ask_for_ticket("order-1"))
        assert (answer["key"], answer["parcel"]) == (None, "Cedar")
        assert status(desk.public.get(path)) == 501
        assert status(desk.public.close("order-1")) == 501
