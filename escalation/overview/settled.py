"""By what the outcome of cases that ended was settled: by evidence alone, or after a repeat that a person had sent."""

from collections.abc import Iterator
from enum import StrEnum

from django.db.models import Count, Exists, OuterRef

from escalation.models import Case, ProtectedRepeat
from escalation.overview.ranges import Span
from escalation.policy import Reads


class Settled(StrEnum):
    """By what a case ended; every case that ended ended by one of these."""

    EVIDENCE = "evidence"
    REPEAT = "repeat"


def counts(span: Span, reads: Reads) -> Iterator[tuple[int, str, int]]:
    """Yield how many cases ended in this span, by recipient (row id) and by what settled them."""
    repeated = ProtectedRepeat.objects.filter(
        operation=OuterRef("operation"),
        decision__decided_at__gte=OuterRef("opened_at"),
        decision__decided_at__lte=OuterRef("closed_at"),
    )
    ended = Case.objects.filter(reads.at("recipient_id"), span.on("closed_at")).annotate(repeated=Exists(repeated))
    for recipient, after_repeat, number in (
        ended.order_by().values_list("recipient_id", "repeated").annotate(cases=Count("pk"))
    ):
        yield recipient, (Settled.REPEAT if after_repeat else Settled.EVIDENCE).value, number
