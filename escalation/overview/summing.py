"""Days that are over are summed once, and again when more is known of their cases; a sweep at any time is right.

A day is summed a while after it ended, when whatever began on it is written. An operation that became unknown on a day is
settled on a later one: each sweep looks which cases ended or were opened again since the last, and the days that these
began on are stale until they are summed again. Two sweeps at once leave what one leaves.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import TruncDate

from escalation.models import Case, DaySum, ReasonHeld, SummedDay
from escalation.overview.counting import RULES, first_case
from escalation.overview.ranges import DAY, of_day
from escalation.overview.unknown import UNKNOWN
from escalation.policy import EVERY_RECIPIENT

# No transaction takes as long from when its time was read until it is over.
SETTLES: Final = timedelta(minutes=15)


def sweep(*, now: datetime, most: int) -> int:
    """Sum up to `most` days that are due, the newest first; return how many there were."""
    look(now=now)
    days = due(now=now)[:most]
    for day in days:
        sum_day(day, now=now)
    return len(days)


def due(*, now: datetime) -> list[date]:
    """Return the days that are not summed yet, or stale, the newest first."""
    first = first_case()
    if first is None:
        return []
    fresh = set(SummedDay.objects.filter(stale=False).values_list("day", flat=True))
    return [day for day in _back(_last(now), first.astimezone(UTC).date()) if day not in fresh]


def _last(now: datetime) -> date:
    return (now - SETTLES).astimezone(UTC).date() - DAY


def _back(last: date, first: date) -> Iterator[date]:
    day = last
    while day >= first:
        yield day
        day -= DAY


def sum_day(day: date, *, now: datetime) -> None:
    """Sum one day from its cases as they are known now; whoever reads meanwhile finds the sums before, or none."""
    with transaction.atomic():
        SummedDay.objects.bulk_create([SummedDay(day=day, summed_at=now, looked_at=now)], ignore_conflicts=True)
        kept = SummedDay.objects.select_for_update().get(day=day)  # of two at once the second waits here
        DaySum.objects.filter(day=day).delete()
        DaySum.objects.bulk_create(_sums(day))
        kept.summed_at, kept.stale = now, False
        kept.save(update_fields=["summed_at", "stale"])


def _sums(day: date) -> Iterator[DaySum]:
    for figure, counts in RULES.items():
        for recipient, part, number in counts(of_day(day), EVERY_RECIPIENT):
            yield DaySum(day=day, recipient_id=recipient, figure=figure.value, key=part, number=number)


def look(*, now: datetime) -> None:
    """Mark the days as stale of which more is known since anybody looked last."""
    looked_at: datetime | None = SummedDay.objects.aggregate(last=Max("looked_at"))["last"]
    if looked_at is None:
        return
    with transaction.atomic():
        _mark(_touched(looked_at - SETTLES))
        newest = SummedDay.objects.order_by("-day").values("day")[:1]
        SummedDay.objects.filter(day__in=newest, looked_at__lt=now).update(looked_at=now)


def _mark(days: Iterable[date]) -> None:
    SummedDay.objects.filter(day__in=set(days), stale=False).update(stale=True)


def _touched(since: datetime) -> Iterable[date]:
    """Return the days on which operations became unknown whose cases ended, or were opened again, since then."""
    moved = Case.objects.filter(Q(closed_at__gte=since) | Q(opened_at__gte=since, nth__gt=1))
    held = ReasonHeld.objects.filter(reason=UNKNOWN, case__operation__in=moved.values("operation"))
    return held.annotate(day=TruncDate("since", tzinfo=UTC)).order_by().values_list("day", flat=True).distinct()
