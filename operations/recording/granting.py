"""A grant is leave for exactly one attempt: the same action, bytes and scope, once, before protection ends.

semantics.md, What can still act: once the record is sealed, every writer begins no further attempt without one.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

from operations import models
from operations.core.actions import Action
from operations.core.closing import Closing
from operations.core.worded import Worded
from operations.models.identifiers import uuid7
from operations.recording.pen import Pen


class Unusable(Worded):
    """Why no attempt begins with a grant; `sentence` is for whoever asked."""

    MISSING = (
        "grant_needed",
        "The record is sealed: a further attempt takes a grant of this desk, and a person gives it.",
    )
    UNKNOWN = "no_such_grant", "This operation has no such grant."
    USED = "grant_used", "This grant was used for another attempt; it is for one."
    SUPERSEDED = "grant_superseded", "A later decision took this grant's place."
    ENDED = "grant_ended", "This grant has ended."
    OTHER_BYTES = "grant_of_other_bytes", "This grant is for other bytes than those that would be sent."
    OTHER_SCOPE = "grant_of_other_scope", "This grant is for another scope than the attempt would go out in."


class GrantRefused(Exception):
    """No attempt begins with this grant, or without one; `why` says the reason."""

    def __init__(self, why: Unusable) -> None:
        super().__init__(why.sentence)
        self.why = why


def grant(pen: Pen, decision: models.Decision, *, ends_at: datetime, by: str) -> models.Grant:
    """Append the grant that a decision gives, in the caller's transaction; it ends strictly before `ends_at`."""
    row = models.Grant(
        id=uuid7(pen.now),
        operation=pen.operation,
        decision=decision,
        action=Action.REPEAT.value,
        request_digest=pen.operation.digest,
        scope=pen.operation.scope,
        granted_at=pen.now,
        granted_by=by,
        ends_at=ends_at,
    )
    pen.append(row)
    return row


def usable(pen: Pen, grant_id: UUID, *, digest: str, scope: str) -> models.Grant:
    """Return the grant, with which an attempt may begin now as far as the grant says; raises `GrantRefused`."""
    found = pen.operation.grants.filter(id=grant_id).first()
    if found is None:
        raise GrantRefused(Unusable.UNKNOWN)
    why = _why_not(found, now=pen.now)
    if why is None and found.request_digest != digest:
        why = Unusable.OTHER_BYTES
    if why is None and found.scope != scope:
        why = Unusable.OTHER_SCOPE
    if why is not None:
        raise GrantRefused(why)
    return found


def _why_not(found: models.Grant, *, now: datetime) -> Unusable | None:
    if models.GrantUse.objects.filter(grant=found).exists():
        return Unusable.USED
    if _superseded(found):
        return Unusable.SUPERSEDED
    return None if now < found.ends_at else Unusable.ENDED


_TAKE_ITS_PLACE: Final = (Action.REPEAT.value, Closing.CLOSE_ORIGINAL.value)


def _superseded(found: models.Grant) -> bool:
    """Whether somebody decided on a repeat again since, or to have it closed: what is being ended is not sent again.

    An attempt that began otherwise is the core's to weigh.
    """
    later = models.Decision.objects.filter(operation_id=found.operation_id, action__in=_TAKE_ITS_PLACE)
    return later.filter(position__gt=found.position).exists()


def use(pen: Pen, found: models.Grant, attempt: models.Attempt, *, by: str) -> None:
    """Append the one use of a grant; the database refuses a second."""
    pen.append(
        models.GrantUse(
            id=uuid7(pen.now), grant=found, operation=pen.operation, attempt=attempt, used_at=pen.now, used_by=by
        )
    )


def waiting(operation_id: UUID, *, now: datetime) -> models.Grant | None:
    """Return the grant of an operation that an attempt may begin with at `now`, if there is one."""
    newest = models.Grant.objects.filter(operation_id=operation_id).order_by("-position").first()
    return newest if newest is not None and _why_not(newest, now=now) is None else None


def state_of(found: models.Grant, *, now: datetime) -> Unusable | None:
    """Return None where a grant still waits, else why it can't be used any more."""
    return _why_not(found, now=now)
