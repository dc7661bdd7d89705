"""A result is given out to the agent's side, and what came of that is told: having it is one fact, a model's reading it another."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from operations import reading
from operations.api.fields import Asked, EventId, Label
from operations.api.problems import Problem
from operations.api.said import Standing, standing_said
from operations.reading import seconds
from operations.reading.owed import results_owed
from operations.recording import delivering

if TYPE_CHECKING:
    from operations.api.door import Visit

_STEPS: Final = {step.value: step for step in delivering.Step}


class Collect(Asked):
    """For which call of which run the result is fetched; both are provenance."""

    call: Label = ""
    run: Label = ""


class Deliver(Asked):
    """One step of a hand-over, as the agent's side saw it."""

    event: Annotated[EventId, Field(description="Your own id; the same event again changes nothing.")]
    step: Annotated[
        Literal["acknowledged", "carried", "answered"],
        Field(
            description="`acknowledged`: you have stored the result. `carried`: a request to the model held it."
            " `answered`: the model replied to such a request."
        ),
    ]
    links: Annotated[int, Field(ge=1, description="`links` of the result that you fetched.")]
    call: Label = ""
    run: Label = ""
    request: Annotated[Label, Field(description="The id of the request or the reply, as your runtime has it.")] = ""


class Result(BaseModel):
    """What is known and decided, as it is owed to the agent. `owed`: something in it did not arrive yet, as far as is known.

    Name `links` when you tell that it arrived. What settles or is decided later is another result.
    """

    operation: UUID
    number: int
    identity: str
    effect: str
    links: int
    owed: bool
    owed_since: float | None
    owed_since_iso: datetime | None
    standing: Standing


class Delivered(BaseModel):
    """The step on record; `owed`: whether anything is owed still."""

    operation: UUID
    event: str
    created: bool
    owed: bool


def _since(operation_id: UUID) -> datetime | None:
    found = results_owed(among=None, limit=1, operation=operation_id)
    return found[0].since if found else None


def collected(operation_id: UUID, asked: Collect, *, visit: Visit) -> Result:
    """Return a result and record that it was given out; where nothing is owed nothing is recorded."""
    row = reading.bound(operation_id, recipients=visit.recipients)
    read = reading.operation(row.id)
    since = _since(row.id)
    if since is not None:
        delivering.collect(read.operation, call=asked.call, run=asked.run, by=visit.caller.source, now=visit.now)
    return Result(
        operation=row.id,
        number=row.number,
        identity=row.identity,
        effect=row.effect,
        links=read.operation.links,
        owed=since is not None,
        owed_since=None if since is None else seconds(since),
        owed_since_iso=since,
        standing=standing_said(read, now=visit.now),
    )


def delivered(operation_id: UUID, asked: Deliver, *, visit: Visit) -> Delivered:
    """Record one step; raises the problem of a result that nobody was given."""
    row = reading.bound(operation_id, recipients=visit.recipients)
    told = delivering.Told(
        event=f"told:{asked.event}",
        step=_STEPS[asked.step],
        links=asked.links,
        call=asked.call,
        run=asked.run,
        request=asked.request,
    )
    try:
        _, created = delivering.tell(row.id, told, by=visit.caller.source, now=visit.now)
    except delivering.NotCollected:
        raise Problem(
            409,
            "not_collected",
            "The result with these links was never given out; fetch it first. Nothing was recorded.",
        ) from None
    except delivering.DeliveryDiffers:
        raise Problem(
            409, "event_differs", "This event is on record with another step or result. Use an id of its own."
        ) from None
    return Delivered(operation=row.id, event=asked.event, created=created, owed=_since(row.id) is not None)
