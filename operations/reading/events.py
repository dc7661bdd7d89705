"""What one row says as an event of the core."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

from operations import models
from operations.core.facts import (
    Attempt,
    Correlation,
    Event,
    Observation,
    Seconds,
    Sends,
    Successor,
    SuccessorState,
)

Row: TypeAlias = models.Attempt | models.Reading | models.Successor


def seconds(at: datetime) -> Seconds:
    """Return a time of a row as the core's seconds."""
    return at.timestamp()


def moment(at: Seconds | None) -> datetime | None:
    """Return the core's seconds as a time of a row."""
    return None if at is None else datetime.fromtimestamp(at, tz=UTC)


def _attempt(row: models.Attempt) -> Attempt:
    return Attempt(at=seconds(row.begun_at), id=row.attempt, sends=Sends(row.sends), scope=row.scope)


def _observations(row: models.Reading) -> list[Observation]:
    """Return the core's observations: one, or one for each effect that the answer names."""
    first = Observation(
        at=seconds(row.observation.received_at),
        channel=row.observation.channel,
        says=row.says,
        attempt=row.attempt,
        as_of=seconds(row.as_of),
        authentic=row.authentic,
        correlation=Correlation(row.correlation),
        effect_ref=row.effect_refs[0] if row.effect_refs else None,
        covers_copies=row.covers_copies,
        until=None if row.until is None else seconds(row.until),
    )
    return [first, *[replace(first, effect_ref=reference) for reference in row.effect_refs[1:]]]


def _successor(row: models.Successor, *, of: UUID) -> Successor:
    """Return who else carries the intent of an operation: its successor, or the original again."""
    if row.successor_id == of:
        return Successor(at=seconds(row.named_at), id=str(row.operation_id), state=SuccessorState.OPEN)
    return Successor(at=seconds(row.named_at), id=str(row.successor_id), state=row.state)


def _said_by(row: Row, *, of: UUID) -> Sequence[Event]:
    if isinstance(row, models.Attempt):
        return [_attempt(row)]
    return [_successor(row, of=of)] if isinstance(row, models.Successor) else _observations(row)


def events_of(rows: Iterable[Row], *, of: UUID) -> tuple[tuple[Event, ...], tuple[Row, ...]]:
    """Return the events of these rows of one operation and, event by event, the row behind it."""
    events: list[Event] = []
    behind: list[Row] = []
    for row in rows:
        found = _said_by(row, of=of)
        events += found
        behind += [row] * len(found)
    return tuple(events), tuple(behind)


def newest(readings: Iterable[models.Reading]) -> list[models.Reading]:
    """Return one reading an observation: that of the newest contract version which read it."""
    newest: dict[UUID, models.Reading] = {}
    for reading in readings:
        other = newest.setdefault(reading.observation_id, reading)
        if other is not reading and _order(other) < _order(reading):
            newest[reading.observation_id] = reading
    return list(newest.values())


def _order(reading: models.Reading) -> tuple[int, int]:
    return reading.contract.version, reading.position
