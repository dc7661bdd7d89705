"""Who else carries an operation's intent, by number, and what can be done there: the way out of what that shuts here.

semantics.md, Permitted actions: while a successor is open, a repeat, another new operation and an accepted risk are shut;
one that ended without effect opens them again. One that was never sent has not ended: it can be sent at any time.
"""

from typing import TYPE_CHECKING, Final, cast

from escalation.screens.sight import Sight
from operations.core.facts import Successor, SuccessorState
from operations.core.standing import Situation

if TYPE_CHECKING:
    from operations import models

_ENDS: Final = "operation {number} ends without effect, for good."
_NEVER_SENT: Final = (
    "operation {number}, of which nothing was sent. It does not end by itself, and can't be taken back: on its own page an"
    " operator has it sent, or lets the agent send it, or another one is authorised in its place."
)
_REFUSED: Final = (
    "operation {number}, of which every attempt was refused. It does not end by itself: on its own page an operator has it"
    " sent again, or another one is authorised in its place."
)
_HERE_AGAIN: Final = "operation {number}, which carries the intent again: whatever is still to be done is done there."


def carried_on(sight: Sight) -> str:
    """Return the way out of what an open successor shuts, to be said behind "The way out:"."""
    for event, row in zip(sight.read.facts.events, sight.read.rows, strict=True):
        if isinstance(event, Successor) and event.state is SuccessorState.OPEN:
            return _of(cast("models.Successor", row), sight)
    return "the other operation ends without effect."


def _of(link: "models.Successor", sight: Sight) -> str:
    if link.successor_id == sight.operation.id:
        return _HERE_AGAIN.format(number=link.operation.number)
    other = link.successor
    if other.situation != Situation.NOTHING_CAN_ACT:
        return _ENDS.format(number=other.number)
    return (_REFUSED if other.attempts.exists() else _NEVER_SENT).format(number=other.number)
