"""Every closing request of the library fits the contract that it names: it is a request of that one, and heard on what that has."""

import pytest

from operations.contracts.asked import carried_identity, papers_of
from operations.contracts.channel import Kind
from operations.contracts.closing import closing_representation, names_reference
from operations.contracts.document import ClosingRequest
from operations.contracts.loading import library, library_text, load
from operations.contracts.places import MISSING
from operations.contracts.specimen import representation

DOCUMENTS = {name: load(library_text(name)) for name in library()}
CLOSINGS = {
    name: document.closing_request
    for name, document in DOCUMENTS.items()
    if isinstance(document.closing_request, ClosingRequest)
}
BY = {name: str(closing.contract) for name, closing in CLOSINGS.items()}
DESCRIBED = sorted(name for name, closing in CLOSINGS.items() if closing.contract is not None)


def sent(name):
    document = DOCUMENTS[name]
    reference = "ref_1" if names_reference(CLOSINGS[name]) else None
    return closing_representation(document, representation(document), number="close-1", reference=reference)


def test_what_is_documented_and_described():
    assert set(CLOSINGS) == {"collection-desk", "paypal-captures", "square-payments", "stripe-payment-intents"}
    assert DESCRIBED == ["collection-desk", "square-payments", "stripe-payment-intents"]


@pytest.mark.parametrize("name", DESCRIBED)
def test_it_is_a_request_of_the_contract_that_it_names(name):
    closing = DOCUMENTS[BY[name]]
    found = sent(name)
    assert found.method == closing.request.method
    assert papers_of(closing, found)["target"] is not MISSING
    assert carried_identity(closing, found) in {None, found.identity, DOCUMENTS[name].specimen.identity}


@pytest.mark.parametrize("name", DESCRIBED)
def test_it_is_heard_on_channels_that_the_desk_does_not_ask_by_itself(name):
    closing = DOCUMENTS[BY[name]]
    assert {closing.channels[channel].kind for channel in CLOSINGS[name].heard_on} == {Kind.REPLY}
    assert not any(closing.channels[channel].pollable for channel in CLOSINGS[name].heard_on)


@pytest.mark.parametrize("name", sorted(set(CLOSINGS) - set(DESCRIBED)))
def test_one_that_nobody_described_is_heard_nowhere(name):
    assert CLOSINGS[name].heard_on == {}


@pytest.mark.parametrize(
    ("name", "method", "target", "headers", "body"),
    [
        ("collection-desk", "POST", "/operations/order-1001/close", (), None),
        (
            "stripe-payment-intents",
            "POST",
            "/v1/payment_intents/ref_1/cancel",
            (("idempotency-key", "close-1"),),
            None,
        ),
        (
            "square-payments",
            "POST",
            "/v2/payments/cancel",
            (("content-type", "application/json"),),
            b'{"idempotency_key": "123456"}',
        ),
    ],
)
def test_what_goes_out(name, method, target, headers, body):
    found = sent(name)
    assert (found.method, found.target, found.headers, found.body) == (method, target, headers, body)
