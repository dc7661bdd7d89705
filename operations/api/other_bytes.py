"""What went out under a request number and is not what that is bound to, in words for people; they settle nothing."""

from collections.abc import Iterator
from typing import Final

from operations.api.asked import FirstAttempt
from operations.core.difference import Difference
from operations.core.normalisation import Absent
from operations.core.proposal import Comparison
from operations.core.representation import Representation

MOST_NAMED: Final = 20
LONGEST: Final = 9_000  # of the 10,000 characters that words may have
LONGEST_SIDE: Final = 300


def other_bytes(attempt: FirstAttempt, went_out: Representation, found: Comparison) -> str:
    """Return the words: which attempt, what it was, and where it differs. The same attempt has the same words."""
    return "\n".join(_lines(attempt, went_out, found))[:LONGEST]


def _lines(attempt: FirstAttempt, went_out: Representation, found: Comparison) -> Iterator[str]:
    at = "" if attempt.begun_at is None else f" at {attempt.begun_at.isoformat()} by the sender's clock"
    yield "Other bytes may have gone out under this request number while this desk could not be asked."
    yield f"Attempt {attempt.id}, begun{at}: {went_out.method} {went_out.target}, scope {went_out.scope or 'empty'}."
    yield f"Digest {went_out.digest}. It is on record as no attempt of this operation; the sender's journal has its bytes."
    yield from [_line(one) for one in found.differences[:MOST_NAMED]]
    if found.total > MOST_NAMED:
        yield f"and {found.total - MOST_NAMED} more differences"


def _line(one: Difference) -> str:
    return f"{one.pointer}: here {_side(one.before)}, there {_side(one.after)}"


def _side(value: str | Absent) -> str:
    return "nothing" if isinstance(value, Absent) else value[:LONGEST_SIDE]
