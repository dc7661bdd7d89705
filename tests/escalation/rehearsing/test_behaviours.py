"""How desks are set up: as promised, as badly as promised, and in every way that silence allows."""

import pytest

from escalation.rehearsing.behaviours import DAY, behaviours, window
from escalation.rehearsing.hearing import Hearing
from escalation.rehearsing.rehearsal import scenes_for
from escalation.rehearsing.setting import gaps, promises
from operations.contracts.loading import document_of, library_text
from operations.core.facts import After, Guarantee, Mechanism
from tests.escalation.rehearsing.documents import desk_contract, promising, silent


def without_keys():
    return document_of(library_text("collection-desk-without-keys"))


def test_a_contract_that_says_everything_has_one_desk():
    (desk,) = behaviours(desk_contract())
    assert desk.terms["keeps_for"] == DAY
    assert (desk.terms["after"], desk.terms["concurrent_use"]) == ("runs_as_new", "protected")


def test_where_nothing_protects_no_number_is_known():
    (desk,) = behaviours(without_keys())
    assert desk.terms["mechanism"] == "none"


def test_silence_has_every_desk_the_worst_first_and_no_more_than_a_few_dozen():
    found = behaviours(silent())
    assert found[0].terms["mechanism"] == "none"
    worst = found[1].terms
    assert (worst["keeps_for"], worst["after"]) == (0, "runs_as_new")
    assert (worst["covers"], worst["concurrent_use"]) == ("success_only", "unprotected")
    assert len(found) == len({desk.words for desk in found}) == 29


@pytest.mark.parametrize("after", [After.RUNS_AS_NEW, After.REFUSED])
def test_a_number_that_lasts_as_long_as_its_object_is_tried_with_the_object_gone(after):
    found = behaviours(promising(guaranteed_for=Guarantee.WHILE_EXISTS, after=after))
    assert [desk.collected for desk in found] == [True, False]
    assert {desk.terms["after"] for desk in found} == {after.value}


def test_what_is_broken_holds_on_every_desk():
    found = behaviours(silent(), breaking={"concurrent_use": "protected", "mechanism": "key"})
    assert {(desk.terms["mechanism"], desk.terms["concurrent_use"]) for desk in found} == {("key", "protected")}


def test_the_window_is_the_longest_that_anybody_states():
    (desk,) = behaviours(desk_contract(), breaking={"keeps_for": 2 * DAY})
    assert window(desk_contract(), desk) == 2 * DAY
    (forgetful,) = behaviours(promising(guaranteed_for=Guarantee.UNLIMITED), breaking={"keeps_for": 0})
    assert window(promising(guaranteed_for=Guarantee.UNLIMITED), forgetful) == DAY


def test_promises_are_told_beside_what_the_desks_did():
    told = {about: (said, did) for about, said, did in promises(silent(), behaviours(silent()))}
    assert told["Is a repeat recognised?"] == ("not documented", "no; and: yes, by the request number")
    assert told["A repeat while the original is in work"] == ("not documented", "runs beside it; and: is held off")


def test_where_no_number_is_known_nothing_is_said_of_how_long_it_is_kept():
    assert [about for about, _, _ in promises(without_keys(), behaviours(without_keys()))] == [
        "Is a repeat recognised?"
    ]


def said(document, **breaking):
    hearing = Hearing(document)
    return " ".join(gaps(hearing, scenes_for(hearing), breaking=breaking))


def test_what_can_not_be_set_up_is_said():
    assert "That other arguments under the same request number are run can't be set up" in said(without_keys())
    assert "learns nothing from: a record that shows nothing; a record that shows it closed" in said(without_keys())
    assert "rehearsed in every way that the desk can do it: whether a repeat is recognised;" in said(silent())
    assert "with the ticket there and with it gone" in said(promising(guaranteed_for=Guarantee.WHILE_EXISTS))
    assert "the desk was told to do otherwise: keeps_for 3600" in said(desk_contract(), keeps_for=3600)
    assert "in every way" not in said(promising(mechanism=Mechanism.NONE))


def test_a_report_grows_old_only_where_the_contract_says_when():
    assert any(scene.grows_old for scene in scenes_for(Hearing(desk_contract())))
    assert not any(scene.grows_old for scene in scenes_for(Hearing(without_keys())))
