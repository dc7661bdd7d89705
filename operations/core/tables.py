"""The table of permitted actions, written for people from the very table that decides."""

from typing import Final

from operations.core.actions import Action
from operations.core.permitted import BARS, PERMITTED, Bar, PermittedTable
from operations.core.standing import Situation

_SITUATIONS: Final = {
    Situation.CONFLICT: "the recipient contradicts itself",
    Situation.APPLIED: "applied",
    Situation.CLOSED: "excluded by closure",
    Situation.NOTHING_CAN_ACT: "nothing can act",
    Situation.OPEN: "anything else",
}
_UNLESS: Final = {
    Bar.SUCCESSOR_OPEN: "a successor is open",
    Bar.UNPROTECTED: "protection is not active",
    Bar.IN_FLIGHT: "a fresh report says it is under way and the contract does not allow repeating meanwhile",
    Bar.TOO_SOON: "`min_interval` has not passed",
    Bar.NOBODY_TO_ASK: "no channel can be asked",
}


def _cell(bars: tuple[Bar, ...]) -> str:
    if not bars:
        return "yes"
    conditions = [f"{_UNLESS[bar]} ({BARS[bar][0]})" for bar in bars if bar in _UNLESS]
    for bar in bars:
        if bar not in _UNLESS:
            return "; ".join([f"no ({BARS[bar][0]})", *[f"also while {condition}" for condition in conditions]])
    return "unless " + "; ".join(conditions)


def permitted_in_markdown(table: PermittedTable = PERMITTED) -> str:
    """Return the table as Markdown: a row a situation, the first that holds; in brackets the kind of the refusal."""
    head = ["standing", *[f"`{action}`" for action in Action]]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for situation, cells in table.items():
        row = [_SITUATIONS[situation], *[_cell(cells[action]) for action in Action]]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"
