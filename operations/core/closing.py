"""Whether somebody may have the recipient close an operation, and what that changes of the six: one verdict with both.

The theory. A closing request asks the recipient to end the operation for good, and answers what became of it. It can add
no effect to the original, whatever history is true: so no compatible history gives a second one, and there is no refusal
of kind `harm`. What it can do is end what is under way, which is why it is for what is open, and never sent without a
person. It is a seventh question beside the six of semantics.md (Permitted actions), which is silent about it: the six, and
what they answer, stay as they are of every operation that closes nothing.

A request that only closes another is sent while that one may be closed: so its repeat is refused where the original's
closing is, before anything of its own is asked. One request at a time is manners, not safety: the same request again is
the earlier one's own question, and that one answers it while a repeat of it is protected.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from operations.core.actions import Action
from operations.core.facts import Seconds
from operations.core.permitted import Kind, Refusal, permitted
from operations.core.protection import Protection
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request that was authorised to close an operation: what is known of it, as an operation of its own.

    `protection_until` (seconds): None where protection has no end, or is not active. `sending`: this desk is told to send
    it. `leave_until` (seconds): until then an agent may begin to send it; None where none has leave.
    """

    situation: Situation
    protection: Protection
    protection_until: Seconds | None
    sending: bool
    leave_until: Seconds | None


_ENDED: Final = frozenset({Situation.APPLIED, Situation.CLOSED})


def _waits(request: Request, now: Seconds) -> bool:
    """Whether this desk is told to send it, or the agent may."""
    return request.sending or (request.leave_until is not None and now < request.leave_until)


def is_open(request: Request, *, now: Seconds) -> bool:
    """Whether a closing request may still be sent, or what became of it is not known.

    Where nothing of it can act it is open only while this desk is told to send it, or the agent may.
    """
    if request.situation in _ENDED:
        return False
    return request.situation is not Situation.NOTHING_CAN_ACT or _waits(request, now)


def stands_for_another(request: Request, *, now: Seconds) -> bool:
    """Whether the same closing request is the question to ask: it may still be sent, or can be sent again and is open.

    One that is open, but not protected any more, keeps nobody from another: neither adds an effect to the original.
    """
    if request.situation in _ENDED:
        return False
    until = request.protection_until
    protected = request.protection is Protection.ACTIVE and (until is None or now < until)
    return _waits(request, now) or (protected and request.situation is not Situation.NOTHING_CAN_ACT)


def to_close(standing: Standing, *, requests: Iterable[Request]) -> Refusal | None:
    """Return None where the original may be closed, else the refusal.

    `requests` are those that were authorised to close it already; they are looked at only while its outcome is open.
    """
    situation = standing.situation
    if situation in _SHUT:
        return _refusal(situation, *_SHUT[situation])
    another = any(stands_for_another(one, now=standing.weighed.now) for one in requests)
    return _refusal(situation, Kind.MANNERS, ClosingBar.ANOTHER_OPEN) if another else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What an operation is linked to by closing: `requests` are those that were authorised to close it.

    `original` is what is known, at the same moment, of the one that it closes itself; None where it closes nothing.
    """

    original: Standing | None = None
    requests: Iterable[Request] = ()


def permitted_to(standing: Standing, *, original: Standing | None) -> dict[Action, Refusal | None]:
    """Return for each of the six None (permitted) or the refusal, of an operation that closes the `original`, if any."""
    verdict = permitted(standing)
    if original is None:
        return verdict
    return {action: _as_linked(standing, action, refusal, original) for action, refusal in verdict.items()}


def permitted_of(standing: Standing, *, linked: Linked) -> dict[Action | Closing, Refusal | None]:
    """Return for every action, and for closing, None (permitted) or the refusal: the whole verdict of one operation."""
    found: dict[Action | Closing, Refusal | None] = {}
    found.update(permitted_to(standing, original=linked.original).items())
    found[Closing.CLOSE_ORIGINAL] = to_close(standing, requests=linked.requests)
    return found


def refused(standing: Standing, action: Action | Closing, *, linked: Linked) -> Refusal | None:
    """Return what `permitted_of` says of one action; `requests` are looked at for closing alone."""
    if isinstance(action, Closing):
        return to_close(standing, requests=linked.requests)
    return permitted_to(standing, original=linked.original)[action]


# What would have another operation carry an intent.
_IN_ITS_PLACE: Final = frozenset({Action.PROPOSE_NEW, Action.EXCEPT})


def _as_linked(standing: Standing, action: Action, refusal: Refusal | None, original: Standing) -> Refusal | None:
    """Return the refusal of an action, that of the table among it, of an operation that closes the `original`.

    It has no intent of its own to be carried on: a successor would be one of the original that is not linked to it and
    that its own verdict knows nothing of.
    """
    if action is Action.REPEAT:
        return to_close(original, requests=()) or refusal
    if refusal is None and action in _IN_ITS_PLACE:
        bar = ClosingBar.CLOSES_ANOTHER
        return Refusal(Kind.SUCCESSOR, bar.sentence, f"{standing.situation}: {action}: {bar}")
    return refusal


def _refusal(situation: Situation, kind: Kind, bar: ClosingBar) -> Refusal:
    return Refusal(kind, bar.sentence, f"{situation}: {Closing.CLOSE_ORIGINAL}: {bar}")
