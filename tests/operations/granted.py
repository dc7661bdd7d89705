"""A grant as a person gives it, without the person: decided under the lock, where a repeat is permitted."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from operations.core.actions import Action
from operations.recording import decide, granting, writing


def granted(operation_id: UUID, *, now: datetime, lasts: float = 600) -> UUID:
    """The id of a grant for one further attempt; raises what a decision raises."""
    with writing(operation_id, now=now) as pen:
        decision = decide(
            pen,
            Action.REPEAT,
            door="protected_repeat",
            once=uuid4(),
            revision=pen.operation.revision,
            content={},
            by="mira",
        )
        found = granting.grant(pen, decision, ends_at=now + timedelta(seconds=lasts), by="mira")
        pen.finish()
        return found.id
