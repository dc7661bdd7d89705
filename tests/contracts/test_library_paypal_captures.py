"""A PayPal capture is settled by what bears our invoice number, our authorization and our amount, and protected for 45 days."""

import pytest

from operations.contracts.asked import Unaskable, question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import DAY, SENT_AT, Case, named

INVOICE = "OrderInvoice-23_10_2024_12_27_32_pm"
ID = "74L756601X447022Y"
CAPTURE = {
    "id": ID,
    "status": "COMPLETED",
    "amount": {"currency_code": "USD", "value": "100.00"},
    "invoice_id": INVOICE,
    "supplementary_data": {"related_ids": {"authorization_id": "0T620041CK889853A"}},
}
MARGIN = 300


def lost() -> Case:
    """Return a capture whose reply was lost."""
    case = Case("paypal-captures")
    case.send()
    case.learn("wire", fact="timeout")
    return case


@pytest.mark.parametrize(
    "other",
    [
        {"invoice_id": "order-2002"},
        {"amount": {"currency_code": "USD", "value": "90.00"}},
        {"amount": {"currency_code": "EUR", "value": "100.00"}},
        {"supplementary_data": {"related_ids": {"authorization_id": "0VF52814937998046"}}},
    ],
)
def test_a_capture_that_differs_in_anything_bound_is_somebody_else_s(other):
    case = lost()
    assert case.learn("reply", status=201, json_body=CAPTURE | other).correlation is Correlation.MISMATCH
    assert case.standing().evidence is Evidence.UNKNOWN


def test_the_minimal_answer_shows_nothing_that_was_asked_for():
    case = lost()
    reading = case.learn("reply", status=201, json_body={"id": ID, "status": "COMPLETED", "links": []})
    assert (reading.says, reading.effect_refs) == (Claim.ACCEPTED, (ID,))
    assert case.standing().evidence is Evidence.UNKNOWN


def test_a_capture_can_not_be_looked_up_before_its_id_is_known():
    document = named("paypal-captures")
    with pytest.raises(Unaskable):
        question(document, "capture", request=representation(document))


def test_an_authorization_shows_a_person_something_and_settles_nothing():
    case = lost()
    for status in ("CAPTURED", "VOIDED"):
        case.learn("authorization", status=200, json_body={"id": "0T620041CK889853A", "status": status})
    assert case.standing().evidence is Evidence.UNKNOWN


@pytest.mark.parametrize("issue", ["AUTHORIZATION_ALREADY_CAPTURED", "DUPLICATE_INVOICE_ID", "AUTHORIZATION_VOIDED"])
def test_a_refused_repeat_says_nothing_of_the_first(issue):
    case = lost()
    case.send(SENT_AT + 30)
    body = {"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": issue}]}
    reading = case.learn("reply", at=SENT_AT + 31, status=422, json_body=body)
    assert (reading.says, reading.covers_copies) == (Claim.ATTEMPT_REFUSED, False)
    assert case.standing().evidence is Evidence.UNKNOWN
    assert "propose_new" not in case.may()


@pytest.mark.parametrize("status", ["DECLINED", "FAILED"])
def test_a_capture_that_failed_is_not_read_as_over(status):
    assert lost().learn("reply", status=201, json_body=CAPTURE | {"status": status}).says is Claim.INDETERMINATE


def test_a_repeat_is_harmless_for_45_days_and_not_a_moment_longer():
    case = lost()
    end = SENT_AT + 45 * DAY - MARGIN
    assert case.standing(end - 1).protection is Protection.ACTIVE
    assert "repeat" in case.may(end - 1)
    standing = case.standing(end)
    assert (standing.protection, standing.protection_reason) == (Protection.UNESTABLISHED, ProtectionReason.LAPSED)
    assert {"repeat", "propose_new"}.isdisjoint(case.may(end))


def test_an_id_from_the_minimal_answer_leads_to_the_capture():
    case = lost()
    case.learn("reply", status=201, json_body={"id": ID, "status": "COMPLETED"})
    assert case.learn("capture", status=200, json_body=CAPTURE, reference=ID).says is Claim.APPLIED
    assert (case.standing().evidence, case.standing().effect_refs) == (Evidence.APPLIED, (ID,))


def test_what_was_refunded_since_was_captured_before():
    case = lost()
    assert case.learn("reply", status=200, json_body=CAPTURE | {"status": "REFUNDED"}).says is Claim.APPLIED
    assert case.standing().evidence is Evidence.APPLIED
