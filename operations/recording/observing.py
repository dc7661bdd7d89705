"""What is learnt is stored first, whole, and read by the contract second; both stay."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from operations import models
from operations.core.facts import Correlation
from operations.core.standing import Standing
from operations.models.identifiers import uuid7
from operations.recording.heeding import Said
from operations.recording.pen import Pen, writing
from operations.recording.tables import made


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One raw thing learnt: `event` is the reporter's id for it, `payload` the answer's bytes.

    `reference`: the recipient's reference that the question asked by, if it did. `first_seen_at`: when the same answer
    was first received, for one that is given again.
    """

    event: str
    channel: str
    received_at: datetime
    authentic: bool
    attempt: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    payload: bytes | None = None
    truncated: bool = False
    fact: str = ""
    words: str = ""
    asked_at: datetime | None = None
    reference: str | None = None
    first_seen_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What a contract version makes of a report: the claim, the rule that reads it so, and its date."""

    rule: str
    says: str
    because: str
    reaches: str
    as_of: datetime
    correlation: Correlation
    authentic: bool
    attempt: str | None = None
    effect_refs: tuple[str, ...] = ()
    covers_copies: bool = False
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """The observation a report led to and the standing after it; `created` is False where it was on record already."""

    observation_id: UUID
    standing: Standing
    created: bool


def _observation(pen: Pen, report: Report, *, source: str) -> models.Observation:
    return made(
        models.Observation,
        {
            "id": uuid7(pen.now),
            "operation_id": pen.operation.id,
            "event": report.event,
            "channel": report.channel,
            "attempt": report.attempt,
            "status": report.status,
            "headers": [list(line) for line in report.headers],
            "payload": report.payload,
            "truncated": report.truncated,
            "fact": report.fact,
            "words": report.words,
            "source": source,
            "authentic": report.authentic,
            "asked_at": report.asked_at,
            "reference": report.reference or "",
            "first_seen_at": report.first_seen_at,
            "received_at": report.received_at,
            "recorded_at": pen.now,
        },
    )


def reading_row(pen: Pen, observation: models.Observation, claimed: Claimed) -> models.Reading:
    """Return the row of what the contract that reads this operation makes of an observation, not yet judged."""
    row = made(
        models.Reading,
        {
            "id": uuid7(pen.now),
            "operation_id": pen.operation.id,
            "observation_id": observation.id,
            "contract_id": pen.contract.id,
            "rule": claimed.rule,
            "says": claimed.says,
            "because": claimed.because,
            "reaches": claimed.reaches,
            "as_of": claimed.as_of,
            "attempt": claimed.attempt,
            "correlation": claimed.correlation,
            "authentic": claimed.authentic,
            "effect_refs": list(claimed.effect_refs),
            "covers_copies": claimed.covers_copies,
            "until": claimed.until,
            "counts": True,
            "why_not": None,
            "read_at": pen.now,
        },
    )
    row.observation, row.contract = observation, pen.contract
    return row


def _judge(pen: Pen, claim: models.Reading) -> None:
    """Say on the row whether the claim counts as things stand, before it is chained and can't change."""
    claim.position = pen.operation.links
    row = pen.read_with(claim)
    settles_nothing = {row.rows[index].pk: why for index, why in row.standing(now=pen.now).not_counted}
    why = settles_nothing.get(claim.pk)
    claim.counts, claim.why_not = why is None, why


class EventDiffers(Exception):
    """The reporter's id is on record with another report; that one is kept, and this one needs an id of its own."""

    def __init__(self, observation_id: UUID) -> None:
        super().__init__(f"this event is observation {observation_id}, which says something else")
        self.observation_id = observation_id


def _require_same(known: models.Observation, report: Report) -> None:
    told = (report.channel, report.attempt, report.status, report.payload, report.fact, report.words, report.reference)
    payload = None if known.payload is None else bytes(known.payload)
    headers = tuple([(name, value) for name, value in known.headers])
    reference = known.reference or None
    on_record = (known.channel, known.attempt, known.status, payload, known.fact, known.words, reference)
    if (on_record, headers) != (told, report.headers):
        raise EventDiffers(known.id)


def observe_with(pen: Pen, report: Report, *, claimed: Callable[[], Claimed], source: str) -> Observed:
    """Store one report and its reading with a pen that is held already; `claimed` reads it only if it is new."""
    known = pen.observed(report.event)
    if known is not None:
        _require_same(known, report)
        return Observed(known.id, pen.read().standing(now=pen.now), created=False)
    read_as = claimed()
    observation = _observation(pen, report, source=source)
    pen.append(observation)
    claim = reading_row(pen, observation, read_as)
    _judge(pen, claim)
    pen.append(claim)
    return Observed(observation.id, pen.finish(said=_said(report)), created=True)


def _said(report: Report) -> Said | None:
    """Return what a report says about asking; what nobody vouches for says nothing of it."""
    answered_at = report.received_at if report.authentic else None
    if report.asked_at is None and answered_at is None:
        return None
    return Said(channel=report.channel, asked_at=report.asked_at, answered_at=answered_at, headers=report.headers)


def observe(operation_id: UUID, report: Report, *, claimed: Claimed, now: datetime, source: str) -> Observed:
    """Store one report and its reading, and infer the standing anew; the same event again changes nothing.

    Raises `reading.NoSuchOperation`, and `EventDiffers` where the event's id came with another report. Evidence after
    any closing is stored too: late truth is judged, never refused.
    """
    with writing(operation_id, now=now) as pen:
        return observe_with(pen, report, claimed=lambda: claimed, source=source)
