"""When a risk that somebody accepted is to be looked back at, and nobody has decided anything since, its case says so.

Right after any outage: the day is a column, and whatever came due meanwhile is found at once. Two sweeps at the same time
say it once, since each holds the operation's lock. What expired unused put nothing at risk, and is not looked back at.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from escalation.models import BusinessException, ReasonHeld
from escalation.models.case import CaseReason
from operations.core.standing import Evidence, Finality
from operations.reading.needing import last_decided
from operations.recording import writing

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger: Final = logging.getLogger(__name__)


def _due(now: datetime) -> QuerySet[BusinessException]:
    risked = Q(used_at__isnull=False) | Q(expires_at__gt=now)
    return BusinessException.objects.filter(risked, approved_at__isnull=False, review_at__lte=now)


def to_review(operations: Collection[UUID], *, now: datetime) -> frozenset[UUID]:
    """Return those of these open operations with an accepted risk to look back at: no decision was taken since its day."""
    rows = dict(_due(now).filter(operation__in=operations).order_by("review_at").values_list("operation", "review_at"))
    decided = last_decided(rows) if rows else {}
    return frozenset([one for one, day in rows.items() if one not in decided or decided[one] < day])


def review(*, now: datetime, most: int) -> int:
    """Bring up to `most` cases in line with the risks whose day has come; return how many there were."""
    said = ReasonHeld.objects.filter(
        case__operation=OuterRef("operation"), reason=CaseReason.RISK_REVIEW.value, since__gte=OuterRef("review_at")
    )
    settled = Q(operation__evidence=Evidence.APPLIED.value) | Q(operation__finality=Finality.EXCLUDED.value)
    rows = _due(now).exclude(settled).filter(~Exists(said)).order_by("review_at", F("id"))
    found = to_review(list(rows.values_list("operation", flat=True)[:most]), now=now)
    return sum([_told(one, now=now) for one in sorted(found)])


def _told(operation_id: UUID, *, now: datetime) -> bool:
    """Have one case brought in line, in a transaction of its own; one that goes wrong keeps no other waiting."""
    try:
        with writing(operation_id, now=now) as pen:
            pen.finish()
    except Exception:
        logger.exception("the case of operation %s could not be told of a risk to look back at", operation_id)
        return False
    return True
