"""The one shape of every decision (design.md, rule 3): lock, infer again, compare, require, write, and only then act.

A decision and what comes of it are separate rows; whatever is to be sent is scheduled when the transaction has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from escalation.decisions.refused import NotAllowed, StaleView
from escalation.policy import NEEDS_PROOF, May, shut_by_rule, why_not
from escalation.proof import Proof, require_fresh
from operations import recording

if TYPE_CHECKING:
    from escalation.models import User
    from operations.core.actions import Action
    from operations.core.closing import Closing
    from operations.models import Decision

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Who decides, and on what: the `revision` that was looked at, on the form `once`, at `now`.

    `proof` is how and when they last proved who they are; without one, no door opens that sends or risks.
    """

    person: User
    revision: int
    once: UUID
    now: datetime
    proof: Proof | None = None


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


def _require_one_is_enough(may: May, *, recipient: int) -> None:
    refused = shut_by_rule(may, recipient=recipient)
    if refused is not None:
        raise NotAllowed(refused)


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
) -> Row:
    """Write one decision and, in the same transaction, the door's own row; the same form sent twice decides once.

    `content` is what was decided, as JSON; `write` adds the door's row, `again` finds the row that the same form led to.
    Raises `NotAllowed`, `NotFresh`, `StaleView`, recording's `NotPermitted` and whatever `write` raises, and
    `reading.NoSuchOperation`; then nothing is written.
    """
    with recording.writing(operation_id, now=taker.now) as pen:
        require_may(taker.person, door.may, recipient=pen.operation.recipient_id)
        _require_one_is_enough(door.may, recipient=pen.operation.recipient_id)
        if not door.refrains:  # refraining sends and risks nothing
            require_proof(taker.person, door.may, proof=taker.proof, now=taker.now)
        known = recording.decided_already(pen, once=taker.once)
        if known is not None and (known.door, known.decided_by) == (door.name, taker.person.username):
            return again(known)
        if known is not None or pen.operation.revision != taker.revision:
            raise StaleView(f"seen at revision {taker.revision}, now {pen.operation.revision}")
        write_link = recording.refrain if door.refrains else recording.decide
        decision = write_link(
            pen,
            door.action,
            door=door.name,
            once=taker.once,
            revision=taker.revision,
            content=_stated(content, taker.proof),
            by=taker.person.username,
        )
        row = write(pen, decision)
        pen.finish()
        return row
