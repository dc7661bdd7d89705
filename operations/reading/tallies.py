"""What came of the desk's own asks, as it was counted when they ended."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Min, Sum

from operations import models

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """The asks at one recipient: how many there were, how many brought an answer, and how many of those settled something.

    The others got no answer, or the word that nothing has changed (`unchanged`).
    """

    recipient: str
    asks: int
    answers: int
    unchanged: int
    settled: int


def hour_of(at: datetime) -> datetime:
    """Return the beginning of the hour (UTC) in which `at` lies."""
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def counted_since() -> datetime | None:
    """Return the first hour of which any ask was counted; of what was before nothing is known. None: of none."""
    found: datetime | None = models.AskTally.objects.aggregate(first=Min("hour"))["first"]
    return found


def asks(since: datetime, until: datetime, *, among: Collection[int] | None) -> tuple[Asks, ...]:
    """Return the asks of the whole hours that `since` to `until` touches, by recipient (row ids; None: all), most first."""
    last = hour_of(until) + (HOUR if until > hour_of(until) else timedelta(0))
    rows = models.AskTally.objects.filter(hour__gte=hour_of(since), hour__lt=last)
    rows = rows if among is None else rows.filter(recipient_id__in=among)
    found = rows.values("recipient__name", "recipient_id").annotate(
        made=Sum("asks"), brought=Sum("answers"), same=Sum("unchanged"), ended=Sum("settled")
    )
    return tuple(
        [
            Asks(
                recipient=row["recipient__name"],
                asks=row["made"],
                answers=row["brought"],
                unchanged=row["same"],
                settled=row["ended"],
            )
            for row in found.order_by("-made", "recipient__name", "recipient_id")
        ]
    )
