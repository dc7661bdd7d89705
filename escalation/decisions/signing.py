"""What the one transaction of a decision asks of a second signature: whose it may be, and whether it still fits.

A proposal stands on what was known then: while the answers about the operation are those, and nothing was sent since,
it may be signed at whatever revision the second person saw. What settles nothing changes nothing that was agreed to;
what does, or another request, is for somebody to propose anew (approve_exception.py holds accepted risks to the same).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from escalation.decisions.places import places_of
from escalation.decisions.refused import NotAllowed
from escalation.models import SecondSignature
from escalation.models.second_signature import State
from escalation.policy import May, not_the_signer, why_not
from operations.core.facts import Attempt
from operations.core.scenario import answer
from operations.decided import Moved

if TYPE_CHECKING:
    from escalation.models import User
    from operations import recording
    from operations.models import Decision
    from operations.reading import Read

# The key under which a decision's content names the proposal that it was signed on.
NAMED: Final = "second_signature"
_MAYS: Final = {may.value: may for may in May}
_PARTS: Final[Mapping[str, str]] = {
    "evidence": Moved.EVIDENCE.sentence,
    "finality": Moved.FINALITY.sentence,
    "conflict_kind": Moved.CONFLICT.sentence,
    "duplicate_effect": "Whether the recipient names more than one effect changed since.",
}


class NotSignable(Exception):
    """It can't be signed, declined or taken back any more; the message is a sentence."""


def may_of(row: SecondSignature) -> May:
    """Return what both people must be allowed."""
    return _MAYS[row.may]


def digest_of(row: SecondSignature) -> str:
    """Return the digest of a proposal as it was made: SHA-256 of its columns as canonical JSON, in hexadecimal."""
    said = {
        "operation": str(row.operation_id),
        "door": row.door,
        "action": row.action,
        "typed": row.typed,
        "content": row.content,
        "revision": row.revision,
        "position": row.position,
        "standing": row.standing,
        "proposed_by": row.proposed_by.username,
        "proposed_at": row.proposed_at.astimezone(UTC).isoformat(),
        "proved": row.proved,
        "lapses_at": row.lapses_at.astimezone(UTC).isoformat(),
    }
    return sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def named(row: SecondSignature) -> dict[str, Any]:
    """Return how a decision's content names the proposal that it was signed on."""
    return {
        NAMED: {
            "number": row.pk,
            "proposed_by": row.proposed_by.username,
            "proposed_at": row.proposed_at.astimezone(UTC).isoformat(),
            "digest": digest_of(row),
        }
    }


def moved(row: SecondSignature, read: Read, *, now: datetime) -> Iterator[str]:
    """Yield in sentences what makes an operation another one than it was proposed on."""
    here = answer(read.standing(now=now))
    yield from [sentence for part, sentence in _PARTS.items() if row.standing[part] != here[part]]
    rows = zip(read.rows, read.facts.events, strict=True)
    if any(isinstance(event, Attempt) and one.position >= row.position for one, event in rows):
        yield Moved.ATTEMPT.sentence


def in_words(row: Any) -> str:
    """Return why a proposal, read with its state, waits no more."""
    if row.state == State.LAPSED:
        return "Its time ran out before anybody signed it; propose anew."
    done = {State.SIGNED: "signed", State.DECLINED: "declined", State.WITHDRAWN: "taken back"}[row.state]
    return f"{row.ended_by.username} has {done} it at {row.ended_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."


def locked(number: int, *, now: datetime) -> Any:
    """Return a proposal with its state, locked until the caller's transaction ends; raises `NotSignable`.

    It is read in a statement of its own: the one that locks sees what is joined to the row as it was before it waited.
    """
    if not SecondSignature.objects.select_for_update().filter(pk=number).values_list("pk"):
        raise NotSignable("Nothing of this number waits for a second signature.")
    rows = SecondSignature.objects.with_state(now).select_related("proposed_by", "ended_by", "operation")
    return rows.get(pk=number)


def require_waiting(row: Any) -> None:
    """Raise `NotSignable` unless a proposal, read with its state, still waits."""
    if row.state != State.WAITING:
        raise NotSignable(in_words(row))


def held(pen: recording.Pen, number: int, *, by: User, door: str, content: Mapping[str, Any]) -> SecondSignature:
    """Return the proposal that this person signs, locked, if what is decided now is what was proposed.

    Raises `NotAllowed` where it can't be this person, and `NotSignable`.
    """
    row: SecondSignature = locked(number, now=pen.now)
    require_waiting(row)
    refused = not_the_signer(by, first=row.proposed_by)
    if refused is not None:
        raise NotAllowed(refused)
    if any(why_not(row.proposed_by, may_of(row), recipient=here) for here in places_of(may_of(row), pen.operation)):
        raise NotSignable(f"{row.proposed_by.username} may not do this any more; somebody else has to propose it.")
    if (row.operation_id, row.door) != (pen.operation.id, door) or row.content != content:
        raise NotSignable("What it would decide now is not what was proposed; propose anew.")
    for sentence in moved(row, pen.read(), now=pen.now):
        raise NotSignable(f"{sentence} Propose anew.")
    return row


def sign(row: SecondSignature, decision: Decision, *, by: User) -> None:
    """Use a proposal up for the decision that stands on it, in the caller's transaction."""
    row.ended_as, row.ended_at, row.ended_by, row.signature = State.SIGNED.value, decision.decided_at, by, decision
    row.save(update_fields=("ended_as", "ended_at", "ended_by", "signature"))
