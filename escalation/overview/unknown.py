"""What was proved, since, of operations that became unknown for longer than expected."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from django.db.models import Case as First
from django.db.models import CharField, Count, Exists, OuterRef, QuerySet, Value, When

from escalation.models import ReasonHeld
from escalation.models.case import CaseReason
from escalation.overview.ranges import MOST_COUNTED, Span
from escalation.policy import Reads
from operations.core.standing import Evidence, Finality

UNKNOWN: Final = CaseReason.UNKNOWN_TOO_LONG.value


class Proved(StrEnum):
    """What is established of an operation by now; nothing, where the recipient contradicts itself."""

    APPLIED = "applied"
    RULED_OUT = "ruled_out"
    OPEN = "open"


def proved(operation: str) -> First:
    """Return what is established by now of the operation at the end of this path."""
    return First(
        When(**{f"{operation}__evidence": Evidence.APPLIED.value}, then=Value(Proved.APPLIED.value)),
        When(**{f"{operation}__finality": Finality.EXCLUDED.value}, then=Value(Proved.RULED_OUT.value)),
        default=Value(Proved.OPEN.value),
        output_field=CharField(),
    )


def _first(span: Span, reads: Reads) -> QuerySet[ReasonHeld]:
    """Return the first such reason of each operation, where it began in this span."""
    before = ReasonHeld.objects.filter(
        reason=UNKNOWN, case__operation=OuterRef("case__operation"), id__lt=OuterRef("id")
    )
    rows = ReasonHeld.objects.filter(reads.at("case__recipient_id"), span.on("since"), reason=UNKNOWN)
    return rows.filter(~Exists(before)).order_by()


def counts(span: Span, reads: Reads) -> Iterator[tuple[int, str, int]]:
    """Yield how many operations became so in this span, by recipient (row id) and by what is established by now."""
    found = _first(span, reads).annotate(proved=proved("case__operation"))
    yield from found.values_list("case__recipient_id", "proved").annotate(operations=Count("pk"))


def how_many(span: Span, reads: Reads) -> int:
    """Return how many such reasons began in this span, counting no further than one more than a page does."""
    rows = ReasonHeld.objects.filter(reads.at("case__recipient_id"), span.on("since"), reason=UNKNOWN)
    return rows[: MOST_COUNTED + 1].count()
