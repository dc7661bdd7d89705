"""A proposal beside its original: what differs, argument by argument, as the core tells it."""

from dataclasses import dataclass
from typing import Final

from escalation.screens.sight import Sight
from operations import reading
from operations.core.difference import Difference
from operations.core.normalisation import ABSENT, Absent
from operations.core.proposal import compare
from operations.core.representation import Representation

_PARTS: Final = {
    "identity": "Request number",
    "scope": "Through",
    "method": "Method",
    "target": "Request",
    "headers": "Header",
    "arguments": "Argument",
    "body": "Body",
}


@dataclass(frozen=True, slots=True)
class Differing:
    """One place that differs, as people read it; None where one side lacks it."""

    part: str
    place: str
    before: str | None
    after: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs from the original; `digest` is the proposed request's, `unlisted` counts what is too much to list."""

    differences: tuple[Differing, ...]
    unlisted: int
    digest: str


def _side(value: str | Absent) -> str | None:
    return None if value is ABSENT else str(value)


def _differing(found: Difference) -> Differing:
    first, _, rest = found.pointer.removeprefix("/").partition("/")
    return Differing(_PARTS[first], rest, _side(found.before), _side(found.after), found.why)


def compared(sight: Sight, request: Representation) -> Compared:
    """Return how a proposed request differs from an operation's, by the rules that the recipient states."""
    rules = reading.comparison_rules(reading.in_force(sight.operation))
    found = compare(reading.representation(sight.operation), proposed=request, rules=rules)
    shown = tuple([_differing(one) for one in found.differences])
    return Compared(shown, found.total - len(shown), request.digest)
