"""What a person decided about an operation, as the desk has it on record, without the person."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from operations import recording
from operations.core.actions import Action
from operations.core.missing import Fact

_DOORS: Final = {
    "left_unresolved": ("leave_unresolved", Action.LEAVE_UNRESOLVED),
    "risk_accepted": ("approve_exception", Action.EXCEPT),
}


def decided(operation: UUID, says: str) -> None:
    """A person decided this, which the agents' door tells as `says`."""
    now = datetime.now(UTC)
    door, action = _DOORS[says]
    content: dict[str, Any] = {}
    if says == "left_unresolved":
        again = (now + timedelta(hours=1)).isoformat()
        content = {"fact": Fact.WHETHER_IT_HAPPENED.value, "told": "Ada", "look_again_at": again, "remark": ""}
    with recording.writing(operation, now=now) as pen:
        revision = pen.operation.revision
        recording.decide(pen, action, door=door, once=uuid4(), revision=revision, content=content, by="mira")
        pen.finish()
