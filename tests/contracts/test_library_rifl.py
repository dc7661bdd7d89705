"""Completion records: a repeat is harmless at any time, and a late one tells nothing of the first."""

import pytest

from operations.contracts.loading import Draft, selectable
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection
from operations.core.standing import Evidence
from tests.contracts.library_readings import DAY, SENT_AT, Case, named

DONE = {"rpc": "17:42", "state": "COMPLETED", "object": "counter-7", "operation": "increment", "result": {"version": 6}}


def test_a_design_without_a_wire_format_stays_a_draft():
    with pytest.raises(Draft):
        selectable(named("rifl"))


@pytest.mark.parametrize("state", ["STALE", "EXPIRED_LEASE"])
def test_a_repeat_that_comes_too_late_says_nothing_of_the_first(state):
    case = Case("rifl")
    case.send()
    case.send(SENT_AT + DAY)
    reading = case.learn("reply", at=SENT_AT + DAY + 1, status=409, json_body={"rpc": "17:42", "state": state})
    assert (reading.says, reading.covers_copies) == (Claim.ATTEMPT_REFUSED, False)
    assert case.standing(SENT_AT + DAY + 60).evidence is Evidence.UNKNOWN


def test_the_bare_result_of_another_implementation_ties_nothing():
    case = Case("rifl")
    case.send()
    reading = case.learn("reply", status=200, json_body={"state": "COMPLETED", "result": {"version": 6}})
    assert reading.correlation is Correlation.WEAK
    assert case.standing().evidence is Evidence.UNKNOWN


def test_a_repeat_stays_harmless_because_a_late_one_is_refused():
    case = Case("rifl")
    case.send()
    case.learn("wire", fact="reset")
    after_a_year = SENT_AT + 365 * DAY
    assert case.standing(after_a_year).protection is Protection.ACTIVE
    assert "repeat" in case.may(after_a_year)
    assert "propose_new" not in case.may(after_a_year)


def test_what_is_in_progress_is_not_repeated():
    case = Case("rifl")
    case.send()
    assert case.learn("reply", status=200, json_body={"rpc": "17:42", "state": "IN_PROGRESS"}).says is Claim.PENDING
    assert "repeat" not in case.may()


def test_the_record_of_the_first_is_what_a_repeat_gets():
    case = Case("rifl")
    case.send()
    case.learn("wire", fact="timeout")
    case.send(SENT_AT + 30)
    assert case.learn("reply", at=SENT_AT + 31, status=200, json_body=DONE).says is Claim.APPLIED
    standing = case.standing()
    assert (standing.evidence, standing.effect_refs, standing.further_effect) == (Evidence.APPLIED, ("6",), "excluded")
