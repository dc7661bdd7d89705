"""A person is called for what time alone brings about: a window that ends, a deadline, an outcome unknown for too long.

The schedule stands in PostgreSQL (`Due.call_at`), so that a sweep after any outage finds all that came due meanwhile. Two
sweeps at once, or one twice, call once: each looks again under the operation's lock.
"""

import logging
from datetime import datetime
from typing import Final
from uuid import UUID

from operations import models
from operations.recording import watching
from operations.recording.pen import writing

logger: Final = logging.getLogger(__name__)


def call(*, now: datetime, most: int) -> int:
    """Call a person for up to `most` operations whose time has come; return how many there were."""
    waiting = models.Due.objects.filter(call_at__lte=now).order_by("call_at").values_list("operation_id", flat=True)
    return sum([_called(operation_id, now=now) for operation_id in list(waiting[:most])])


def _called(operation_id: UUID, *, now: datetime) -> bool:
    """Call for one in a transaction of its own; one that goes wrong keeps no other waiting."""
    try:
        return _call(operation_id, now=now)
    except Exception:
        logger.exception("nobody could be called for operation %s", operation_id)
        return False


def _call(operation_id: UUID, *, now: datetime) -> bool:
    with writing(operation_id, now=now) as pen:
        if not models.Due.objects.filter(operation_id=operation_id, call_at__lte=now).exists():
            return False
        watching.tell_as_it_is(pen.operation, now=now)
    return True
