"""A label of the caller's own finds an issue again; none found is not none opened."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.standing import Evidence
from tests.contracts.library_readings import Case, named

ISSUE = {
    "id": 84,
    "iid": 14,
    "project_id": 4,
    "title": "Issues with auth",
    "description": "Signing in fails.",
    "labels": ["op-17"],
}


def lost() -> Case:
    """Return an issue whose reply was lost."""
    case = Case("gitlab-issues")
    case.send()
    case.learn("wire", fact="timeout")
    return case


def test_an_empty_list_is_no_sign_that_nothing_was_opened():
    case = lost()
    assert case.learn("list", status=200, json_body=[]).says is Claim.INDETERMINATE
    assert {"repeat", "propose_new", "record"}.isdisjoint(case.may())


@pytest.mark.parametrize("other", [{"title": "Issues with mail"}, {"project_id": 5}, {"description": "It works."}])
def test_an_issue_with_our_label_that_differs_in_anything_bound_is_not_ours(other):
    assert lost().learn("list", status=200, json_body=[ISSUE | other]).correlation is Correlation.MISMATCH


def test_a_collision_that_comes_as_a_server_error_is_not_read_as_a_refusal():
    reading = lost().learn("reply", status=500, json_body={"message": "500 Internal Server Error"})
    assert reading.says is Claim.INDETERMINATE


def test_the_list_is_asked_by_the_label_that_the_request_carried():
    document = named("gitlab-issues")
    asked = question(document, "list", request=representation(document))
    assert asked.target == "/api/v4/projects/4/issues?labels=op-17&state=all&per_page=100"
    assert asked.asked_by == "identity"


def test_our_issue_is_found_and_a_second_one_is_a_duplicate():
    case = lost()
    assert case.learn("list", status=200, json_body=[ISSUE, ISSUE | {"id": 85, "iid": 15}]).says is Claim.APPLIED
    assert case.standing().evidence is Evidence.APPLIED
    assert case.standing().effect_refs == ("84", "85")
