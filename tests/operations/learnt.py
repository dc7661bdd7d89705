"""Histories of every kind as rows of an operation, written without the product's way of recording them."""

from datetime import timedelta
from itertools import count
from typing import Any

from operations import models
from operations.core.facts import Attempt, Facts, Observation
from operations.models.identifiers import uuid7
from tests.operations.rows import later

# The channels of the facts that are drawn, as the desk's contract calls channels of their kind.
CHANNELS = {"ledger": "record", "list": "place", "webhook": "events", "client": "wire", "search": "search"}


def learnt(
    operation: models.Operation, facts: Facts, *, read_anew_by: models.Contract | None = None, **came: Any
) -> None:
    """Append what the facts hold, in their order; every second observation was read otherwise before `read_anew_by`.

    `came` are columns of the observations.
    """
    places = count(operation.links + operation.observations.count() + operation.readings.count())
    for number, event in enumerate(facts.events):
        if isinstance(event, Attempt):
            _attempt(operation, event, next(places))
        elif isinstance(event, Observation):
            before = [] if read_anew_by is None or number % 2 else [(operation.contract, "applied")]
            seen = _observation(operation, event, next(places), **came)
            for contract, says in [*before, (read_anew_by or operation.contract, event.says)]:
                _reading(seen, event, contract, says, next(places))


def _attempt(operation: models.Operation, event: Attempt, place: int) -> None:
    at = later(event.at)
    models.Attempt.objects.create(
        id=uuid7(at),
        operation=operation,
        number=place,
        attempt=f"again {event.id}" if event.id == "a1" else event.id,
        sends=event.sends,
        scope=event.scope,
        begun_at=at,
        recorded_at=at,
        recorded_by="test",
        position=place,
        digest=b"",
    )


def _observation(operation: models.Operation, event: Observation, place: int, **came: Any) -> models.Observation:
    at = later(event.at)
    values = {"status": 200, **came}
    return models.Observation.objects.create(
        id=uuid7(at),
        operation=operation,
        event=f"e{place}",
        channel=CHANNELS.get(event.channel, event.channel),
        attempt=event.attempt,
        headers=[],
        source="test",
        authentic=event.authentic,
        received_at=at,
        recorded_at=at + timedelta(seconds=1),
        position=place,
        digest=b"",
        **values,
    )


def _reading(seen: models.Observation, event: Observation, contract: models.Contract, says: str, place: int) -> None:
    at = later(event.at)
    models.Reading.objects.create(
        id=uuid7(at),
        operation_id=seen.operation_id,
        observation=seen,
        contract=contract,
        rule="rule",
        says=says,
        because="because",
        reaches="effect",
        as_of=at if event.as_of is None else later(event.as_of),
        attempt=event.attempt,
        correlation=event.correlation,
        authentic=event.authentic,
        effect_refs=[] if event.effect_ref is None else [event.effect_ref],
        covers_copies=event.covers_copies,
        until=None if event.until is None else later(event.until),
        counts=True,
        read_at=at,
        position=place,
        digest=b"",
    )
