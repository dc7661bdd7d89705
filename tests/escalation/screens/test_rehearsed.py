"""A stored rehearsal as tables: nothing is left out, and what went wrong is named where it stands."""

import pytest

from escalation.models import Rehearsal
from escalation.rehearsing.result import STATEMENT, Rehearsed, rehearse
from escalation.screens.rehearsed import ACTIONS, cautions, faults, scenes
from operations.core.facts import ConcurrentUse
from tests.escalation.rehearsing.documents import desk_contract, promising


def kept(found: Rehearsed) -> Rehearsal:
    """The row of a rehearsal, as it would be stored."""
    return Rehearsal(rows=list(found.rows), summary=found.summary(), statement=STATEMENT, passed=found.passed)


@pytest.fixture(scope="module")
def clean() -> Rehearsal:
    """The desk's own contract."""
    return kept(rehearse(desk_contract()))


@pytest.fixture(scope="module")
def wrong() -> Rehearsal:
    """The same at a desk that runs a repeat beside its original."""
    return kept(rehearse(desk_contract(), breaking={"concurrent_use": "unprotected"}))


def test_every_row_has_its_cell(clean):
    cells = [cell for scene in scenes(clean) for history in scene.histories for cell in history.cells if cell]
    assert len(cells) == len(clean.rows)


def test_every_scene_has_every_action_and_says_where_one_does_not_apply(clean):
    for scene in scenes(clean):
        assert [column.name for column in scene.columns] == list(ACTIONS.values())
        for place, column in enumerate(scene.columns):
            assert bool(column.verdicts) == any(history.cells[place] for history in scene.histories)


def test_a_clean_rehearsal_names_no_fault(clean):
    told = scenes(clean)
    assert faults(clean, told) == ()
    assert not any(scene.failed for scene in told)


def test_what_went_wrong_is_named_with_its_scene_its_way_and_its_desk(wrong):
    told = scenes(wrong)
    first = faults(wrong, told)[0]
    assert (first.name, first.action) == ("No answer", "Repeat the same request")
    assert first.what == "second effect: 1 or 2+ counted, at most 1 foretold, permitted"
    assert (first.way, told[first.scene - 1].name) == ("it is in work", first.name)
    assert "runs a repeat beside its original" in first.desk


def test_a_history_that_was_held_impossible_is_marked(wrong):
    (twice,) = [scene for scene in scenes(wrong) if scene.name == "No answer twice"]
    ruled_out = {history.sentence for history in twice.histories if history.ruled_out}
    assert "Two copies are under way, and both may still act." in ruled_out


def test_caution_without_need_is_told_in_the_words_of_the_table():
    document = promising(concurrent_use=ConcurrentUse.UNDOCUMENTED)
    found = kept(rehearse(document, breaking={"concurrent_use": "protected"}))
    assert ("No answer", "Repeat the same request") in cautions(found)
