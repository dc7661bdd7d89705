"""What the agents' door answers. Times stand twice: in seconds, as in semantics.md, and in ISO 8601 (`..._iso`)."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpResponse
from pydantic import BaseModel, Field

from operations.api.decided import DecisionSaid, decisions_said
from operations.core.actions import Action
from operations.core.closing import permitted_to
from operations.core.conflicts import ConflictKind
from operations.core.permitted import Kind, Refusal
from operations.core.protection import Protection, ProtectionReason
from operations.core.scenario import answer
from operations.core.standing import Evidence, Finality, FurtherEffect
from operations.reading import Read, closings, moment, seconds

JSON = "application/json"


def said(model: BaseModel, *, status: int = 200) -> HttpResponse:
    """Return a model as the answer."""
    response = HttpResponse(model.model_dump_json(), status=status, content_type=JSON)
    response["Cache-Control"] = "no-store"
    return response


class FateSaid(BaseModel):
    """One attempt in a history in which the action would do harm; `?` is a submission that is not on record."""

    attempt: str
    fate: str
    at: float | None
    at_iso: datetime | None


class RefusalSaid(BaseModel):
    """Why an action is not permitted; `history` is given for harm alone, `until` where time changes the answer."""

    kind: Kind
    reason: str
    rule: Annotated[str, Field(description="The cell of the table of permitted actions.")]
    until: float | None
    until_iso: datetime | None
    history: list[FateSaid] | None


class NotCounted(BaseModel):
    """A report that settles nothing, and why. `index` counts the record's events from 0."""

    index: int
    observation: UUID | None
    reason: str


class Gap(BaseModel):
    """A fact that is missing, and the channels that could supply it."""

    fact: str
    channels: list[str]


class Standing(BaseModel):
    """The answer of the semantics for this operation at `now`: what is known, what may be done, what may not and why."""

    operation: UUID
    revision: int
    sealed: bool
    now: float
    now_iso: datetime
    evidence: Evidence
    finality: Finality
    protection: Protection
    protection_until: float | None
    protection_until_iso: datetime | None
    protection_reason: ProtectionReason | None
    conflict: bool
    conflict_kind: ConflictKind | None
    duplicate_effect: bool
    further_effect: FurtherEffect | None
    permitted: list[Action]
    refusals: dict[Action, RefusalSaid]
    not_counted: list[NotCounted]
    missing: list[Gap]
    decisions: list[DecisionSaid]


class AttemptSaid(BaseModel):
    """An attempt; `recorded`: it is on record, so that it may be sent if your own journal says that it never was."""

    id: str
    recorded: bool


class Registered(BaseModel):
    """The operation on record. Without `attempt.recorded` begin a further attempt before you send."""

    operation: UUID
    created: bool
    attempt: AttemptSaid
    confronts: Annotated[
        UUID | None, Field(description="Of an unasked attempt alone: an open operation about the same thing.")
    ] = None


class Begun(BaseModel):
    """The further attempt on record; `created` is false where it was there already."""

    operation: UUID
    created: bool
    number: int
    attempt: AttemptSaid


class Observed(BaseModel):
    """The report on record; `created` is false where it was there already. `standing` is left out in a batch."""

    operation: UUID
    observation: UUID
    created: bool
    standing: Standing | None = None


class Sealed(BaseModel):
    """The record is sealed. `standing` is left out in a batch."""

    operation: UUID
    standing: Standing | None = None


def refusal_said(refusal: Refusal) -> RefusalSaid:
    """Return a refusal of the core."""
    history = refusal.witness
    fates = None if history is None else [FateSaid(**fate._asdict(), at_iso=moment(fate.at)) for fate in history]
    return RefusalSaid(
        kind=refusal.kind,
        reason=refusal.sentence,
        rule=refusal.rule,
        until=refusal.until,
        until_iso=moment(refusal.until),
        history=fates,
    )


def standing_said(read: Read, *, now: datetime) -> Standing:
    """Return what is known of an operation at `now`."""
    standing = read.standing(now=now)
    original = closings.original_of(read.operation, now=now)
    found: dict[str, Any] = answer(standing, original=original)
    found["refusals"] = {
        action: refusal_said(refusal)
        for action, refusal in permitted_to(standing, original=original).items()
        if refusal is not None
    }
    found["not_counted"] = [
        NotCounted(index=index, observation=getattr(read.rows[index], "observation_id", None), reason=why.sentence)
        for index, why in standing.not_counted
    ]
    return Standing(
        operation=read.operation.id,
        revision=read.operation.revision,
        sealed=read.operation.sealed,
        now=seconds(now),
        now_iso=now,
        protection_until_iso=moment(standing.protection_until),
        decisions=decisions_said(read, now=now),
        **found,
    )
