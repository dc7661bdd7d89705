"""An Adyen payment is settled by its own reply alone, and protected for the shorter of two stated weeks."""

import pytest

from operations.contracts.channel import Kind
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection
from operations.core.standing import Evidence
from tests.contracts.library_readings import DAY, SENT_AT, Case

KEY = (("Idempotency-Key", "YOUR_ORDER_NUMBER"),)
PAYMENT = {
    "pspReference": "PPKFQ89R6QRXGN82",
    "resultCode": "Authorised",
    "amount": {"currency": "USD", "value": 40000},
    "merchantReference": "YOUR_ORDER_NUMBER",
}


def lost() -> Case:
    """Return a payment whose reply was lost."""
    case = Case("adyen-payments")
    case.send()
    case.learn("wire", fact="timeout")
    return case


def test_a_lost_reply_leaves_nothing_that_the_desk_could_ask():
    assert not [channel for channel in lost().document.channels.values() if channel.kind is Kind.LOOKUP]


def test_an_answer_that_repeats_no_key_is_not_counted():
    case = lost()
    assert case.learn("reply", status=200, json_body=PAYMENT).correlation is Correlation.ARGUMENTS
    assert case.standing().evidence is Evidence.UNKNOWN


@pytest.mark.parametrize("result", ["Error", "PartiallyAuthorised", "Success", "AuthenticationFinished"])
def test_a_result_that_says_neither_yes_nor_no_settles_nothing(result):
    reading = lost().learn("reply", status=200, headers=KEY, json_body=PAYMENT | {"resultCode": result})
    assert reading.says is Claim.INDETERMINATE


def test_a_merchant_reference_need_not_be_unique():
    assert lost().learn("customer_area", json_body=PAYMENT).correlation is Correlation.ARGUMENTS


def test_a_refused_payment_says_nothing_about_copies():
    case = lost()
    reading = case.learn("reply", status=200, headers=KEY, json_body=PAYMENT | {"resultCode": "Refused"})
    assert (reading.says, reading.covers_copies) == (Claim.ATTEMPT_REFUSED, False)
    assert "propose_new" not in case.may()


def test_a_repeat_is_harmless_for_a_week_by_the_shorter_of_two_statements():
    case = lost()
    assert case.standing(SENT_AT + 7 * DAY - 301).protection is Protection.ACTIVE
    assert case.standing(SENT_AT + 7 * DAY).protection is Protection.UNESTABLISHED


def test_an_authorisation_with_our_key_order_and_amount_settles_it():
    case = lost()
    case.send(SENT_AT + 60)
    assert case.learn("reply", at=SENT_AT + 61, status=200, headers=KEY, json_body=PAYMENT).says is Claim.APPLIED
    assert case.standing(SENT_AT + 90).effect_refs == ("PPKFQ89R6QRXGN82",)
