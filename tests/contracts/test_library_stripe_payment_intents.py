"""A payment intent settles by money received under our number, and closes by a cancellation before that."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection
from operations.core.standing import Evidence
from tests.contracts.library_readings import DAY, SENT_AT, Case, named

INTENT = {
    "id": "pi_3MtwBwLkdIwHu7ix28a3tqPa",
    "object": "payment_intent",
    "amount": 2000,
    "amount_received": 2000,
    "currency": "usd",
    "customer": "cus_NffrFeUfNV2Hib",
    "metadata": {"operation": "order-1001"},
    "status": "succeeded",
}


def lost() -> Case:
    """Return a payment whose reply was lost."""
    case = Case("stripe-payment-intents")
    case.send()
    case.learn("wire", fact="timeout")
    return case


@pytest.mark.parametrize("other", [{"metadata": {}, "customer": None}, {"metadata": {}}])
def test_a_payment_without_our_number_proves_nothing(other):
    case = lost()
    assert case.learn("reply", status=200, json_body=INTENT | other).correlation is not Correlation.OPERATION
    assert case.standing().evidence is Evidence.UNKNOWN


def test_a_kept_failure_is_not_a_failed_payment():
    case = lost()
    case.learn(
        "reply",
        status=500,
        headers=(("Idempotent-Replayed", "true"),),
        json_body={"error": {"type": "api_error"}},
    )
    assert case.standing().evidence is Evidence.UNKNOWN
    assert "propose_new" not in case.may()


def test_an_intent_that_was_cancelled_after_money_came_is_not_closed():
    cancelled = INTENT | {"status": "canceled"}
    assert lost().learn("intent", status=200, json_body=cancelled).says is not Claim.CLOSED


def test_a_repeat_is_harmless_for_a_day():
    case = lost()
    assert case.standing(SENT_AT + DAY - 121).protection is Protection.ACTIVE
    assert case.standing(SENT_AT + DAY).protection is Protection.UNESTABLISHED


def test_the_list_is_asked_by_customer_and_time_and_looked_through_for_our_number():
    document = named("stripe-payment-intents")
    asked = question(document, "list", request=representation(document), first_sent_at=SENT_AT)
    assert "customer=cus_NffrFeUfNV2Hib" in asked.target
    assert f"created%5Bgte%5D={int(SENT_AT) - 300}" in asked.target
    case = lost()
    found = case.learn("list", status=200, json_body={"object": "list", "has_more": False, "data": [INTENT]})
    assert (found.says, found.effect_refs) == (Claim.APPLIED, (INTENT["id"],))


def test_a_payment_that_was_cancelled_before_money_came_can_be_proposed_anew():
    case = lost()
    cancelled = INTENT | {"status": "canceled", "amount_received": 0}
    found = case.learn("list", status=200, json_body={"object": "list", "has_more": False, "data": [cancelled]})
    assert found.says is Claim.CLOSED
    assert case.standing().evidence is Evidence.NOT_APPLIED
    assert "propose_new" in case.may()
