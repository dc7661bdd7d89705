"""An operation as the agents' door shows it: what was bound, what was tried, what was learnt. Payloads by digest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from pydantic import BaseModel

from operations.api.bound import RequestShown, request_shown
from operations.api.decided import DecisionSaid
from operations.api.said import Standing, standing_said
from operations.contracts.loading import document_of
from operations.core.conflicts import ConflictKind
from operations.core.facts import Attempt as FactOfAttempt
from operations.core.facts import Authority
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, FurtherEffect
from operations.reading import Read

if TYPE_CHECKING:
    from operations.models import Attempt, Observation, Operation, Reading

_INFERRED: Final = (
    "evidence",
    "finality",
    "protection",
    "protection_until",
    "duplicate_effect",
    "further_effect",
    "assessed_at",
)


class Summary(BaseModel):
    """One line of a list; the standing is that of `assessed_at`, ask the operation for this moment's."""

    id: UUID
    number: int
    recipient: str
    identity: str
    effect: str
    agent: str
    run: str
    call: str
    tool: str
    created_at: datetime
    deadline: datetime | None
    evidence: Evidence
    finality: Finality
    protection: Protection
    protection_until: datetime | None
    conflict_kind: ConflictKind | None
    duplicate_effect: bool
    further_effect: FurtherEffect | None
    sealed: bool
    assessed_at: datetime
    revision: int


class AttemptShown(BaseModel):
    """A decision to send, recorded before the first byte."""

    id: str
    number: int
    sends: str
    scope: str
    begun_at: datetime
    recorded_at: datetime
    recorded_by: str


class ObservationShown(BaseModel):
    """What was learnt, and what the contract makes of it. `counts`: whether it settles anything as things stand."""

    id: UUID
    event: str
    channel: str
    authority: Authority
    attempt: str | None
    status: int | None
    fact: str
    words: str
    payload_bytes: int | None
    payload_sha256: str | None
    truncated: bool
    source: str
    received_at: datetime
    recorded_at: datetime
    says: str
    rule: str
    because: str
    reaches: str
    as_of: datetime
    correlation: str
    effect_refs: list[str]
    counts: bool
    why_not: str | None


class Whole(Summary):
    """Everything on record of one operation, and its standing now."""

    identity_known: bool
    contract: int
    authorised_by: str
    request: RequestShown
    attempts: list[AttemptShown]
    observations: list[ObservationShown]
    decisions: list[DecisionSaid]
    standing: Standing


def _same(model: type[BaseModel], row: object, *but: str) -> dict[str, Any]:
    """Return the fields of a model that a row has under the same name."""
    return {name: getattr(row, name) for name in model.model_fields if name not in but}


def summary(row: Operation) -> Summary:
    """Return a row of a list."""
    found = _same(Summary, row, "recipient", "conflict_kind")
    return Summary(**found, recipient=row.recipient.key, conflict_kind=row.conflict)


def whole(read: Read, *, now: datetime) -> Whole:
    """Return everything on record of one operation; its standing is that of `now` throughout."""
    row, standing = read.operation, read.standing(now=now)
    why = {read.rows[index].pk: reason.sentence for index, reason in standing.not_counted}
    kept = _same(Summary, row, "recipient", "conflict_kind", *_INFERRED)
    told = standing_said(read, now=now)
    return Whole(
        **kept,
        recipient=row.recipient.key,
        evidence=told.evidence,
        finality=told.finality,
        protection=told.protection,
        protection_until=told.protection_until_iso,
        conflict_kind=told.conflict_kind,
        duplicate_effect=told.duplicate_effect,
        further_effect=told.further_effect,
        assessed_at=now,
        identity_known=row.identity_known,
        contract=row.contract.version,
        authorised_by=row.authorised_by,
        request=request_shown(row),
        attempts=[_attempt(attempt) for attempt in _attempts(read)],
        observations=[_observation(reading, why.get(reading.pk)) for reading in _readings(read)],
        decisions=told.decisions,
        standing=told,
    )


def _readings(read: Read) -> Iterable[Reading]:
    """Return the readings once each, in order; one that names several effects stands behind several events."""
    rows = [read.rows[index] for index, _ in read.facts.observations]
    return cast("Iterable[Reading]", dict.fromkeys(rows))


def _attempts(read: Read) -> Iterable[Attempt]:
    rows = [row for row, event in zip(read.rows, read.facts.events, strict=True) if isinstance(event, FactOfAttempt)]
    return cast("Iterable[Attempt]", rows)


def _attempt(row: Attempt) -> AttemptShown:
    return AttemptShown(**_same(AttemptShown, row, "id"), id=row.attempt)


def _authority(reading: Reading) -> Authority:
    """What the channel may speak for by the contract that read it; none where the contract lists no such channel."""
    channel = document_of(reading.contract.document).channels.get(reading.observation.channel)
    return Authority.NONE if channel is None else channel.authority


def _observation(reading: Reading, why_not: str | None) -> ObservationShown:
    row: Observation = reading.observation
    payload = None if row.payload is None else bytes(row.payload)
    mine = ("says", "rule", "because", "reaches", "as_of", "correlation", "effect_refs")
    return ObservationShown(
        authority=_authority(reading),
        **_same(ObservationShown, row, *mine, "authority", "counts", "why_not", "payload_bytes", "payload_sha256"),
        **{name: getattr(reading, name) for name in mine},
        payload_bytes=None if payload is None else len(payload),
        payload_sha256=None if payload is None else sha256(payload).hexdigest(),
        counts=why_not is None,
        why_not=why_not,
    )
