"""An issue is tied by its reply or by a number that is known; a list shows candidates only."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case, named

ISSUE = {"number": 1347, "title": "Found a bug", "body": "I'm having a problem with this.", "state": "open"}


def lost() -> Case:
    """Return an issue whose reply was lost."""
    case = Case("github-issues")
    case.send()
    case.learn("wire", fact="timeout")
    return case


def test_an_issue_that_looks_alike_may_be_somebody_else_s():
    case = lost()
    assert case.learn("list", status=200, json_body=[ISSUE]).correlation is Correlation.ARGUMENTS
    assert case.standing().evidence is Evidence.UNKNOWN
    assert "record" not in case.may()


@pytest.mark.parametrize(("channel", "status"), [("list", 200), ("issue", 404), ("issue", 410), ("issue", 301)])
def test_gone_and_not_listed_are_not_never(channel, status):
    case = lost()
    case.references.add("1347")
    body = [] if channel == "list" else {"message": "Not Found"}
    assert case.learn(channel, status=status, json_body=body).says is Claim.INDETERMINATE
    assert case.standing().evidence is Evidence.UNKNOWN


def test_nothing_is_known_to_protect_a_repeat():
    case = lost()
    assert case.standing().protection is Protection.UNESTABLISHED
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


def test_another_title_on_our_connection_is_a_mismatch():
    case = Case("github-issues")
    case.send()
    reading = case.learn("reply", status=201, json_body=ISSUE | {"title": "Found another bug"})
    assert reading.correlation is Correlation.MISMATCH


def test_the_list_is_asked_from_just_before_the_first_attempt():
    document = named("github-issues")
    asked = question(document, "list", request=representation(document), first_sent_at=SENT_AT)
    assert asked.target.startswith("/repos/octocat/Hello-World/issues?state=all&")
    assert "since=2027-01-15T07%3A55%3A00Z" in asked.target


def test_the_reply_shows_the_issue_and_its_number_finds_it_though_it_was_edited():
    case = Case("github-issues")
    case.send()
    assert case.learn("reply", status=201, json_body=ISSUE).says is Claim.APPLIED
    edited = ISSUE | {"title": "Found a bug (solved)", "state": "closed"}
    found = case.learn("issue", at=SENT_AT + 30, status=200, json_body=edited, reference="1347")
    assert found.correlation is Correlation.OPERATION
    assert (case.standing().evidence, case.standing().effect_refs) == (Evidence.APPLIED, ("1347",))
