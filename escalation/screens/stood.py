"""A standing as a decision kept it, in the words of the three questions (screens.md, Words on the screen)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from escalation.screens.times import exact
from operations import reading
from operations.core.actions import Action
from operations.core.permitted import Kind
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality

_HAPPENED: Final[Mapping[str, str]] = {
    Evidence.APPLIED: "Yes",
    Evidence.PENDING: "Under way",
    Evidence.UNKNOWN: "We don't know",
    Evidence.NOT_APPLIED: "Not there when last read",
}
_STILL: Final[Mapping[str, str]] = {
    Finality.SETTLED: "Done",
    Finality.EXCLUDED: "No",
    Finality.POSSIBLE: "Yes",
    Finality.UNESTABLISHED: "It may",
}
_SAFE: Final[Mapping[str, str]] = {
    Protection.ACTIVE: "Yes",
    Protection.ABSENT: "No",
    Protection.UNESTABLISHED: "We don't know",
}

# Where there is nothing left to send, or nothing that a promise could be believed of (answers.py says the same).
_NO_QUESTION: Final[Mapping[str, str]] = {Kind.SETTLED: "Not needed", Kind.CONFLICT: "Not in a contradiction"}


@dataclass(frozen=True, slots=True)
class Stood:
    """The three answers as they were when somebody decided."""

    happened: str
    still: str
    safe: str


def happened(evidence: str, finality: str, *, conflict: bool) -> str:
    """Return the answer to "Did it happen?" of cached or kept words."""
    if conflict:
        return "Contradiction"
    return "No, ruled out" if finality == Finality.EXCLUDED else _HAPPENED[evidence]


def stood(standing: Mapping[str, Any]) -> Stood:
    """Return the answers of a standing as `core.scenario.answer` wrote it."""
    return Stood(
        happened=happened(standing["evidence"], standing["finality"], conflict=standing["conflict"]),
        still=_STILL[standing["finality"]],
        safe=_safe(standing),
    )


def _safe(standing: Mapping[str, Any]) -> str:
    shut = standing["refusals"].get(Action.REPEAT, {}).get("kind")
    if shut in _NO_QUESTION:
        return _NO_QUESTION[shut]
    until = reading.moment(standing["protection_until"])
    safe = _SAFE[standing["protection"]]
    return safe if until is None else f"{safe}, until {exact(until)}"
