"""The one shape of every decision (design.md, rule 3): lock, infer again, compare, require, write, and only then act.

A decision and what comes of it are separate rows; whatever is to be sent is scheduled when the transaction has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from escalation.decisions import signing
from escalation.decisions.places import places_of, why_two
from escalation.decisions.refused import NotAllowed, StaleView
from escalation.decisions.stake import at_stake
from escalation.policy import BRING_TWO, NEEDS_PROOF, May, why_not
from escalation.proof import Proof, require_fresh
from operations import recording

if TYPE_CHECKING:
    from escalation.models import SecondSignature, User
    from escalation.models.money import Money
    from operations.core.actions import Action
    from operations.core.closing import Closing
    from operations.core.representation import Representation
    from operations.models import Decision

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Who decides, and on what: the `revision` that was looked at, on the form `once`, at `now`.

    `proof` is how and when they last proved who they are; without one, no door opens that sends or risks, and nobody signs.
    Who `proposes` decides nothing: all is tried and taken back (`Rehearsed`). `signs` is the number of what another
    person proposed, and this one signs; `filled_in` is the form of that other person then.
    """

    person: User
    revision: int
    once: UUID
    now: datetime
    proof: Proof | None = None
    proposes: bool = False
    signs: int | None = None
    filled_in: UUID | None = None

    @property
    def form(self) -> UUID:
        """The form that was filled in, whoever signs it: what is made anew for a decision is named by it."""
        return self.filled_in or self.once


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The door a decision goes through: its name, what the core is asked, and what a person must be allowed (policy).

    A decision that `refrains` is one not to take the action, so that the core has nothing to permit.
    """

    name: str
    action: Action | Closing
    may: May
    refrains: bool = False


def require_may(person: User, what: May, *, recipient: int | None) -> None:
    """Raise `NotAllowed` with the sentence unless this person may; None is every recipient."""
    refused = why_not(person, what, recipient=recipient)
    if refused is not None:
        raise NotAllowed(refused)


def require_proof(person: User, what: May, *, proof: Proof | None, now: datetime) -> None:
    """Raise `NotFresh` with the sentence where this takes a fresh proof of who the person is, and there is none."""
    if what in NEEDS_PROOF:
        require_fresh(proof, person=person, now=now)


def _require_proved(taker: Taker, door: Door) -> None:
    if taker.signs is not None:  # two names are two people only if the second one was there
        require_fresh(taker.proof, person=taker.person, now=taker.now)
    elif not door.refrains:  # refraining sends and risks nothing
        require_proof(taker.person, door.may, proof=taker.proof, now=taker.now)


class SecondNeeded(Exception):
    """It takes two people here, and nobody proposed it yet; the message is the sentence of the rule."""


class Rehearsed(Exception):
    """A door wrote everything that it would have decided, and all of it was taken back.

    `decision` is the link that would have been written, `content` what the door would have decided by it, `stake` what
    is at stake.
    """

    def __init__(self, decision: Decision, *, door: Door, content: Mapping[str, Any], stake: Money | None) -> None:
        super().__init__("rehearsed; nothing was written")
        self.decision, self.door, self.content, self.stake = decision, door, content, stake


def _signed(
    pen: recording.Pen, taker: Taker, *, door: Door, content: Mapping[str, Any], stake: Money | None
) -> SecondSignature | None:
    """Return what is signed by this decision, None where one person is enough; raises where it takes two."""
    if taker.signs is not None:
        return signing.held(pen, taker.signs, by=taker.person, door=door.name, content=content)
    if taker.proposes or door.may in BRING_TWO:
        return None
    needed = why_two(door.may, pen.operation, amount=stake)
    if needed is not None:
        raise SecondNeeded(f"{needed} Propose it, and another person signs it.")
    return None


def _link(
    pen: recording.Pen, taker: Taker, *, door: Door, content: Mapping[str, Any], signed: SecondSignature | None
) -> Decision:
    write_link = recording.refrain if door.refrains else recording.decide
    return write_link(
        pen,
        door.action,
        door=door.name,
        once=taker.once,
        revision=taker.revision,
        content=_stated(content if signed is None else {**content, **signing.named(signed)}, taker.proof),
        by=taker.person.username,
    )


def _stated(content: Mapping[str, Any], proof: Proof | None) -> dict[str, Any]:
    """Return what was decided with how and when the person had proved who they are; the chain holds both."""
    return dict(content) if proof is None else {**content, "proved": proof.stated()}


def take(
    operation_id: UUID,
    taker: Taker,
    *,
    door: Door,
    content: Mapping[str, Any],
    write: Callable[[recording.Pen, Decision], Row],
    again: Callable[[Decision], Row],
    request: Representation | None = None,
) -> Row:
    """Write one decision and, in the same transaction, the door's own row; the same form sent twice decides once.

    `content` is what was decided, as JSON; `write` adds the door's row, `again` finds the row that the same form led to.
    `request` is what it is about, where that is not the operation's own: by it is told what is at stake. Where a rule
    asks for two people, nobody decides but who signs what another proposed, and both are named in the content.
    Raises `NotAllowed`, `NotFresh`, `SecondNeeded`, signing's `NotSignable`, `StaleView`, `Rehearsed`, recording's
    `NotPermitted` and whatever `write` raises, and `reading.NoSuchOperation`; then nothing is written.
    """
    with recording.writing(operation_id, now=taker.now) as pen:
        for here in places_of(door.may, pen.operation):
            require_may(taker.person, door.may, recipient=here)
        _require_proved(taker, door)
        known = recording.decided_already(pen, once=taker.once)
        if known is not None and (known.door, known.decided_by) == (door.name, taker.person.username):
            return again(known)
        stake = at_stake(pen.operation, request)
        signed = _signed(pen, taker, door=door, content=content, stake=stake)
        if known is not None or pen.operation.revision != taker.revision:
            raise StaleView(f"seen at revision {taker.revision}, now {pen.operation.revision}")
        decision = _link(pen, taker, door=door, content=content, signed=signed)
        row = write(pen, decision)
        if signed is not None:
            signing.sign(signed, decision, by=taker.person)
        pen.finish()
        if taker.proposes:
            raise Rehearsed(decision, door=door, content=content, stake=stake)
        return row
