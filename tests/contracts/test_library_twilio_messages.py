"""Nothing protects a message, and only its reply or its SID ties one to a request."""

import pytest

from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case

SID = "SMb7c0a2ce80504485a6f653a7110836f5"
MESSAGE = {"sid": SID, "to": "+18182008801", "from": "+12019235161", "body": "testing", "status": "queued"}
TEN_HOURS = 36_000


def sent() -> Case:
    """Return a message that Twilio queued."""
    case = Case("twilio-messages")
    case.send()
    case.learn("reply", status=201, json_body=MESSAGE)
    return case


def test_nothing_protects_a_repeat():
    case = Case("twilio-messages")
    case.send()
    case.learn("reply", status=500, json_body={"code": 20500, "status": 500})
    standing = case.standing()
    assert (standing.protection, standing.protection_reason) == (Protection.ABSENT, ProtectionReason.CONTRACT_HAS_NONE)
    assert {"repeat", "propose_new", "record"}.isdisjoint(case.may())


def test_a_message_that_looks_alike_may_be_another_request_s():
    case = Case("twilio-messages")
    case.send()
    listed = {"messages": [MESSAGE | {"status": "sent"}], "page": 0}
    assert case.learn("list", status=200, json_body=listed).correlation is Correlation.ARGUMENTS
    assert case.standing().evidence is Evidence.UNKNOWN


def test_an_empty_list_is_no_sign_that_nothing_was_sent():
    case = Case("twilio-messages")
    case.send()
    assert case.learn("list", status=200, json_body={"messages": [], "page": 0}).says is Claim.INDETERMINATE


@pytest.mark.parametrize("status", ["partially_delivered", "receiving", "never heard of"])
def test_a_status_that_nobody_explains_is_read_as_nothing(status):
    reading = sent().learn("message", status=200, json_body=MESSAGE | {"status": status}, reference=SID)
    assert reading.says is Claim.INDETERMINATE


def test_a_queued_message_is_pending_until_it_is_too_old_to_be_sent():
    case = sent()
    assert case.standing(SENT_AT + TEN_HOURS).evidence is Evidence.PENDING
    assert case.standing(SENT_AT + TEN_HOURS + 60).evidence is Evidence.UNKNOWN


def test_a_redacted_message_is_still_the_one_of_its_sid():
    case = sent()
    redacted = MESSAGE | {"body": "", "status": "sent"}
    found = case.learn("message", at=SENT_AT + 60, status=200, json_body=redacted, reference=SID)
    assert (found.says, found.correlation) == (Claim.APPLIED, Correlation.OPERATION)
    assert case.standing(SENT_AT + 120).evidence is Evidence.APPLIED
