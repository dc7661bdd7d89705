"""Repeats for the tests: one that was decided, as the page decides it."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.taking import Taker
from escalation.models import ProtectedRepeat, User
from operations import models
from tests.escalation.people import proved
from tests.operations.dispatching import now


def repeated(
    operation_id: UUID, person: User, *, executor: str = "desk", at: datetime | None = None, **seen: Any
) -> ProtectedRepeat:
    """A decision to repeat, on what stands unless `seen` says otherwise; raises what it raises."""
    values = {"revision": models.Operation.objects.get(id=operation_id).revision, "once": uuid4(), **seen}
    moment = at or now()
    taker = Taker(person=person, now=moment, proof=proved(person, at=moment), **values)
    return protected_repeat(operation_id, taker, executor=executor)
