"""Every record that the real SDKs made is read as it was read by hand, and what the commands print is what is compared."""

import pytest

from operations.imports import imported
from tests.operations.imports.agreeing import (
    NOT_IN_THE_FILE,
    OURS,
    Compared,
    of_the_gold_facts,
    of_the_logs,
    of_the_resumes,
)
from tests.operations.imports.records import DATA, GOLD, named

# They say what the records are, and are none.
ABOUT_THE_RECORDS = {"manifest", "transcripts_manifest", "expected_facts", "matrix_0.22.1", "matrix_0.24.0"}


@pytest.fixture(scope="module")
def compared() -> list[Compared]:
    return [*of_the_gold_facts(), *of_the_logs(), *of_the_resumes()]


def test_the_commands_say_of_every_record_and_resume_what_was_read_by_hand(compared: list[Compared]):
    assert [(one.what, one.said) for one in compared if not one.agrees] == []


def test_every_record_that_is_there_is_compared(compared: list[Compared]):
    files = {str(file.relative_to(DATA)).partition(".json")[0] for file in DATA.rglob("*.json*")}
    assert {one.what.partition(" (")[0] for one in compared} >= {
        name for name in files if name.rpartition("/")[2] not in ABOUT_THE_RECORDS
    }


def test_every_entry_of_the_gold_facts_is_compared(compared: list[Compared]):
    assert {one.what for one in compared} >= set(GOLD)


def test_every_row_of_both_matrices_is_compared(compared: list[Compared]):
    assert sum(one.what.startswith("matrix_") for one in compared) == 32


def test_a_record_that_is_read_by_hand_here_has_no_entry_there():
    assert not {name for name in OURS if name in GOLD}


@pytest.mark.parametrize("name", NOT_IN_THE_FILE)
def test_what_is_left_out_of_a_case_is_not_in_its_file(name: str):
    [call] = GOLD[name]
    assert call["name"].encode() not in named(name)
    assert b"arguments" not in named(name)


@pytest.mark.parametrize("case", GOLD)
def test_no_import_says_that_anything_happened_or_did_not(case: str):
    words = {"applied", "not_applied", "closed", "failed", "succeeded"}
    name = case.partition(" (")[0]
    for call in imported(named(name)).calls:
        assert words.isdisjoint([str(said) for said in call.shown().values()])
