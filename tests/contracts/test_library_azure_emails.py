"""An e-mail is asked for by the caller's own operation id, and a late repeat is refused without a word of the first."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case, named

ID = "F9168C5E-CEB2-4faa-B6BF-329BF39FA1E4"


def lost() -> Case:
    """Return an e-mail whose reply was lost."""
    case = Case("azure-emails")
    case.send()
    case.learn("wire", fact="reset")
    return case


def test_a_repeat_is_not_permitted_while_a_failure_would_be_run_again():
    case = lost()
    assert case.standing().protection_reason is ProtectionReason.OUTCOMES_NOT_COVERED
    assert "repeat" not in case.may()


def test_a_repeat_that_came_too_late_says_nothing_of_the_first():
    case = lost()
    case.send(SENT_AT + 600)
    late = {"error": {"code": "PreconditionFailed", "message": "not within the 5 minute window"}}
    reading = case.learn("reply", at=SENT_AT + 601, status=412, json_body=late)
    assert (reading.says, reading.covers_copies) == (Claim.ATTEMPT_REFUSED, False)
    assert case.standing(SENT_AT + 700).evidence is Evidence.UNKNOWN
    assert "propose_new" not in case.may(SENT_AT + 700)


@pytest.mark.parametrize("status", ["Failed", "Canceled"])
def test_an_operation_that_ended_without_success_may_have_reached_somebody(status):
    case = lost()
    assert case.learn("operation", status=200, json_body={"id": ID, "status": status}).says is Claim.INDETERMINATE
    assert "propose_new" not in case.may()


def test_an_operation_that_nobody_knows_is_no_sign_that_nothing_was_sent():
    unknown = {"error": {"code": "OperationNotFound"}}
    assert lost().learn("operation", status=404, json_body=unknown).says is Claim.INDETERMINATE


def test_another_operation_s_success_is_a_mismatch():
    other = {"id": "8540c0de-899f-5cce-acb5-3ec493af3800", "status": "Succeeded"}
    assert lost().learn("operation", status=200, json_body=other).correlation is Correlation.MISMATCH


def test_the_operation_is_asked_for_by_the_id_and_the_version_that_the_request_carried():
    document = named("azure-emails")
    asked = question(document, "operation", request=representation(document))
    assert (asked.target, asked.asked_by) == (f"/emails/operations/{ID}?api-version=2023-03-31", "identity")


def test_a_success_under_our_id_settles_it():
    case = lost()
    case.learn("operation", status=200, json_body={"id": ID, "status": "Running"})
    assert case.standing().evidence is Evidence.PENDING
    assert case.learn("operation", at=SENT_AT + 30, status=200, json_body={"id": ID, "status": "Succeeded"}).effect_refs
    assert case.standing().evidence is Evidence.APPLIED
