"""The rows that a record rests on, as the record says them, each at its position in the chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from operations import decided
from operations.core.facts import Attempt
from operations.record.writing import at, digits, payload
from operations.recording.pen import first_digest

if TYPE_CHECKING:
    from operations import models, reading

# By kind of row: the column that says when it was written, and the one that says by whom (a reading: by no one, by rule).
WRITTEN: Final[Mapping[str, tuple[str, str]]] = {
    "attempt": ("recorded_at", "recorded_by"),
    "observation": ("recorded_at", "source"),
    "reading": ("read_at", "rule"),
    "seal": ("sealed_at", "sealed_by"),
    "completion": ("completed_at", "completed_by"),
    "decision": ("decided_at", "decided_by"),
    "grant": ("granted_at", "granted_by"),
    "grantuse": ("used_at", "used_by"),
    "successor": ("named_at", "named_by"),
    "closing": ("named_at", "named_by"),
}
_CHAINED: Final = {"operation", "position", "digest"}
_NOBODY: Final = {"at": None, "by": None}


def attempts(read: reading.Read) -> list[dict[str, Any]]:
    """Return the attempts: intents to send, never what came of them."""
    pairs = zip(read.facts.events, read.rows, strict=True)
    rows = [cast("models.Attempt", row) for event, row in pairs if isinstance(event, Attempt)]
    return [
        {
            "position": row.position,
            "number": row.number,
            "id": row.attempt,
            "sends": row.sends,
            "scope": row.scope,
            "begun_at": at(row.begun_at),
            "recorded_at": at(row.recorded_at),
            "recorded_by": row.recorded_by,
        }
        for row in rows
    ]


def _reading(row: models.Reading) -> dict[str, Any]:
    return {
        "position": row.position,
        "contract_version": row.contract.version,
        "rule": row.rule,
        "says": row.says,
        "because": row.because,
        "reaches": row.reaches,
        "as_of": at(row.as_of),
        "attempt": row.attempt,
        "tied_by": row.correlation,
        "authentic": row.authentic,
        "effect_refs": list(row.effect_refs),
        "covers_copies": row.covers_copies,
        "until": at(row.until),
        "read_at": at(row.read_at),
    }


def _observation(row: models.Observation, readings: list[models.Reading]) -> dict[str, Any]:
    return {
        "position": row.position,
        "id": str(row.id),
        "channel": row.channel,
        "attempt": row.attempt,
        "status": row.status,
        "fact": row.fact,
        "words": row.words,
        "payload": payload(row.payload, truncated=row.truncated),
        "reported_by": row.source,
        "authentic": row.authentic,
        "asked_at": at(row.asked_at),
        "received_at": at(row.received_at),
        "recorded_at": at(row.recorded_at),
        "readings": [_reading(one) for one in readings],
    }


def observations(read: reading.Read) -> list[dict[str, Any]]:
    """Return the observations with all their readings, those of older contract versions too."""
    readings = list(read.operation.readings.select_related("contract").order_by("position"))
    rows = read.operation.observations.order_by("position")
    return [_observation(row, [one for one in readings if one.observation_id == row.id]) for row in rows]


def completions(read: reading.Read) -> list[dict[str, Any]]:
    """Return what our own record said, and on what it rested."""
    return [
        {
            "position": row.position,
            "outcome": row.outcome,
            "receipt": None if row.receipt_id is None else str(row.receipt_id),
            "effect_ref": row.effect_ref,
            "standing": row.standing,
            "at": at(row.completed_at),
            "by": row.completed_by,
        }
        for row in read.operation.completions.order_by("position")
    ]


def decisions(read: reading.Read) -> list[dict[str, Any]]:
    """Return the decisions, each with the standing that it stood on."""
    return [
        {
            "position": row.position,
            "door": row.door,
            "action": row.action,
            "at": at(row.decided_at),
            "by": row.decided_by,
            "revision_seen": row.revision,
            "decided": row.content,
            "standing": row.standing,
        }
        for row in decided.decisions(read)
    ]


def _links(operation: models.Operation) -> Iterator[Any]:
    # A link between two operations names both of them: it is one kind of row, and a link of the first one's chain.
    related: dict[Any, None] = dict.fromkeys([one.related_model for one in operation._meta.related_objects])  # noqa: SLF001  # public in all but name
    for model in related:
        if {field.name for field in model._meta.fields} >= _CHAINED:  # noqa: SLF001  # likewise
            yield from model.objects.filter(operation=operation)


def _link(row: Any) -> dict[str, Any]:
    kind = row._meta.model_name  # noqa: SLF001  # likewise
    when, who = WRITTEN.get(kind, ("", ""))
    said = {"at": at(getattr(row, when)), "by": getattr(row, who)} if when else _NOBODY
    return {"position": row.position, "kind": kind, "digest": digits(row.digest), **said}


def chain(operation: models.Operation) -> dict[str, Any]:
    """Return every link from the bound request on: position, kind, digest, when and by whom.

    Who bound the request is its first attempt's to say; no row holds the first digest, so it is computed.
    """
    first = digits(first_digest(operation))
    rows = sorted(_links(operation), key=lambda row: row.position)
    return {
        "revision": operation.revision,
        "links": operation.links,
        "head": digits(operation.head),
        "chained": [
            {"position": 0, "kind": "operation", "digest": first, "at": at(operation.created_at), "by": None},
            *[_link(row) for row in rows],
        ],
    }
