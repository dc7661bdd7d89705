"""What a person decides is a link of the operation's chain, with the standing that it stood on; nothing is sent here."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from operations import models
from operations.core.actions import Action
from operations.core.closing import Closing
from operations.core.scenario import answer
from operations.models.identifiers import uuid7
from operations.recording.attempting import require
from operations.recording.pen import Pen


def decided_already(pen: Pen, *, once: UUID) -> models.Decision | None:
    """Return the decision that the same form took already, if it did."""
    return pen.operation.decisions.filter(once=once).first()


def decide(
    pen: Pen, action: Action | Closing, *, door: str, once: UUID, revision: int, content: Mapping[str, Any], by: str
) -> models.Decision:
    """Append a decision in the caller's transaction; raises `NotPermitted` where the core refuses its action now.

    `content` is JSON. The caller has compared `revision` with the operation's, and calls `pen.finish()` at the end.
    """
    require(pen, action)
    return refrain(pen, action, door=door, once=once, revision=revision, content=content, by=by)


def refrain(
    pen: Pen, action: Action | Closing, *, door: str, once: UUID, revision: int, content: Mapping[str, Any], by: str
) -> models.Decision:
    """Append the decision not to take an action: it makes nothing possible, so nothing has to be permitted for it."""
    row = models.Decision(
        id=uuid7(pen.now),
        operation=pen.operation,
        door=door,
        action=action.value,
        once=once,
        revision=revision,
        standing=answer(pen.read().standing(now=pen.now)),
        content=dict(content),
        decided_at=pen.now,
        decided_by=by,
    )
    pen.append(row)
    return row
