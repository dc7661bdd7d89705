"""What a message names, by which its operation is looked for: pointers, whatever the message claims."""

import json
from typing import Any

import pytest

from operations.contracts.answer import Answer
from operations.contracts.channel import Selects, Shows
from operations.contracts.loading import document_of, library_text
from operations.contracts.named import NOTHING, Named, named_in, text_at
from operations.contracts.rule import Reference

DESK = document_of(library_text("collection-desk"))


def told(body: Any, *, channel: str = "events", headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(channel=channel, received_at=1.0, authentic=True, headers=headers, body=raw)


def with_channel(**changes: Any):
    channel = DESK.channels["events"].model_copy(update=changes)
    return DESK.model_copy(update={"channels": {**DESK.channels, "events": channel}})


def test_a_channel_that_the_contract_does_not_list_names_nothing():
    assert named_in(DESK, told({"data": {"key": "k"}}, channel="nowhere")) == NOTHING


@pytest.mark.parametrize("key", [None, "", [], {}, True, "k" * 256, "k\x00", "k\ud800"], ids=lambda key: repr(key)[:12])
def test_what_no_row_can_be_found_by_is_no_name(key):
    assert named_in(DESK, told({"data": {"key": key}})) == NOTHING


def test_a_message_names_request_numbers_and_references_whatever_kind_it_is():
    body = {"type": "operation.praised", "data": {"key": "order-1", "ticket": {"number": "T-1"}}}
    assert named_in(DESK, told(body)) == Named(identities=frozenset({"order-1"}), references=frozenset({"T-1"}))


def test_a_number_is_named_by_its_characters():
    assert named_in(DESK, told(b'{"data": {"key": 1.0}}')).identities == {"1.0"}


def test_each_element_of_a_list_is_looked_at():
    document = with_channel(selects=Selects(each_of="/body/all"), shows=Shows(identity="/item/key"))
    body = {"all": [{"key": "a"}, {"key": "b"}, {"key": "a"}, {}]}
    assert named_in(document, told(body)).identities == {"a", "b"}
    assert named_in(document, told({"all": []})) == NOTHING


@pytest.mark.parametrize(("value", "found"), [("/v1/tickets/T-1", {"T-1"}), ("T-1", set()), ("/tickets/", set())])
def test_of_a_reference_only_what_stands_behind_its_mark_is_named(value, found):
    rules = [
        rule.model_copy(update={"effect_ref": Reference(at="/body/link", after="/tickets/")})
        for rule in DESK.readings
        if rule.rule == "told_issued"
    ]
    document = DESK.model_copy(update={"readings": tuple(rules)})
    assert named_in(document, told({"link": value})).references == found


def test_an_id_is_read_where_the_contract_says():
    answer = told({"id": 7}, headers=(("webhook-id", "msg_1"),))
    assert text_at(DESK, answer, "/headers/webhook-id") == "msg_1"
    assert text_at(DESK, answer, "/body/id") == "7"
    assert text_at(DESK, answer, "/body/nothing") is None
