"""A transfer is asked for by its authorization, which the request carried, though its reply was lost."""

import json

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.standing import Evidence, Finality
from tests.contracts.library_readings import SENT_AT, Case, named

ID = "460cbe92-2dcc-8eae-5ad6-b37d0ec90fd9"
TRANSFER = {
    "id": ID,
    "authorization_id": "c9f90aa1-2949-c799-e2b6-ea05c89bb586",
    "account_id": "3gE5gnRzNyfXpBK5wEEKcymJ5albGVUqg77gr",
    "amount": "12.34",
    "description": "payment",
    "status": "settled",
}
POSTED = {"transfer_id": ID, "account_id": TRANSFER["account_id"], "transfer_amount": "12.34", "event_type": "posted"}


def lost() -> Case:
    """Return a transfer whose reply was a server error, after which one may still be made."""
    case = Case("plaid-transfers")
    case.send()
    case.learn("reply", status=500, json_body={"error_type": "API_ERROR", "error_code": "INTERNAL_SERVER_ERROR"})
    return case


def test_after_a_server_error_nothing_is_known_and_nothing_may_be_sent():
    case = lost()
    assert case.standing().evidence is Evidence.UNKNOWN
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


def test_an_answer_without_the_transfer_is_no_sign_that_there_is_none():
    missing = {"error_type": "INVALID_INPUT", "error_code": "INVALID_FIELD"}
    assert lost().learn("transfer", status=400, json_body=missing).says is Claim.INDETERMINATE


@pytest.mark.parametrize("other", [{"authorization_id": "00000000-0000-4000-8000-000000000000"}, {"amount": "99.00"}])
def test_a_transfer_that_differs_in_anything_bound_is_another_one(other):
    reading = lost().learn("transfer", status=200, json_body={"transfer": TRANSFER | other})
    assert reading.correlation is Correlation.MISMATCH


def test_a_transfer_that_failed_does_not_close_the_authorization():
    case = lost()
    case.learn("transfer", status=200, json_body={"transfer": TRANSFER | {"status": "failed"}})
    assert case.standing().evidence is Evidence.UNKNOWN
    assert "propose_new" not in case.may()


def test_an_event_of_another_transfer_ties_nothing():
    case = lost()
    case.references.add(ID)
    events = {"transfer_events": [POSTED | {"transfer_id": "0f0f0f0f-0000-4000-8000-000000000001"}]}
    assert case.learn("events", status=200, json_body=events).correlation is not Correlation.OPERATION


def test_the_question_is_a_post_that_only_reads_and_carries_the_authorization():
    document = named("plaid-transfers")
    asked = question(document, "transfer", request=representation(document))
    assert (asked.method, asked.target, asked.asked_by) == ("POST", "/transfer/get", "identity")
    assert json.loads(asked.body or b"") == {"authorization_id": TRANSFER["authorization_id"]}
    assert ("plaid-client-id", "client-1") in asked.headers


def test_a_pending_transfer_is_followed_by_its_events():
    case = lost()
    case.learn("transfer", status=200, json_body={"transfer": TRANSFER | {"status": "pending"}})
    assert (case.standing().evidence, case.standing().finality) == (Evidence.PENDING, Finality.POSSIBLE)
    read = case.learn("events", at=SENT_AT + 50, status=200, json_body={"transfer_events": [POSTED]}, reference=ID)
    assert (read.says, read.correlation) == (Claim.APPLIED, Correlation.OPERATION)
    assert case.standing().evidence is Evidence.APPLIED
