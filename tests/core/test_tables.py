"""The table that people read is the one that decides, cell by cell."""

import pytest

from operations.core.actions import Action
from operations.core.permitted import PERMITTED, Bar
from operations.core.standing import Situation
from operations.core.tables import permitted_in_markdown

HEAD = "| standing | `record` | `observe` | `repeat` | `propose_new` | `except` | `leave_unresolved` |\n"


def cells(markdown: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines()]


def cell(situation: Situation, action: Action) -> str:
    table = cells(permitted_in_markdown())
    return table[2 + list(PERMITTED).index(situation)][1 + list(Action).index(action)]


def test_the_table_is_markdown_with_a_row_a_situation_and_a_column_an_action():
    markdown = permitted_in_markdown()
    assert markdown.startswith(HEAD + "|---|---|---|---|---|---|---|\n| the recipient contradicts itself |")
    assert markdown.endswith(" |\n")
    table = cells(markdown)
    assert {len(row) for row in table} == {1 + len(Action)}
    assert [row[0] for row in table[2:]] == [
        "the recipient contradicts itself",
        "applied",
        "excluded by closure",
        "nothing can act",
        "anything else",
    ]


@pytest.mark.parametrize(
    ("situation", "action", "text"),
    [
        # refused whatever else holds
        (Situation.CONFLICT, Action.REPEAT, "no (conflict)"),
        (Situation.APPLIED, Action.PROPOSE_NEW, "no (settled)"),
        (Situation.CLOSED, Action.REPEAT, "no (settled)"),
        (Situation.OPEN, Action.RECORD, "no (unproven)"),
        # refused either way, for one reason before the other
        (Situation.OPEN, Action.PROPOSE_NEW, "no (harm); also while a successor is open (successor)"),
        # refused on conditions
        (Situation.APPLIED, Action.OBSERVE, "unless no channel can be asked (no_channel)"),
        (
            Situation.NOTHING_CAN_ACT,
            Action.REPEAT,
            "unless a successor is open (successor); `min_interval` has not passed (manners)",
        ),
        (
            Situation.OPEN,
            Action.REPEAT,
            (
                "unless a successor is open (successor); protection is not active (harm); a fresh report says it is "
                "under way and the contract does not allow repeating meanwhile (manners); `min_interval` has not "
                "passed (manners)"
            ),
        ),
        # permitted
        (Situation.APPLIED, Action.RECORD, "yes"),
        (Situation.OPEN, Action.LEAVE_UNRESOLVED, "yes"),
    ],
)
def test_a_cell_says_when_the_action_is_refused_and_as_what(situation, action, text):
    assert cell(situation, action) == text


def test_a_cell_that_is_always_refused_begins_with_no_and_one_that_never_is_says_yes():
    conditional = {Bar.SUCCESSOR_OPEN, Bar.UNPROTECTED, Bar.IN_FLIGHT, Bar.TOO_SOON, Bar.NOBODY_TO_ASK}
    for situation, row in PERMITTED.items():
        for action, bars in row.items():
            says = cell(situation, action)
            assert says.startswith("no (") == bool(set(bars) - conditional)
            assert (says == "yes") == (not bars)


def test_a_changed_table_is_printed_as_changed():
    changed = {**PERMITTED, Situation.CONFLICT: dict.fromkeys(Action, ())}
    assert cells(permitted_in_markdown(changed))[2] == ["the recipient contradicts itself", *["yes"] * len(Action)]
