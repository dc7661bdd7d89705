"""The words in which the agent's side speaks; those of the desk are docs/semantics.md's and pass through unchanged."""

from enum import StrEnum
from typing import Final


class Mode(StrEnum):
    """What a first attempt does while the desk can't be reached: it is sent and told later, or it is not sent."""

    LOCAL = "local"
    DESK = "desk"


class Sends(StrEnum):
    """How often one attempt may go out; ONE only where the code that owns the socket knows it (semantics.md, Words)."""

    ONE = "one"
    MANY = "many"


class Sent(StrEnum):
    """Whether a byte of an attempt left. NO is known, never assumed: the wrapper kept it back or the socket's owner says so."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Ended(StrEnum):
    """How an attempt ended without an answer; NOT_SENT: no byte was written. The others settle nothing."""

    NOT_SENT = "not_sent"
    TIMEOUT = "timeout"
    RESET = "reset"
    CLOSED = "closed"
    TRUNCATED = "truncated"


class Next(StrEnum):
    """What an agent does now. None of these but `repeat_granted` lets it send."""

    APPLIED = "applied"
    CLOSED = "closed"
    SUPERSEDED = "superseded"
    REPEAT_GRANTED = "repeat_granted"
    LEFT_UNRESOLVED = "left_unresolved"
    HELD = "held"
    NOT_SENT = "not_sent"
    REFUSED = "refused"
    NO_JOURNAL = "no_journal"


# What is known may move yet: a person, the recipient or time has the next word.
OPEN: Final = frozenset({Next.HELD, Next.LEFT_UNRESOLVED, Next.REPEAT_GRANTED})

MEANS: Final = {
    Next.APPLIED: "It happened. Go on; do not send it again.",
    Next.CLOSED: "It did not happen and can't any more. Do not send it again; something new is a proposal of its own.",
    Next.SUPERSEDED: "Another operation carries this intent. Do not send this one again.",
    Next.REPEAT_GRANTED: "A person granted one repeat. Call the same tool with the same arguments once.",
    Next.LEFT_UNRESOLVED: "A person left the outcome unresolved. Report neither success nor failure; do not send it again.",
    Next.HELD: "The outcome is not known. Do not send it again and do not try a variant; people decide.",
    Next.NOT_SENT: "Nothing was sent, and nothing is on its way. Say so; the same call later asks the desk whether it may be sent.",
    Next.REFUSED: "The desk refused it before it was sent. Do not send a variant; `reason` says why.",
    Next.NO_JOURNAL: "Nothing was sent: it could not be recorded first.",
}
