"""The groups of the queue and the words of its columns."""

from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Final

from operations.core.standing import Evidence, Situation

SOON: Final = timedelta(hours=1)
NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC)


class Group(IntEnum):
    """Where a row stands, the most pressing first."""

    WITHIN_THE_HOUR = 1
    CONTRADICTIONS = 2
    CAN_BE_FINISHED = 3
    THE_REST = 4
    LEFT_UNRESOLVED = 5


# The answers to "Did it happen?" by which the queue can be narrowed.
UNKNOWN, UNDER_WAY, NOT_THERE = "unknown", "under_way", "not_there"
HAPPENED, RULED_OUT, CONTRADICTION = "happened", "ruled_out", "contradiction"
RECORDED = "recorded"  # it happened, and our record says so
SITUATIONS: Final = (UNKNOWN, UNDER_WAY, HAPPENED, RECORDED, RULED_OUT, NOT_THERE, CONTRADICTION)

_ENDED: Final = {
    Situation.APPLIED.value: HAPPENED,
    Situation.CLOSED.value: RULED_OUT,
    Situation.NOTHING_CAN_ACT.value: RULED_OUT,
    Situation.CONFLICT.value: CONTRADICTION,
}
_OPEN: Final = {Evidence.PENDING.value: UNDER_WAY, Evidence.NOT_APPLIED.value: NOT_THERE}


def situation_of(situation: str, evidence: str) -> str:
    """Return the queue's word for an operation's situation and evidence (the inferred columns)."""
    return _ENDED.get(situation) or _OPEN.get(evidence, UNKNOWN)
