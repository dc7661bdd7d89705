"""The schedule as people read it; nothing here locks, plans or claims."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from operations import models
from operations.recording.addressing import NoSuchRecipient

__all__ = ["MOST_COUNTED", "Counts", "NoSuchRecipient", "counts", "failures", "plan_of", "recipient"]

MOST_COUNTED: Final = 10_000
FAILURES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many operations of a recipient; each counted up to MOST_COUNTED, and one more that says "and more"."""

    due: int
    being_asked: int
    later: int
    stopped: int
    call_a_person: int


def recipient(key: str) -> models.Recipient:
    """Return a recipient by its key; raises `NoSuchRecipient`."""
    row = models.Recipient.objects.filter(key=key).first()
    if row is None:
        raise NoSuchRecipient(key)
    return row


def plan_of(operation_id: UUID) -> models.Due | None:
    """Return the plan of one operation, if it has one."""
    return models.Due.objects.filter(operation_id=operation_id).first()


def counts(recipient_id: int, *, now: datetime) -> Counts:
    """Return how many operations of a recipient are due, being asked about, asked about later, or not at all."""
    rows = models.Due.objects.filter(recipient_id=recipient_id)
    held = Q(lease__isnull=False, leased_until__gt=now)
    return Counts(
        due=_count(rows.filter(~held, at__lte=now)),
        being_asked=_count(rows.filter(held)),
        later=_count(rows.filter(~held, at__gt=now)),
        stopped=_count(rows.filter(at=None)),
        call_a_person=_count(rows.filter(person_at__lte=now)),
    )


def _count(rows: "QuerySet[models.Due]") -> int:
    return rows[: MOST_COUNTED + 1].count()


def failures(recipient_id: int) -> tuple[models.Due, ...]:
    """Return the last asks of a recipient that got no answer, the newest first, each with its operation."""
    rows = models.Due.objects.filter(recipient_id=recipient_id, failed_at__isnull=False)
    return tuple(rows.select_related("operation").order_by("-failed_at")[:FAILURES])
