"""One operation as it stands at one moment, with everything a screen says of it inferred once.

What is shown is inferred anew at `now`; the cached columns of the row only find and order rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, cast
from uuid import UUID

from escalation import queue
from escalation.policy import Reads
from operations import reading
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.core.actions import Action
from operations.core.advice import Advice, advice
from operations.core.closing import Closing, permitted_of
from operations.core.facts import Attempt, Observation
from operations.core.permitted import Refusal, permitted
from operations.core.standing import Evidence, Finality, Standing
from operations.reading import closings

if TYPE_CHECKING:
    from operations import models


@dataclass(frozen=True, slots=True)
class Sight:
    """An operation, its facts, its standing, what may be done, and what our own record says of it.

    Whether it may be closed, and what it closes itself, is looked up for the page of one alone (`look`).
    """

    read: reading.Read
    standing: Standing
    verdict: Mapping[Action | Closing, Refusal | None]
    steps: tuple[Advice, ...]
    document: Document
    completion: "models.Completion | None"
    now: datetime

    @property
    def operation(self) -> "models.Operation":
        """The operation's row."""
        return self.read.operation

    @property
    def recorded(self) -> bool:
        """Whether our record says what is established; a second effect that is named since it was written is news."""
        if self.completion is None or not is_established(self.standing):
            return False
        if self.standing.duplicate_effect and not self.completion.standing["duplicate_effect"]:
            return False
        return is_of_an_effect(self.completion) == (self.standing.evidence is Evidence.APPLIED)

    @property
    def readings(self) -> "list[tuple[int, models.Reading]]":
        """The readings with their indices in the facts; an answer that names two effects stands there twice."""
        pairs = enumerate(zip(self.read.facts.events, self.read.rows, strict=True))
        return [(at, cast("models.Reading", row)) for at, (event, row) in pairs if isinstance(event, Observation)]

    @property
    def attempts(self) -> "list[models.Attempt]":
        """The attempts in the order in which they were recorded."""
        pairs = zip(self.read.facts.events, self.read.rows, strict=True)
        return [cast("models.Attempt", row) for event, row in pairs if isinstance(event, Attempt)]

    @property
    def names(self) -> dict[UUID, int]:
        """The number of each observation on this page, in the order in which they were recorded."""
        if self.read.left_out:
            return dict(self.read.numbers)
        seen = {row.observation_id: row.observation.position for _, row in self.readings}
        return {pk: number for number, pk in enumerate(sorted(seen, key=lambda pk: seen[pk]), start=1)}


def is_established(standing: Standing) -> bool:
    """Whether there is an outcome that our record could say: it happened, or it cannot any more."""
    return standing.evidence is Evidence.APPLIED or standing.finality is Finality.EXCLUDED


def is_of_an_effect(completion: "models.Completion") -> bool:
    """Whether our record says that it happened; it says that nothing can come of it otherwise."""
    return completion.outcome == Evidence.APPLIED


def sight_of(read: reading.Read, completion: "models.Completion | None", *, now: datetime) -> Sight:
    """Return one operation as it stands at `now`."""
    standing = read.standing(now=now)
    verdict = permitted(standing)
    return Sight(
        read=read,
        standing=standing,
        verdict=dict(verdict.items()),
        steps=advice(standing, verdict),
        document=document_of(reading.judging(read.operation).document),
        completion=completion,
        now=now,
    )


def look(number: int, *, now: datetime, reads: Reads, wanted: reading.Wanted | None = None) -> Sight:
    """Return the operation with this number as it stands at `now`; raises `reading.NoSuchOperation`.

    Of a recipient that is not among `reads` there is none. `wanted`: `reading.operation_shown`; None: its whole record.
    """
    found = queue.called(number, reads=reads)
    read = reading.operation(found) if wanted is None else reading.operation_shown(found, wanted=wanted)
    seen = sight_of(read, read.operation.completions.order_by("position").last(), now=now)
    verdict = permitted_of(seen.standing, linked=closings.linked(read.operation, now=now))
    return replace(seen, verdict=verdict, steps=advice(seen.standing, {action: verdict[action] for action in Action}))
