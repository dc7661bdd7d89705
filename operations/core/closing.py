"""Whether somebody may have the recipient close an operation: only while its outcome is open, and one request at a time.

The theory. A closing request asks the recipient to end the operation for good, and answers what became of it. It can add
no effect to the original, whatever history is true: so no compatible history gives a second one, and there is no refusal
of kind `harm`. What it can do is end what is under way, which is why it is for what is open, and never sent without a
person. It is a seventh question beside the six of semantics.md (Permitted actions), which is silent about it: the six, and
what they answer, stay as they are.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from operations.core.actions import Action
from operations.core.permitted import Kind, Refusal
from operations.core.standing import Situation, Standing
from operations.core.worded import Worded


class Closing(StrEnum):
    """The one thing that is asked here, by the name under which a decision is on record."""

    CLOSE_ORIGINAL = "close_original"


class ClosingBar(Worded):
    """One reason to refuse; `sentence` is what a reviewer reads."""

    CONTRADICTION = (
        "contradiction",
        "The recipient contradicts itself; one more answer would not say which statement is wrong.",
    )
    HAPPENED = "happened", "It happened; to close it now could only take back what was asked for."
    CLOSED = "closed", "It ended without effect, for good; there is nothing left to close."
    NOTHING_TO_CLOSE = "nothing_to_close", "Nothing that was sent can act; there is nothing to close."
    ANOTHER_OPEN = "another_open", "A closing request was authorised already, and what became of it is not known yet."
    CLOSES_ANOTHER = "closes_another", "It only closes another operation; what is still wanted is that one's to carry."


_SHUT: Final[Mapping[Situation, tuple[Kind, ClosingBar]]] = {
    Situation.CONFLICT: (Kind.CONFLICT, ClosingBar.CONTRADICTION),
    Situation.APPLIED: (Kind.SETTLED, ClosingBar.HAPPENED),
    Situation.CLOSED: (Kind.SETTLED, ClosingBar.CLOSED),
    Situation.NOTHING_CAN_ACT: (Kind.SETTLED, ClosingBar.NOTHING_TO_CLOSE),
}


def to_close(standing: Standing, *, another_open: bool) -> Refusal | None:
    """Return None where the original may be closed, else the refusal.

    `another_open`: an earlier closing request of it may still be sent, or its own outcome is open while a repeat of it is
    protected. That is safe to disregard, but the same request again is that operation's own question, and answers it.
    """
    situation = standing.situation
    if situation in _SHUT:
        return _refusal(situation, *_SHUT[situation])
    return _refusal(situation, Kind.MANNERS, ClosingBar.ANOTHER_OPEN) if another_open else None


def in_its_place(standing: Standing, action: Action, *, closes_another: bool) -> Refusal | None:
    """Return the refusal of what would have another operation carry the intent of one that only closes another.

    It has no intent of its own: a successor would be one of the original that is not linked to it and that its own
    verdict knows nothing of. None where it closes nothing, and for every action that makes no successor.
    """
    if not closes_another or action not in _IN_ITS_PLACE:
        return None
    bar = ClosingBar.CLOSES_ANOTHER
    return Refusal(Kind.SUCCESSOR, bar.sentence, f"{standing.situation}: {action}: {bar}")


_IN_ITS_PLACE: Final = frozenset({Action.PROPOSE_NEW, Action.EXCEPT})


def _refusal(situation: Situation, kind: Kind, bar: ClosingBar) -> Refusal:
    return Refusal(kind, bar.sentence, f"{situation}: {Closing.CLOSE_ORIGINAL}: {bar}")
