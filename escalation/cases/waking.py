"""A case that was put off comes back when its time has come, right after any outage; two sweeps at once wake it once."""

import logging
from datetime import datetime
from typing import Final
from uuid import UUID

from escalation.models import Case, CaseAct
from escalation.models.case import Act
from operations.recording import writing

logger: Final = logging.getLogger(__name__)


def wake(*, now: datetime, most: int) -> int:
    """Wake up to `most` cases whose time has come; return how many there were."""
    waiting = Case.objects.filter(closed_at=None, snoozed_until__lte=now).order_by("snoozed_until")
    return sum([_woken(one, now=now) for one in list(waiting.values_list("operation_id", flat=True)[:most])])


def _woken(operation_id: UUID, *, now: datetime) -> bool:
    """Wake one in a transaction of its own; one that goes wrong keeps no other waiting."""
    try:
        return _wake(operation_id, now=now)
    except Exception:
        logger.exception("the case of operation %s could not be woken", operation_id)
        return False


def _wake(operation_id: UUID, *, now: datetime) -> bool:
    with writing(operation_id, now=now):
        case = Case.objects.filter(operation=operation_id, closed_at=None, snoozed_until__lte=now).first()
        if case is None:
            return False
        case.snoozed_until, case.snoozed_standing = None, ""
        case.revision += 1
        case.save(update_fields=["snoozed_until", "snoozed_standing", "revision"])
        CaseAct.objects.create(case=case, act=Act.WOKEN, at=now, note="The time to look again has come.")
    return True
