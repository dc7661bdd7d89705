"""A further attempt begins only with a grant, where a repeat is permitted at that very moment, before its first byte."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from operations import models
from operations.core.actions import Action
from operations.core.closing import Closing, refused
from operations.core.facts import Attempt, Event
from operations.core.permitted import Refusal
from operations.core.standing import Standing, infer
from operations.models.identifiers import uuid7
from operations.reading import closings, seconds
from operations.recording.granting import GrantRefused, Unusable, usable, use
from operations.recording.pen import Pen, writing
from operations.recording.registering import Intent, attempt_row, require_same


class NotPermitted(Exception):
    """The core refuses this action now; `refusal` says why, and until when."""

    def __init__(self, action: Action | Closing, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.action = action
        self.refusal = refusal


def require(
    pen: Pen, action: Action | Closing, *, scope: str | None = None, leaving_out: str | None = None
) -> Standing:
    """Infer again under the lock, raise `NotPermitted` unless `action` is permitted now, and return the standing.

    `scope` is a repeat's. `leaving_out` is an attempt (its own id) that surely was not sent: the one that is decided on.
    """
    facts = pen.read().facts
    if scope is not None:
        facts = replace(facts, operation=replace(facts.operation, repeat_scope=scope))
    if leaving_out is not None:
        facts = replace(facts, events=tuple([one for one in facts.events if not _is(one, leaving_out)]))
    standing = infer(facts, now=seconds(pen.now))
    refusal = refused(standing, action, linked=closings.linked(pen.operation, now=pen.now))
    if refusal is not None:
        raise NotPermitted(action, refusal)
    return standing


def _is(event: Event, attempt: str) -> bool:
    return isinstance(event, Attempt) and event.id == attempt


def begin(
    operation_id: UUID, intent: Intent, *, now: datetime, by: str, grant: UUID | None = None, digest: str | None = None
) -> models.Attempt:
    """Begin a further attempt with a grant, and use it up; the same attempt id again returns the one on record.

    `digest` is that of the representation which will be sent; the operation's own, if not given. Raises `GrantRefused`,
    `NotPermitted` with the core's refusal, `AttemptDiffers` where that id went out otherwise, and
    `reading.NoSuchOperation`; then nothing is written.
    """
    with writing(operation_id, now=now) as pen:
        known = pen.operation.attempts.filter(attempt=intent.attempt).first()
        if known is not None:
            require_same(known, intent)
            return known
        bytes_meant = pen.operation.digest if digest is None else digest
        held = None if grant is None else usable(pen, grant, digest=bytes_meant, scope=intent.scope)
        require(pen, Action.REPEAT, scope=intent.scope)
        if held is None:  # what the core permits is sealed: only a complete record rules out what isn't on it
            raise GrantRefused(Unusable.MISSING)
        row = attempt_row(pen.operation, intent, number=pen.operation.attempts.count() + 1, now=now, by=by)
        pen.append(row)
        use(pen, held, row, by=by)
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
