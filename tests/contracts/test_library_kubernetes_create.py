"""A name protects while its object exists, and what is not there now may have been."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import SENT_AT, Case, named


def there(**meta):
    """Return the object of the specimen as the API server shows it, with other metadata where told."""
    sent = named("kubernetes-create").specimen.body
    assert isinstance(sent, dict)
    shown = {"name": "game-config", "namespace": "default", "uid": "b4952dc3-d670-11e5-8cd0-68f728db1985", **meta}
    return {**sent, "metadata": shown}


def lost() -> Case:
    """Return an object whose reply was lost."""
    case = Case("kubernetes-create")
    case.send()
    case.learn("wire", fact="reset")
    return case


def test_what_is_not_there_now_may_have_been_and_may_still_come():
    case = lost()
    gone = {"kind": "Status", "reason": "NotFound", "code": 404}
    assert case.learn("object", status=404, json_body=gone).says is Claim.INDETERMINATE
    assert case.standing().evidence is Evidence.UNKNOWN
    assert "propose_new" not in case.may()


def test_a_guarantee_that_ends_with_the_object_lets_no_repeat_go():
    standing = lost().standing()
    assert (standing.protection, standing.protection_reason) == (
        Protection.UNESTABLISHED,
        ProtectionReason.DEPENDS_ON_EXISTENCE,
    )
    assert "repeat" not in lost().may()


def test_a_name_that_is_taken_says_nothing_about_who_took_it():
    case = lost()
    case.send(SENT_AT + 30)
    taken = {"kind": "Status", "reason": "AlreadyExists", "code": 409}
    assert case.learn("reply", at=SENT_AT + 31, status=409, json_body=taken).says is Claim.ATTEMPT_REFUSED
    assert case.standing().evidence is Evidence.UNKNOWN


@pytest.mark.parametrize("other", [{"namespace": "kube-system"}, {"name": "other"}])
def test_an_object_elsewhere_is_another_one(other):
    assert lost().learn("object", status=200, json_body=there(**other)).correlation is Correlation.MISMATCH


def test_an_object_of_our_name_with_other_data_is_not_ours():
    changed = {**there(), "data": {"ui.properties": "color.good=green\n"}}
    assert lost().learn("object", status=200, json_body=changed).correlation is Correlation.MISMATCH


def test_the_object_is_asked_for_by_the_name_that_the_request_carried_and_settles_it():
    document = named("kubernetes-create")
    asked = question(document, "object", request=representation(document))
    assert (asked.target, asked.asked_by) == ("/api/v1/namespaces/default/configmaps/game-config", "identity")
    case = lost()
    assert case.learn("object", status=200, json_body=there()).says is Claim.APPLIED
    assert case.standing().evidence is Evidence.APPLIED
