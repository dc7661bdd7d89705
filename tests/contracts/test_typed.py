"""What a person types at an inspection: what the rules look at, nothing given, written as the contract reads it."""

import json
from typing import Any

import pytest

from operations.contracts.answer import Answer
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of, library, library_text
from operations.contracts.specimen import representation
from operations.contracts.typed import NotTyped, asked_of, body_of, inspected
from operations.core.representation import Representation
from operations.core.strict_json import pointer_parts

DESK = document_of(library_text("collection-desk"))
REQUEST = Representation(
    method="POST",
    target="/desks/East/tickets",
    headers=(("idempotency-key", "order-1001"),),
    body=b'{"parcel": "Cedar"}',
    arguments=None,
    scope="",
    identity="order-1001",
)
WHOLE = {"/body/key": "order-1001", "/body/place": "East", "/body/parcel": "Cedar"}


def read(typed: dict[str, Any], *, document=DESK, channel: str = "counter"):
    body = body_of(document, channel, typed=typed, request=REQUEST)
    return interpret(
        document, request=REQUEST, answer=Answer(channel=channel, received_at=1.0, authentic=True, body=body)
    )


def test_only_channels_that_a_person_reads_are_inspected():
    assert list(inspected(DESK)) == ["counter"]


def test_a_form_asks_for_what_the_rules_look_at_and_for_the_echoes():
    asked = {one.place: (one.label, one.values, one.echoes) for one in asked_of(DESK, "counter")}
    assert asked == {
        "/body/state": ("State", ("issued", "closed", "absent"), False),
        "/body/ticket": ("Ticket number", (), False),
        "/body/key": ("Request number", (), True),
        "/body/place": ("Place", (), True),
        "/body/parcel": ("Parcel", (), True),
    }


def test_what_is_not_read_as_json_can_not_be_typed():
    channel = DESK.channels["counter"].model_copy(update={"body": "text"})
    document = DESK.model_copy(update={"channels": {**DESK.channels, "counter": channel}})
    with pytest.raises(NotTyped, match="field by field"):
        asked_of(document, "counter")


def test_what_was_typed_is_read_like_any_answer():
    found = read({**WHOLE, "/body/state": "issued", "/body/ticket": "T-1"})
    assert (found.says, found.correlation, found.effect_refs) == ("applied", "operation", ("T-1",))


@pytest.mark.parametrize("place", sorted(WHOLE))
def test_an_echo_that_was_typed_otherwise_is_a_mismatch(place):
    found = read({**WHOLE, "/body/state": "issued", "/body/ticket": "T-1", place: "another"})
    assert found.correlation == "mismatch"


def test_what_was_not_shown_is_left_out_and_ties_nothing():
    found = read({"/body/state": "issued", "/body/ticket": "T-1"})
    assert found.correlation not in ("operation", "mismatch")
    assert json.loads(body_of(DESK, "counter", typed={"/body/state": "closed"}, request=REQUEST)) == {"state": "closed"}


def test_a_word_that_no_rule_knows_settles_nothing():
    assert read({**WHOLE, "/body/state": "lost"}).says == "indeterminate"


def test_what_was_typed_beside_the_form_goes_nowhere():
    body = body_of(DESK, "counter", typed={**WHOLE, "/body/closure": "identity", "/status": 200}, request=REQUEST)
    assert set(json.loads(body)) == {"key", "place", "parcel"}


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("2000", b"2000"),
        ("2000.50", b"2000.50"),
        ("2,000", b'"2,000"'),
        ("0x7d0", b'"0x7d0"'),
        ("1e9999", b'"1e9999"'),
        ("NaN", b'"NaN"'),
        ("٢٠٠٠", '"٢٠٠٠"'.encode()),
    ],
)
def test_a_number_is_written_as_a_number_only_where_it_is_one(typed, written):
    stripe = document_of(library_text("stripe-refunds"))
    request = Representation(
        method="POST",
        target="/v1/refunds",
        headers=(("idempotency-key", "r-1"), ("content-type", "application/x-www-form-urlencoded")),
        body=b"amount=2000&payment_intent=pi_1",
        arguments=None,
        scope="",
        identity="r-1",
    )
    payments = document_of(library_text("stripe-payment-intents"))
    body = body_of(payments, "dashboard", typed={"/body/amount_received": typed}, request=request)
    assert body == b'{"amount_received": ' + written + b"}"
    assert [one.counts for one in asked_of(stripe, "dashboard") if one.place == "/body/status"] == [False]


def placed(body: Any, place: str) -> Any:
    """What stands at a place of an example's body, None where nothing does."""
    for part in pointer_parts(place)[1:]:
        body = body[int(part)] if isinstance(body, list) else (body or {}).get(part)
    return body


def as_typed(value: Any) -> Any:
    """A value as a person types it, or chooses it."""
    return value if isinstance(value, bool | str) else json.dumps(value)


def examples():
    for name in library():
        document = document_of(library_text(name))
        for channel in inspected(document):
            for _, rule in document.rules_of(channel):
                for example in rule.examples:
                    yield pytest.param(document, rule, example, id=f"{name}-{rule.rule}-{example.name}")


@pytest.mark.parametrize(("document", "rule", "example"), list(examples()))
def test_every_example_of_an_inspection_in_the_library_can_be_typed_and_is_read_the_same(document, rule, example):
    places = [one.place for one in asked_of(document, rule.channel)]
    seen = {place: placed(example.answer.body, place) for place in places}
    typed = {place: as_typed(value) for place, value in seen.items() if value is not None}
    request = representation(document)
    body = body_of(document, rule.channel, typed=typed, request=request)
    found = interpret(
        document,
        request=request,
        answer=Answer(channel=rule.channel, received_at=1.0, authentic=True, body=body),
        references=frozenset(example.answer.known_references),
    )
    wanted = example.reads
    assert (found.rule, found.says) == (wanted.rule or rule.rule, wanted.says or rule.says)
    assert found.correlation == wanted.correlation
    assert wanted.effect_refs is None or found.effect_refs == wanted.effect_refs
