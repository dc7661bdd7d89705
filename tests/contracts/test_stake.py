"""What is at stake by a request: refusals of contracts first, then what is not told, then what is."""

from decimal import Decimal
from typing import Any

import pytest

from operations.contracts.loading import library_text, load
from operations.contracts.stake import stake_of
from operations.core.representation import Representation
from tests.contracts.documents import contract, refused

STAKE = {"amount": "sum", "currency": "unit", "source": "docs"}
BOUND = {
    "to": {"at": "/target/to"},
    "text": {"at": "/body/text"},
    "sum": {"at": "/body/sum"},
    "unit": {"at": "/body/unit"},
}
PLACES = {
    "/identity/bound": BOUND,
    "/specimen/body": {"text": "hello", "sum": 1000, "unit": "eur"},
    "/channels/reply/shows/arguments": {name: f"/body/{name}" for name in BOUND},
    "/channels/record/shows/arguments": {name: f"/body/{name}" for name in BOUND},
}


def told(body: bytes, **stake: Any) -> tuple[Decimal, str] | None:
    request = Representation(
        method="POST",
        target="/letters/anna",
        headers=(("content-type", "application/json"), ("idempotency-key", "order-1")),
        body=body,
        arguments=None,
        scope="",
        identity="order-1",
    )
    return stake_of(contract({**PLACES, "/effect/stake": {**STAKE, **stake}}), request)


@pytest.mark.parametrize(
    ("changes", "place", "rule"),
    [
        ({"amount": "price"}, "/effect/stake/amount", "unknown_argument"),
        ({"currency": "money"}, "/effect/stake/currency", "unknown_argument"),
        ({"source": "nowhere"}, "/effect/stake/source", "unknown_source"),
        ({"source": "guess"}, "/effect/stake/source", "inferred"),
    ],
)
def test_a_stake_that_nobody_promised_is_refused(changes, place, rule):
    assert (place, rule) in refused({**PLACES, "/effect/stake": {**STAKE, **changes}})


@pytest.mark.parametrize("parts", [{}, {"eur": 100}, {"EURO": 100}, {"EUR": 0}, {"EUR": 2.5}])
def test_parts_are_counted_in_whole_numbers_of_a_currency(parts):
    assert refused({**PLACES, "/effect/stake": {**STAKE, "parts": parts}})


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "x", "unit": "eur"}',
        b'{"text": "x", "sum": 10}',
        b'{"text": "x", "sum": null, "unit": "eur"}',
        b'{"text": "x", "sum": "ten", "unit": "eur"}',
        b'{"text": "x", "sum": "NaN", "unit": "eur"}',
        b'{"text": "x", "sum": "Infinity", "unit": "eur"}',
        b'{"text": "x", "sum": -1, "unit": "eur"}',
        b'{"text": "x", "sum": 1e15, "unit": "eur"}',
        b'{"text": "x", "sum": true, "unit": "eur"}',
        b'{"text": "x", "sum": [10], "unit": "eur"}',
        b'{"text": "x", "sum": 10, "unit": "euro"}',
        b'{"text": "x", "sum": 10, "unit": 978}',
        b"no json",
    ],
)
def test_what_is_not_an_amount_of_a_currency_is_not_told(body):
    assert told(body) is None


def test_a_contract_that_is_silent_tells_nothing():
    request = Representation(
        method="POST", target="/letters/anna", headers=(), body=None, arguments=None, scope="", identity="order-1"
    )
    assert stake_of(contract({}), request) is None


def test_a_currency_whose_parts_are_not_listed_is_not_told():
    assert told(b'{"text": "x", "sum": 1000, "unit": "kwd"}', parts={"EUR": 100}) is None


@pytest.mark.parametrize(
    ("body", "parts", "amount"),
    [
        (b'{"text": "x", "sum": 10, "unit": "EUR"}', None, "10"),
        (b'{"text": "x", "sum": "10.50", "unit": "eur"}', None, "10.5"),
        (b'{"text": "x", "sum": 1e3, "unit": "eur"}', None, "1000"),
        (b'{"text": "x", "sum": 1050, "unit": "eur"}', {"EUR": 100}, "10.5"),
        (b'{"text": "x", "sum": 1050, "unit": "eur"}', {"EUR": 1}, "1050"),
        (b'{"text": "x", "sum": 0, "unit": "eur"}', {"EUR": 100}, "0"),
    ],
)
def test_an_amount_is_told_in_whole_units_of_its_currency(body, parts, amount):
    more = {} if parts is None else {"parts": parts}
    assert told(body, **more) == (Decimal(amount), "EUR")


def test_an_amount_is_never_told_too_small():
    assert told(b'{"text": "x", "sum": "10.00001", "unit": "eur"}') == (Decimal("10.0001"), "EUR")
    assert told(b'{"text": "x", "sum": 1, "unit": "eur"}', parts={"EUR": 3}) == (Decimal("0.3334"), "EUR")


@pytest.mark.parametrize(
    ("body", "stake"),
    [
        (b"amount=1050&currency=eur&customer=cus_1", (Decimal("10.5"), "EUR")),
        (b"amount=500&currency=jpy&customer=cus_1", (Decimal(500), "JPY")),
        (b"amount=5000&currency=kwd&customer=cus_1", None),
    ],
)
def test_stripes_payments_are_told_in_whole_units_of_the_currencies_that_are_listed(body, stake):
    request = Representation(
        method="POST",
        target="/v1/payment_intents",
        headers=(("content-type", "application/x-www-form-urlencoded"), ("idempotency-key", "order-1")),
        body=body,
        arguments=None,
        scope="account",
        identity="order-1",
    )
    assert stake_of(load(library_text("stripe-payment-intents")), request) == stake
