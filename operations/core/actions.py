"""The six things that may be done about an operation, and nothing else."""

from enum import StrEnum


class Action(StrEnum):
    """One door each (semantics.md, Permitted actions). Only the first two of the sending kind reach the recipient.

    `observe` asks and changes nothing; `repeat` sends the identical representation; `propose_new` opens the question
    of authority for another operation; `record`, `except` and `leave_unresolved` send nothing.
    """

    RECORD = "record"
    OBSERVE = "observe"
    REPEAT = "repeat"
    PROPOSE_NEW = "propose_new"
    EXCEPT = "except"
    LEAVE_UNRESOLVED = "leave_unresolved"
