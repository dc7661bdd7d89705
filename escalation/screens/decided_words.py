"""What somebody decided, line by line, as a decision's content or a proposal holds it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from escalation.decisions.signing import NAMED
from escalation.screens.closing import NAME as CLOSE_ORIGINAL
from escalation.screens.doors import NAME
from escalation.screens.times import exact
from operations.core.closing import Closing
from operations.core.missing import Fact

# What was asked of the core, by name.
ACTIONS: Final[Mapping[str, str]] = {
    **{action.value: name for action, name in NAME.items()},
    Closing.CLOSE_ORIGINAL.value: CLOSE_ORIGINAL,
}
PROVED: Final = "proved"  # what a decision's content calls it (decisions/taking.py)
FACTS: Final = {fact.value: fact.sentence for fact in Fact}


def _text(value: object) -> str:
    if isinstance(value, str):
        return FACTS.get(value, value)
    if isinstance(value, list):
        return "; ".join([_text(one) for one in value])
    if isinstance(value, Mapping):
        return ", ".join([f"{name.replace('_', ' ')}: {_text(one)}" for name, one in value.items()])
    return str(value)


def lines_of(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return name and value of each line; what is empty is left out, and who proposed it is told apart (`proposed_by`)."""
    stated = [(name, value) for name, value in content.items() if value and name not in (NAMED, PROVED)]
    lines = [(name.replace("_", " "), _text(value)) for name, value in stated]
    return (*lines, ("proved who they are", proved(content))) if PROVED in content else tuple(lines)


def proved(content: Mapping[str, Any]) -> str:
    """Return how and when who decided had last proved who they are; empty where no proof was asked for or given."""
    found = content.get(PROVED)
    return f"by {found['by']}, {exact(datetime.fromisoformat(found['at']))}" if found else ""


def proposed_by(content: Mapping[str, Any]) -> str:
    """Return who proposed what another person signed; empty where one person decided alone."""
    return str(content[NAMED]["proposed_by"]) if NAMED in content else ""
