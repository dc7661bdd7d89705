"""Each step of a hand-over is a row that somebody evidenced; none is ever changed, and none says anything of the effect.

Whoever watches the operation is told in the same transaction, under its lock: what is owed of it may be owed no more.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from operations import models
from operations.models.delivery import Step as Step
from operations.models.identifiers import uuid7
from operations.recording import watching
from operations.recording.pen import writing

_TOLD: Final = ("step", "links", "call", "run", "request")


class NotCollected(Exception):
    """The result that is spoken of was never given out to anybody, so nobody can have it."""


class DeliveryDiffers(Exception):
    """The event is on record with another step or result; what was recorded holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One step as it is told: `links` says of which result, `event` is the reporter's id for it."""

    event: str
    step: Step
    links: int
    call: str = ""
    run: str = ""
    request: str = ""


def collect(operation: models.Operation, *, call: str, run: str, by: str, now: datetime) -> models.Delivery:
    """Write that a result was given out, as the record stands in `operation`; once a result and reporter."""
    told = Told(event=f"collected:{operation.links}:{by}"[:128], step=Step.COLLECTED, links=operation.links, call=call)
    return _keep(operation.id, told, _columns(told, run=run, by=by, now=now), now=now)[0]


def _keep(operation_id: UUID, told: Told, columns: dict[str, object], *, now: datetime) -> tuple[models.Delivery, bool]:
    """Write a step unless its event is on record, and say whether it is new."""
    with writing(operation_id, now=now) as pen:
        row, created = models.Delivery.objects.get_or_create(
            operation_id=operation_id, event=told.event, defaults=columns
        )
        if created:
            watching.tell_as_it_is(pen.operation, now=now)
    return row, created


def _columns(told: Told, *, run: str, by: str, now: datetime) -> dict[str, object]:
    return {
        "id": uuid7(now),
        "step": told.step.value,
        "links": told.links,
        "call": told.call,
        "run": run,
        "request": told.request,
        "source": by,
        "recorded_at": now,
    }


def tell(operation_id: UUID, told: Told, *, by: str, now: datetime) -> tuple[models.Delivery, bool]:
    """Write what the agent's side tells of a result, and say whether it is new; the same event again changes nothing.

    Raises `NotCollected` for a result that nobody was given, and `DeliveryDiffers`.
    """
    given_out = models.Delivery.objects.filter(operation_id=operation_id, step=Step.COLLECTED.value, links=told.links)
    if not given_out.exists():
        raise NotCollected(str(told.links))
    row, created = _keep(operation_id, told, _columns(told, run=told.run, by=by, now=now), now=now)
    if not created and any(getattr(row, name) != getattr(told, name) for name in _TOLD):
        raise DeliveryDiffers(str(row.id))
    return row, created


def show(
    operation_id: UUID, told: Told, *, transcript: models.Transcript, pointer: str, by: str, now: datetime
) -> models.Delivery:
    """Write what a record that a person brought shows of a result; once a record and step."""
    columns = {**_columns(told, run=told.run, by=by, now=now), "transcript": transcript, "pointer": pointer}
    return _keep(operation_id, told, columns, now=now)[0]
