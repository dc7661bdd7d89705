"""What can be wrong with a record, one sentence each; a fault names the operation, the position and the kind of row."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from operations.core.worded import Worded

OPERATION: Final = "operation"  # the kind of the first link, which is the bound request
CHECKPOINT: Final = "checkpoint"


class What(Worded):
    """How a row differs from what was written."""

    CHANGED = "changed", "Its digest does not follow from what it says and from the link before it."
    REMOVED = "removed", "Nothing stands there any more."
    REORDERED = "reordered", "It stood at another position."
    INSERTED = "inserted", "It was not written there by the desk."
    UNCHECKED = "unchecked", "The link before it is missing, so that what it says can't be checked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong: positions `position` to `last` of an operation's chain, and why in a sentence.

    `number` is what people call the operation by; None where its row is gone and no checkpoint names it.
    """

    operation: UUID
    number: int | None
    position: int
    kind: str
    what: What
    why: str
    last: int | None = None

    def __str__(self) -> str:
        name = str(self.operation) if self.number is None else str(self.number)
        place = str(self.position) if self.last in (None, self.position) else f"{self.position} to {self.last}"
        return f"operation {name}, position {place}, {self.kind}: {self.what.value}. {self.why}"
