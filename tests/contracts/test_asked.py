"""What a stored request says by its contract, and what a lookup can ask about it."""

import pytest

from operations.contracts.asked import (
    Unaskable,
    bound_of,
    carried_identity,
    effect_sentence,
    question,
    subject_digest,
)
from operations.contracts.places import MISSING, UNREADABLE
from tests.contracts.documents import contract, request, rule, unchecked

BY_WINDOW = {
    "target": "/letters",
    "query": {"to": "{to}", "since": "{since}"},
    "carried_by": {"to": "/target/to"},
    "since": {"since": {"before_first_attempt": 60, "form": "epoch_seconds"}},
}


@pytest.mark.parametrize("key", ["", ".", ".."])
def test_a_lookup_by_what_the_request_does_not_carry_is_not_asked(key):
    with pytest.raises(Unaskable):
        question(contract(), "record", request=request(headers=(("idempotency-key", key),)))


def test_a_lookup_by_a_reference_is_not_asked_before_one_is_known():
    document = contract({"/channels/record/asks": {"target": "/by-id/{reference}"}})
    with pytest.raises(Unaskable):
        question(document, "record", request=request())


def test_a_lookup_from_a_time_is_not_asked_without_an_attempt():
    document = contract({"/channels/record/asks": BY_WINDOW, "/readings": [rule("r", correlation={"by": "identity"})]})
    with pytest.raises(Unaskable):
        question(document, "record", request=request())


def test_what_the_desk_can_not_ask_is_not_asked():
    with pytest.raises(Unaskable):
        question(contract(), "wire", request=request())


def test_a_question_escapes_what_it_asks_by():
    asked = question(contract(), "record", request=request(headers=(("idempotency-key", "../x?y#z/ä"),)))
    assert (asked.method, asked.target, asked.asked_by) == ("GET", "/letters/..%2Fx%3Fy%23z%2F%C3%A4", "identity")


def test_a_question_asks_from_before_the_first_attempt():
    asked = question(contract({"/channels/record/asks": BY_WINDOW}), "record", request=request(), first_sent_at=1000.9)
    assert (asked.target, asked.asked_by) == ("/letters?to=anna&since=940", "arguments")


def test_a_question_by_reference_says_which():
    document = contract({"/channels/record/asks": {"target": "/by-id/{reference}"}})
    asked = question(document, "record", request=request(), reference="e 1")
    assert (asked.target, asked.asked_by, asked.reference) == ("/by-id/e%201", "reference", "e 1")


@pytest.mark.parametrize(
    ("told", "to", "text"),
    [
        ({"target": "/parcels/anna"}, MISSING, "hello"),
        ({"target": "/letters/anna/copies"}, MISSING, "hello"),
        ({"body": None}, "anna", MISSING),
        ({"body": b"{"}, "anna", UNREADABLE),
        ({"target": "/letters/an%2Fna?x=1"}, "an/na", "hello"),
    ],
)
def test_an_argument_is_what_the_request_carries_or_nothing(told, to, text):
    bound = bound_of(contract(), request(**told))
    assert (bound.arguments["to"].value, bound.arguments["text"].value) == (to, text)


def test_the_identity_that_was_really_sent_is_told_apart_from_the_recorded_one():
    assert carried_identity(contract(), request(headers=(("IDEMPOTENCY-KEY", "other"),))) == "other"
    assert carried_identity(contract(), request(headers=())) is None


def test_the_effect_is_told_with_its_arguments():
    assert effect_sentence(contract(), request()) == "Send hello to anna"
    assert effect_sentence(contract(), request(body=None)) == "Send (text: nothing) to anna"


def test_operations_about_one_thing_have_one_subject():
    document = contract()
    assert subject_digest(document, request()) == subject_digest(document, request(body=b'{"text": "bye"}'))
    assert subject_digest(document, request()) != subject_digest(document, request(target="/letters/bert"))
    assert subject_digest(document, request(target="/elsewhere")) == ""


@pytest.mark.parametrize(
    ("target", "to"),
    [("/letters/", MISSING), ("/other/a/b", MISSING), ("/letters/a/b%20c", "a/b c"), ("/letters/a?x=/y", "a")],
)
def test_a_part_of_a_target_may_be_said_to_hold_slashes(target, to):
    document = unchecked({"/request/target": "/letters/{+to}"})
    assert bound_of(document, request(target=target)).arguments["to"].value == to


WIDE = {
    "/request/target": "/letters/{+to}",
    "/channels/record/asks": {"target": "/letters/{+to}", "carried_by": {"to": "/target/to"}},
}


@pytest.mark.parametrize("target", ["/letters/a/../b", "/letters/..%2Fb", "/letters/a/%2E%2E", "/letters/./a"])
def test_a_part_that_may_hold_slashes_climbs_nowhere(target):
    with pytest.raises(Unaskable):
        question(unchecked(WIDE), "record", request=request(target=target))


@pytest.mark.parametrize(
    ("target", "asked"), [("/letters/a/b%20c", "/letters/a/b%20c"), ("/letters/a%2Fb%3Fc%23", "/letters/a/b%3Fc%23")]
)
def test_a_part_that_may_hold_slashes_keeps_them_and_nothing_else(target, asked):
    assert question(unchecked(WIDE), "record", request=request(target=target)).target == asked
