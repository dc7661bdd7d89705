"""A further attempt begins only where a repeat is permitted at that very moment, and is durable before its first byte."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from operations import models
from operations.core.actions import Action
from operations.core.permitted import Refusal, permitted
from operations.core.standing import infer
from operations.models.identifiers import uuid7
from operations.reading import seconds
from operations.recording.pen import Pen, writing
from operations.recording.registering import Intent, attempt_row, require_same


class NotPermitted(Exception):
    """The core refuses this action now; `refusal` says why, and until when."""

    def __init__(self, action: Action, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.action = action
        self.refusal = refusal


def require(pen: Pen, action: Action, *, scope: str | None = None) -> None:
    """Infer again under the lock and raise `NotPermitted` unless `action` is permitted now; `scope` is a repeat's."""
    facts = pen.read().facts
    if scope is not None:
        facts = replace(facts, operation=replace(facts.operation, repeat_scope=scope))
    refusal = permitted(infer(facts, now=seconds(pen.now)))[action]
    if refusal is not None:
        raise NotPermitted(action, refusal)


def begin(operation_id: UUID, intent: Intent, *, now: datetime, by: str) -> models.Attempt:
    """Begin a further attempt; the same attempt id again returns the attempt that is on record.

    Raises `NotPermitted` with the core's refusal, `AttemptDiffers` where that id went out otherwise, and
    `reading.NoSuchOperation`; then nothing is written.
    """
    with writing(operation_id, now=now) as pen:
        known = pen.operation.attempts.filter(attempt=intent.attempt).first()
        if known is not None:
            require_same(known, intent)
            return known
        require(pen, Action.REPEAT, scope=intent.scope)
        row = attempt_row(pen.operation, intent, number=pen.operation.attempts.count() + 1, now=now, by=by)
        pen.append(row)
        pen.finish()
        return row


def seal(operation_id: UUID, *, now: datetime, by: str) -> None:
    """Record that every writer begins no further attempt without a grant of this desk; again changes nothing."""
    with writing(operation_id, now=now) as pen:
        if pen.operation.sealed:
            return
        pen.append(models.Seal(id=uuid7(now), operation=pen.operation, sealed_at=now, sealed_by=by))
        pen.operation.sealed = True
        pen.finish()
