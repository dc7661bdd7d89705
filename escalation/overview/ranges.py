"""Of which time, and of which recipients, figures are asked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db.models import Q

from escalation.policy import Reads

DAY: Final = timedelta(days=1)
# Rows that a page counts by itself; of more it waits for the sums (escalation/overview/counting.py).
MOST_COUNTED: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `since` up to, but not at, `until`."""

    since: datetime
    until: datetime

    def on(self, column: str) -> Q:
        """Return the condition that a column lies in it."""
        return Q(**{f"{column}__gte": self.since, f"{column}__lt": self.until})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What figures are asked for: a time, the recipients that the reader may read, and when it is `now`.

    `reads` is narrowed already where one recipient was asked for.
    """

    span: Span
    reads: Reads
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A span as whole days (UTC), first to last, with what is left of the days at either end."""

    days: tuple[date, ...]
    rest: tuple[Span, ...]


def begins(day: date) -> datetime:
    """Return the midnight (UTC) with which a day begins."""
    return datetime.combine(day, time(), tzinfo=UTC)


def of_day(day: date) -> Span:
    """Return a whole day."""
    return Span(since=begins(day), until=begins(day) + DAY)


def parts(span: Span) -> Parts:
    """Return the whole days of a span, and the rest of it."""
    first = begins(span.since.astimezone(UTC).date())
    if first < span.since:
        first += DAY
    last = begins(span.until.astimezone(UTC).date())
    if first >= last:
        return Parts(days=(), rest=(span,))
    rest = [Span(since=span.since, until=first), Span(since=last, until=span.until)]
    days = tuple([(first + number * DAY).date() for number in range((last - first).days)])
    return Parts(days=days, rest=tuple([one for one in rest if one.since < one.until]))


def joined(days: tuple[date, ...]) -> Iterator[Span]:
    """Yield days that follow each other as one span each."""
    begin: date | None = None
    for number, day in enumerate(days):
        begin = begin or day
        if number + 1 == len(days) or days[number + 1] != day + DAY:
            yield Span(since=begins(begin), until=begins(day) + DAY)
            begin = None


def merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans in their order, those that follow each other as one."""
    last: Span | None = None
    for span in sorted(spans, key=lambda one: one.since):
        if last is not None and last.until == span.since:
            last = Span(since=last.since, until=span.until)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last
