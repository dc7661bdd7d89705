"""Where an agent asked for a person, and nobody decided anything since: words that call, and are never evidence."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Exists, Max, OuterRef

from operations import models

# What such words carry in place of a fact of the wire; no contract reads it.
NEEDS_PERSON: Final = "needs_person"


def needing(operations: Collection[UUID]) -> frozenset[UUID]:
    """Return those of these operations for which an agent's asking still stands: no decision was taken since."""
    if not operations:
        return frozenset()
    later = models.Decision.objects.filter(operation=OuterRef("operation"), position__gt=OuterRef("position"))
    asked = models.Observation.objects.filter(operation__in=operations, fact=NEEDS_PERSON)
    return frozenset(asked.filter(~Exists(later)).values_list("operation_id", flat=True))


def asked_since(operation: models.Operation, *, since: datetime) -> list[datetime]:
    """Return when an agent asked for a person about an operation after `since`, the oldest first."""
    rows = operation.observations.filter(fact=NEEDS_PERSON, recorded_at__gt=since)
    return list(rows.order_by("recorded_at").values_list("recorded_at", flat=True))


def last_decided(operations: Iterable[UUID]) -> Mapping[UUID, datetime]:
    """Return when a person decided last about each of these operations, where one has."""
    rows = models.Decision.objects.filter(operation__in=list(operations)).values("operation")
    return dict(rows.annotate(last=Max("decided_at")).values_list("operation", "last"))
