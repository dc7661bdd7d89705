"""What people decided in a time, counted once an operation: the first decision of its kind.

People decide one at a time: there are never so many of these that they would have to be summed beforehand.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from escalation.models import BusinessException, LeftUnresolved, NewOperation, RecordRepair
from escalation.models.business_exception import Excuses
from escalation.overview.ranges import Asked


class Decided(StrEnum):
    """One kind of decision."""

    REPAIR = "repair"
    NEW_OPERATION = "new_operation"
    EXCEPTION = "exception"
    LEFT = "left_unresolved"


_WHEN: Final[Mapping[Decided, str]] = {
    Decided.REPAIR: "decided_at",
    Decided.NEW_OPERATION: "decision__decided_at",
    Decided.EXCEPTION: "used_at",
    Decided.LEFT: "decided_at",
}


def _all(kind: Decided) -> QuerySet[Any]:
    if kind is Decided.REPAIR:
        return RecordRepair.objects.all()
    if kind is Decided.NEW_OPERATION:
        return NewOperation.objects.all()
    if kind is Decided.LEFT:
        return LeftUnresolved.objects.all()
    # What was excused by one that creates a second operation is that new operation.
    return BusinessException.objects.filter(used_at__isnull=False, excuses=Excuses.STOPPING.value)


def first(kind: Decided, asked: Asked) -> QuerySet[Any]:
    """Return the first decision of its kind about each operation, where it was taken in the time that is asked of."""
    before = _all(kind).filter(operation=OuterRef("operation"), pk__lt=OuterRef("pk"))
    rows = _all(kind).filter(asked.reads.at("operation__recipient_id"), asked.span.on(_WHEN[kind]))
    return rows.filter(~Exists(before)).order_by()


def how_many(kind: Decided, asked: Asked) -> int:
    """Return how many operations were so decided about for the first time."""
    return first(kind, asked).count()
