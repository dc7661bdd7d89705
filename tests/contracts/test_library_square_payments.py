"""A Square payment: no stated retention, so nothing that could be repeated on trust."""

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case, named

PAYMENT = {
    "id": "R2B3Z8WMVt3EAmzYWLZvz7Y69EbZY",
    "amount_money": {"amount": 1000, "currency": "USD"},
    "customer_id": "W92WH6P11H4Z77CTET0RNTGFW8",
    "location_id": "L88917AVBK2S5",
    "reference_id": "123456",
    "status": "COMPLETED",
}


def lost() -> Case:
    """Return a payment whose reply was lost."""
    case = Case("square-payments")
    case.send()
    case.learn("wire", fact="reset")
    return case


def test_no_repeat_is_permitted_on_a_retention_that_nobody_published():
    case = lost()
    assert case.standing().protection_reason is ProtectionReason.OUTCOMES_NOT_COVERED
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


def test_a_list_that_lags_is_no_sign_that_no_money_was_taken():
    case = lost()
    assert case.learn("list", status=200, json_body={"payments": []}).says is Claim.INDETERMINATE
    assert case.learn("list", status=200, json_body={}).says is Claim.INDETERMINATE
    assert case.standing().evidence is Evidence.UNKNOWN


def test_another_amount_under_our_reference_is_not_our_payment():
    other = PAYMENT | {"amount_money": {"amount": 900, "currency": "USD"}}
    assert lost().learn("list", status=200, json_body={"payments": [other]}).correlation is Correlation.MISMATCH


def test_an_approved_payment_is_still_under_way():
    case = lost()
    assert (
        case.learn("reply", status=200, json_body={"payment": PAYMENT | {"status": "APPROVED"}}).says is Claim.PENDING
    )
    assert case.standing().evidence is Evidence.PENDING


def test_a_key_that_was_used_for_something_else_refuses_this_attempt_only():
    body = {"errors": [{"category": "INVALID_REQUEST_ERROR", "code": "IDEMPOTENCY_KEY_REUSED"}]}
    reading = lost().learn("reply", status=400, json_body=body)
    assert (reading.says, reading.covers_copies) == (Claim.ATTEMPT_REFUSED, False)


def test_the_list_is_asked_by_location_and_time_and_looked_through_for_our_reference():
    document = named("square-payments")
    asked = question(document, "list", request=representation(document), first_sent_at=SENT_AT)
    assert "begin_time=2027-01-15T07%3A55%3A00Z&location_id=L88917AVBK2S5" in asked.target
    case = lost()
    found = case.learn("list", status=200, json_body={"payments": [PAYMENT | {"reference_id": "7"}, PAYMENT]})
    assert (found.says, found.effect_refs) == (Claim.APPLIED, (PAYMENT["id"],))
    assert case.standing().evidence is Evidence.APPLIED
