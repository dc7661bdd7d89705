"""What a rehearsal finds: contracts that lie are caught, those that promise little are kept to it."""

import json

import pytest

from escalation.rehearsing.behaviours import DAY
from escalation.rehearsing.desk import UnknownTerm
from escalation.rehearsing.result import CLEAN, EXCEEDED, FAILED, FAILED_BREAKING, PERMITTED, Rehearsed, Row, rehearse
from operations.contracts.loading import document_of, library, library_text
from operations.core.facts import After, ConcurrentUse, Covers, Guarantee, Mechanism
from tests.escalation.rehearsing.documents import desk_contract, promising, silent


@pytest.fixture(scope="module")
def silence() -> Rehearsed:
    """The rehearsal of a contract that promises nothing, on every desk that its silence allows."""
    return rehearse(silent())


def failing(found: Rehearsed) -> set[tuple[str, str, str]]:
    """Scene, way and action of what led to a second effect though it was permitted."""
    return {(row["scene"], row["way"], row["action"]) for row in found.rows if row["second_effect"]}


def row(found: Rehearsed, scene: str, history: str, action: str) -> Row:
    """The one row of this history and action."""
    (only,) = [one for one in found.rows if (one["scene"], one["history"], one["action"]) == (scene, history, action)]
    return only


def test_a_guarantee_without_end_is_caught_where_the_desk_forgets_after_a_day():
    found = rehearse(promising(guaranteed_for=Guarantee.UNLIMITED), breaking={"keeps_for": DAY})
    assert not found.passed
    assert found.verdict == FAILED_BREAKING
    late = "No answer, and the time of the guarantee is over"
    assert (late, "the ticket is issued, the reply is lost", "repeat") in failing(found)
    assert row(found, late, "reply_lost", "repeat")["counted"] == [2]


def test_concurrent_use_that_is_not_protected_is_caught():
    found = rehearse(promising(concurrent_use=ConcurrentUse.PROTECTED), breaking={"concurrent_use": "unprotected"})
    assert ("No answer", "it is in work", "repeat") in failing(found)
    assert not found.passed


def test_errors_that_are_not_kept_are_caught():
    found = rehearse(promising(covers=Covers.EVERY_OUTCOME), breaking={"covers": "success_only"})
    assert ("No answer", "the ticket is issued, then an error is lost", "repeat") in failing(found)


def test_a_late_repeat_that_is_said_to_be_refused_and_runs_is_caught():
    found = rehearse(promising(after=After.REFUSED), breaking={"after": "runs_as_new"})
    assert {scene for scene, _, _ in failing(found)} >= {"No answer, and the time of the guarantee is over"}


def test_a_number_that_nobody_knows_is_caught():
    found = rehearse(promising(mechanism=Mechanism.KEY), breaking={"mechanism": "none"})
    assert ("No answer", "the ticket is issued, the reply is lost", "repeat") in failing(found)


def test_a_number_that_holds_for_one_account_is_caught_where_it_is_said_to_hold_for_all():
    document = desk_contract()
    everywhere = document.model_copy(update={"identity": document.identity.model_copy(update={"scope": ()})})
    assert rehearse(everywhere).passed
    found = rehearse(everywhere, breaking={"key_scope": "credential"})
    assert {scene for scene, _, _ in failing(found)} == {
        "No answer, and a repeat would go out under another account, credential or region"
    }


def test_a_guarantee_that_is_over_before_a_repeat_may_be_sent_permits_none():
    found = rehearse(promising(guaranteed_for=10.0, min_interval=30.0))
    assert found.passed
    assert row(found, "No answer", "reply_lost", "repeat")["verdict"] == "harm"


def test_a_term_that_the_desk_does_not_have_is_refused():
    with pytest.raises(UnknownTerm):
        rehearse(desk_contract(), breaking={"keeps": 5})
    with pytest.raises(UnknownTerm, match="keeps_for must be seconds"):
        rehearse(desk_contract(), breaking={"keeps_for": "a while"})


def test_the_desks_own_contract_rehearses_clean_and_every_cell_is_reached():
    found = rehearse(desk_contract())
    assert (found.verdict, found.second_effects, found.exceeded, found.cautions) == (CLEAN, 0, 0, ())
    missed = {(one["scene"], one["history"], one["action"]) for one in found.rows if not one["reached"]}
    # An error is kept and given again, so a repeat issues nothing where no ticket was issued before.
    assert missed == {("An error was answered", "request_lost", "repeat")}


def test_what_a_refusal_warns_of_happens():
    found = rehearse(desk_contract())
    late = row(found, "No answer, and the time of the guarantee is over", "reply_lost", "repeat")
    assert (late["verdict"], late["most"], late["counted"]) == ("harm", 2, [2])
    others = row(found, "No answer, and others may have sent", "off_record_acted", "repeat")
    assert (others["verdict"], others["counted"]) == ("harm", [2])


def test_what_is_permitted_is_done_and_harmless():
    found = rehearse(desk_contract())
    assert row(found, "No answer", "reply_lost", "repeat")["verdict"] == PERMITTED
    assert row(found, "No answer", "reply_lost", "repeat")["counted"] == [1]
    assert row(found, "Closed at the desk", "closed", "propose_new")["counted"] == [1]


def test_silence_is_rehearsed_at_its_worst_and_permits_no_repeat_of_what_may_have_acted(silence):
    found = silence
    assert found.passed
    assert any(one.terms["mechanism"] == "none" for one in found.desks)
    assert any(one.terms.get("keeps_for") == 0 for one in found.desks)
    lost = [one for one in found.rows if (one["scene"], one["action"]) == ("No answer", "repeat")]
    assert {one["verdict"] for one in lost} == {"harm"}
    assert max(effects for one in lost for effects in one["counted"]) == 2


@pytest.mark.parametrize("name", list(library()))
def test_every_contract_of_the_library_rehearses_clean(name):
    found = rehearse(document_of(library_text(name)))
    assert found.verdict == CLEAN, [one for one in found.rows if not one["agrees"]]


def test_caution_without_need_is_reported():
    """The desk never runs beside an original, but the contract does not say so: its refusal is not borne out."""
    document = promising(concurrent_use=ConcurrentUse.UNDOCUMENTED)
    assert rehearse(document).cautions == ()
    found = rehearse(document, breaking={"concurrent_use": "protected"})
    assert ("No answer", "repeat") in found.cautions
    assert found.passed


def test_the_same_contract_gives_the_same_result():
    assert rehearse(desk_contract()) == rehearse(desk_contract())


def test_all_that_is_stored_is_plain_json(silence):
    stored = [silence.desk_json(), list(silence.rows), silence.summary()]
    assert json.loads(json.dumps(stored)) == stored


def test_no_sentence_of_failure_is_the_sentence_of_success():
    assert len({CLEAN, EXCEEDED, FAILED, FAILED_BREAKING}) == 4


def test_what_a_contract_can_not_hear_is_played_as_what_it_looks_like():
    found = rehearse(document_of(library_text("idempotency-key")))
    receipt = row(found, "A receipt in the reply", "reply_lost", "propose_new")
    assert (receipt["verdict"], receipt["counted"]) == ("harm", [2])
    assert len({one["scene"] for one in found.rows}) == found.scenes == found.summary()["scenes"]


def test_a_number_that_lasts_as_long_as_its_object_runs_again_once_the_object_is_gone():
    found = rehearse(promising(guaranteed_for=Guarantee.WHILE_EXISTS))
    lost = row(found, "No answer", "reply_lost", "repeat")
    assert (lost["verdict"], lost["most"], lost["counted"]) == ("harm", "unknown", [1, 2])
    assert "it is gone" in lost["desk"]
    assert found.passed
