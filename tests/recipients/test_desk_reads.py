"""What the desk says when it is asked: strongly, of the present, late, from a cache, or untruly."""

from email.utils import parsedate_to_datetime

import pytest

from tests.recipients.client import Facts
from tests.recipients.collection_desk import clock
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import CollectionDesk, desk_on

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def header(facts: Facts, name: str) -> str:
    assert facts.reply is not None
    return facts.reply.headers[name]


def dated(facts: Facts) -> float:
    return parsedate_to_datetime(header(facts, "date")).timestamp()


# The strong record.


def test_absence_says_what_it_covers(collection_desk: CollectionDesk):
    facts = collection_desk.public.get("/operations/order-1")
    assert (status(facts), told(facts)["state"], told(facts)["key"]) == (404, "absent", "order-1")
    assert "may still come" in told(facts)["covers"]


def test_the_record_is_dated_by_the_desk():
    with desk_on(clock=clock.stopped(NOON)) as desk:
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(90)
        facts = desk.public.get("/operations/order-1")
        assert told(facts)["as_of"] == "2026-01-01T12:01:30.000Z"
        assert told(facts)["received_at"] == "2026-01-01T12:00:00.000Z"
        assert dated(facts) == NOON + 90


def test_the_record_keeps_what_was_collected_and_the_list_does_not(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    assert collection_desk.public.listed("East") == ["T-1001"]
    collection_desk.control.collect("T-1001")
    assert collection_desk.public.listed("East") == []
    assert collection_desk.public.operation("order-1")["ticket"]["collected_at"] is not None
    assert told(collection_desk.public.get("/tickets/T-1001"))["key"] == "order-1"


def test_a_ticket_is_found_by_its_number(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1", place="West", parcel="Elm")
    found = told(collection_desk.public.get("/tickets/T-1001"))
    assert (found["key"], found["place"], found["parcel"]) == ("order-1", "West", "Elm")
    assert status(collection_desk.public.get("/tickets/T-1002")) == 404


def test_what_has_not_changed_is_not_sent_again(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    tag = header(collection_desk.public.get("/operations/order-1"), "etag")
    collection_desk.control.advance(60)
    assert status(collection_desk.public.get("/operations/order-1", If_None_Match=tag)) == 304
    collection_desk.control.collect("T-1001")
    assert status(collection_desk.public.get("/operations/order-1", If_None_Match=tag)) == 200


def test_two_tickets_under_one_key_are_both_shown(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    collection_desk.control.forget("order-1")
    collection_desk.public.ask_for_ticket("order-1")
    shown = collection_desk.public.operation("order-1")["tickets"]
    assert [ticket["number"] for ticket in shown] == ["T-1001", "T-1002"]


def test_strangers_read_nothing(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    stranger = collection_desk.as_account("of nobody")
    paths = ["/operations/order-1", "/tickets/T-1001", "/desks/East/tickets", "/search?parcel=Cedar", "/keys/order-1"]
    assert [status(stranger.get(path)) for path in paths] == [401] * len(paths)


def test_a_read_can_be_put_off(collection_desk: CollectionDesk):
    collection_desk.control.tell(door="operation", handling="turn_away", status=503)
    assert status(collection_desk.public.get("/operations/order-1")) == 503
    assert status(collection_desk.public.get("/operations/order-1")) == 404


# The list, a page at a time.


def test_a_list_goes_on_where_its_page_ends(collection_desk: CollectionDesk):
    for number in range(101):
        collection_desk.public.ask_for_ticket(f"order-{number}")
    first = told(collection_desk.public.get("/desks/East/tickets"))
    assert (len(first["tickets"]), first["next_after"]) == (100, "T-1100")
    rest = told(collection_desk.public.get("/desks/East/tickets?after=T-1100"))
    assert ([ticket["number"] for ticket in rest["tickets"]], rest["next_after"]) == (["T-1101"], None)


# The index.


def test_the_index_is_some_changes_behind():
    with desk_on({"search_lag": 2}) as desk:
        for number in (1, 2, 3):
            desk.public.ask_for_ticket(f"order-{number}")
        assert desk.public.found("Cedar") == ["T-1001"]
        assert desk.public.listed("East") == ["T-1001", "T-1002", "T-1003"]


def test_an_index_that_is_held_stands_still_until_it_catches_up(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    collection_desk.control.terms(search_lag="held")
    collection_desk.public.ask_for_ticket("order-2")
    collection_desk.control.collect("T-1001")
    assert collection_desk.public.found("Cedar") == ["T-1001"]
    collection_desk.control.catch_up()
    assert collection_desk.public.found("Cedar") == ["T-1002"]


# The cache.


def test_a_cached_absence_outlives_the_truth_and_says_how_old_it_is():
    with desk_on({"absent_cached_for": 60}, clock=clock.stopped(NOON)) as desk:
        assert header(desk.public.get("/operations/order-1"), "age") == "0"
        desk.public.ask_for_ticket("order-1")
        desk.control.advance(59)
        facts = desk.public.get("/operations/order-1")
        assert (status(facts), header(facts, "age"), header(facts, "cache-control")) == (404, "59", "max-age=60")
        assert dated(facts) == NOON
        assert told(facts)["as_of"] == "2026-01-01T12:00:00.000Z"
        desk.control.advance(1)
        assert status(desk.public.get("/operations/order-1")) == 200


def test_a_cache_is_passed_by_on_demand():
    with desk_on({"absent_cached_for": 60}) as desk:
        desk.public.get("/operations/order-1")
        desk.public.ask_for_ticket("order-1")
        assert status(desk.public.get("/operations/order-1", Cache_Control="no-cache")) == 200
        assert status(desk.public.get("/operations/order-1")) == 200


# Contradictions.


def test_the_record_can_deny_what_it_said(collection_desk: CollectionDesk):
    collection_desk.public.ask_for_ticket("order-1")
    collection_desk.control.tell(door="operation", key="order-1", says="absent")
    assert collection_desk.public.operation("order-1")["state"] == "absent"
    assert collection_desk.public.operation("order-1")["state"] == "issued"
    assert collection_desk.control.tickets("order-1") == ["T-1001"]


@pytest.mark.parametrize("says", ["received", "pending", "issued", "refused", "closed", "failed"])
def test_the_record_can_say_what_is_not_so(collection_desk: CollectionDesk, says):
    collection_desk.control.tell(door="operation", says=says)
    answer = collection_desk.public.operation("order-1")
    assert (answer["key"], answer["state"]) == ("order-1", says)
    assert (answer["ticket"] is not None) == (says == "issued")
    assert (answer["closure"] is not None) == (says == "closed")
    assert collection_desk.control.truth("order-1")["acts"] == []
