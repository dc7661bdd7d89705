"""A closing request that names the recipient's own reference, under a number of its own: Stripe's, from the library."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from escalation.models import CloseOriginal
from escalation.policy import Role
from operations import models
from operations.binding import binding_of
from operations.contracts.closing import CannotClose
from operations.contracts.loading import library_text
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.core.standing import Situation
from operations.recording import Intent, NotPermitted, Origin, Report, begin, register, seal
from operations.reporting import report
from tests.escalation.building import contract_of
from tests.escalation.closings import decided, now, original, told
from tests.escalation.people import with_role
from tests.operations.rows import BY

pytestmark = pytest.mark.django_db
INTENT = "pi_3MtwBwLkdIwHu7ix28a3tqPa"
BODY = b"amount=2000&currency=usd&customer=cus_NffrFeUfNV2Hib&metadata[operation]=order-1001"


def request() -> Representation:
    return Representation(
        method="POST",
        target="/v1/payment_intents",
        headers=(("idempotency-key", "order-1001"),),
        body=BODY,
        arguments=None,
        scope="account one",
        identity="order-1001",
    )


def intent(status: str, *, received: int = 0, number: str | None = "order-1001", **more: Any) -> dict[str, Any]:
    """A payment intent as Stripe shows it."""
    shown = {"id": INTENT, "object": "payment_intent", "amount": 2000, "amount_received": received, "currency": "usd"}
    metadata = {} if number is None else {"operation": number}
    return {**shown, "customer": "cus_NffrFeUfNV2Hib", "metadata": metadata, "status": status, **more}


@pytest.fixture
def made() -> UUID:
    """A payment whose answer was lost; it is known that it was sent, and no more."""
    contract_of(library_text("stripe-payment-intents"), key="stripe", name="Stripe")
    contract_of(library_text("stripe-payment-intent-cancels"), key="stripe-cancels", name="Stripe, cancelling")
    under = models.Contract.objects.get(recipient__key="stripe")
    binding = binding_of(under, request(), origin=Origin(agent="shop"))
    begun = Intent(attempt="a1", sends=Sends.ONE, scope="account one", begun_at=now())
    found = register(binding, intent=begun, now=now(), by=BY)
    seal(found.operation_id, now=now(), by=BY)
    return found.operation_id


@pytest.fixture
def mira():
    """Somebody who may have operations closed."""
    return with_role("mira", Role.OPERATOR)


def declined(made: UUID) -> None:
    """The card was declined: an answer that counts and names the intent, which stays open."""
    body = {
        "error": {"type": "card_error", "code": "card_declined", "payment_intent": intent("requires_payment_method")}
    }
    told(made, channel="reply", attempt="a1", status=402, body=body)


def answered(row: CloseOriginal, status: int, body: dict[str, Any]) -> Situation:
    """The agent sends what closes it, and reports this answer; what is known of the original then."""
    begun = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(row.closing_id, begun, now=now(), by="key", grant=row.grant_id)
    told(row.closing_id, channel="reply", attempt="c1", status=status, raw=json.dumps(body).encode())
    return Situation(original(row).situation)


def test_while_nobody_named_the_intent_there_is_nothing_to_cancel(made, mira):
    with pytest.raises(CannotClose, match="payment intent is not known"):
        decided(made, mira, executor="agent")
    assert not models.Closing.objects.exists()


def test_it_names_the_intent_and_carries_a_number_of_its_own(made, mira):
    declined(made)
    row = decided(made, mira, executor="agent")
    assert row.closing.target == f"/v1/payment_intents/{INTENT}/cancel"
    assert row.closing.identity.startswith("close-")
    assert row.closing.headers == [["idempotency-key", row.closing.identity]]
    assert row.closing.identity_known
    assert models.Closing.objects.get().reference == INTENT


def test_two_closings_of_two_decisions_have_two_numbers(made, mira):
    declined(made)
    first = decided(made, mira, executor="agent")
    answered(first, 200, intent("canceled", number="order-2002", canceled_at=now().timestamp() // 1))
    second = decided(made, mira, executor="agent")
    assert first.closing.identity != second.closing.identity


def lost(row: CloseOriginal) -> None:
    """The agent sent what closes it and read no answer."""
    begun = Intent(attempt="c1", sends=Sends.ONE, scope="account one", begun_at=now())
    begin(row.closing_id, begun, now=now(), by="key", grant=row.grant_id)
    unheard = Report(event="w", channel="wire", received_at=now(), authentic=True, attempt="c1", fact="timeout")
    report(row.closing_id, unheard, now=now(), source=BY)


def test_while_the_same_request_can_be_sent_again_there_is_no_other(made, mira):
    declined(made)
    lost(decided(made, mira, executor="agent"))
    with pytest.raises(NotPermitted, match="authorised already"):
        decided(made, mira, executor="agent", at=now() + timedelta(hours=23))


def test_once_it_is_not_protected_any_more_another_may_be_sent(made, mira):
    declined(made)
    first = decided(made, mira, executor="agent")
    lost(first)
    second = decided(made, mira, executor="agent", at=now() + timedelta(hours=25))
    assert first.closing.identity != second.closing.identity
    assert models.Closing.objects.count() == 2


def test_a_cancelled_intent_of_our_number_closes_the_payment(made, mira):
    declined(made)
    row = decided(made, mira, executor="agent")
    at = int(now().timestamp()) + 1
    assert answered(row, 200, intent("canceled", canceled_at=at)) is Situation.CLOSED
    kept = models.Observation.objects.get(operation_id=made, channel="closing_reply")
    assert kept.reference == INTENT


def test_a_refusal_that_quotes_a_succeeded_intent_is_a_receipt(made, mira):
    declined(made)
    row = decided(made, mira, executor="agent")
    error = {"type": "invalid_request_error", "payment_intent": intent("succeeded", received=2000)}
    assert answered(row, 400, {"error": error}) is Situation.APPLIED


@pytest.mark.parametrize(
    "error",
    [
        {"type": "invalid_request_error", "code": "payment_intent_unexpected_state"},
        {"type": "invalid_request_error", "payment_intent": intent("succeeded", received=2000, number=None)},
        {"type": "invalid_request_error", "payment_intent": intent("succeeded", received=2000, number="order-2002")},
    ],
    ids=["nothing is quoted", "no number is quoted", "another number is quoted"],
)
def test_any_other_refusal_settles_nothing(made, mira, error):
    declined(made)
    row = decided(made, mira, executor="agent")
    assert answered(row, 400, {"error": error}) is Situation.OPEN
