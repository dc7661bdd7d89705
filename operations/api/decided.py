"""What people decided about an operation, in words that a program can act on. Nothing here permits anything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

from pydantic import BaseModel, Field

from operations import decided
from operations.api.bound import RequestShown, request_shown
from operations.reading import Read, seconds

if TYPE_CHECKING:
    from operations.models import Decision, Operation


class Says(StrEnum):
    """What was decided. `left_unresolved` completes an investigation with an unresolved outcome: no success, no end."""

    RECORDED = "recorded"
    REPEAT_AUTHORISED = "repeat_authorised"
    RISK_PROPOSED = "risk_proposed"
    RISK_ACCEPTED = "risk_accepted"
    RISK_DECLINED = "risk_declined"
    NEW_OPERATION_AUTHORISED = "new_operation_authorised"
    CLOSING_AUTHORISED = "closing_authorised"
    LEFT_UNRESOLVED = "left_unresolved"
    DECIDED = "decided"


class ForTheAgent(StrEnum):
    """What a decision means for the agent that asked for the effect. Whoever may send holds a grant; see `grant`."""

    DO_NOT_RESEND = "do_not_resend"


# By the door's name; a door that has no word here is told as `decided`, which promises nothing.
SAYS: Final[Mapping[str, Says]] = {
    "repair_record": Says.RECORDED,
    "protected_repeat": Says.REPEAT_AUTHORISED,
    "business_exception": Says.RISK_PROPOSED,
    "approve_exception": Says.RISK_ACCEPTED,
    "decline_exception": Says.RISK_DECLINED,
    "new_operation": Says.NEW_OPERATION_AUTHORISED,
    "close_original": Says.CLOSING_AUTHORISED,
    "leave_unresolved": Says.LEFT_UNRESOLVED,
}


class Superseding(BaseModel):
    """The new operation that carries the intent from now on: its first attempt begins under its own id, with a grant."""

    operation: UUID
    number: int
    identity: str
    request: RequestShown


class ClosedBy(BaseModel):
    """The request that closes the operation, an operation of its own: its attempt begins under its own id, with a grant.

    What it is answered is reported there; what that says of this operation is read from it. It carries no intent of this
    one, and whoever has no grant of it sends nothing.
    """

    operation: UUID
    number: int
    identity: str
    request: RequestShown


class DecisionSaid(BaseModel):
    """One decision of a person. `look_again_at` is given where the outcome was left unresolved.

    `superseded_by` is given where a new operation was authorised, `closed_by` where a request that closes this one was.
    """

    door: str
    at: float
    at_iso: datetime
    says: Says
    agent: Annotated[ForTheAgent, Field(description="No decision lets an agent send; a grant does.")]
    stands: Annotated[bool, Field(description="False: what is known moved since, or the time to look again has come.")]
    look_again_at: float | None
    look_again_at_iso: datetime | None
    superseded_by: Superseding | None
    closed_by: ClosedBy | None


def _superseding(row: Operation) -> Superseding:
    return Superseding(operation=row.id, number=row.number, identity=row.identity, request=request_shown(row))


def _closed_by(row: Operation) -> ClosedBy:
    return ClosedBy(operation=row.id, number=row.number, identity=row.identity, request=request_shown(row))


def _said(
    row: Decision, left: decided.Left | None, *, moved: bool, successor: Operation | None, closing: Operation | None
) -> DecisionSaid:
    again = None if left is None else left.look_again_at
    return DecisionSaid(
        door=row.door,
        at=seconds(row.decided_at),
        at_iso=row.decided_at,
        says=SAYS.get(row.door, Says.DECIDED),
        agent=ForTheAgent.DO_NOT_RESEND,
        stands=not moved if left is None else left.stands,
        look_again_at=None if again is None else seconds(again),
        look_again_at_iso=again,
        superseded_by=None if successor is None else _superseding(successor),
        closed_by=None if closing is None else _closed_by(closing),
    )


def decisions_said(read: Read, *, now: datetime) -> list[DecisionSaid]:
    """Return every decision about an operation in order, as it stands at `now`."""
    left = {one.decision.pk: one for one in decided.leavings(read, now=now)}
    new, closing = decided.successors(read), decided.closings(read)
    return [
        _said(
            row,
            left.get(row.pk),
            moved=any(decided.moved(row, read)),
            successor=new.get(row.pk),
            closing=closing.get(row.pk),
        )
        for row in decided.decisions(read)
    ]
