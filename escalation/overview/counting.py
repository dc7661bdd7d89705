"""A figure that is summed by the day is read from the sums, and counted where there are none, as far as that is quick.

Both count by the same rule, the function of `RULES`. Of days that are neither summed nor few enough to count, the
figure is unknown; it is never taken for none.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, TypeAlias

from django.db.models import Min, Sum

from escalation.models import Case, DaySum, SummedDay
from escalation.models.day_sum import Figure
from escalation.overview import settled, took, unknown
from escalation.overview.ranges import MOST_COUNTED, Asked, Span, joined, merged, parts
from escalation.policy import Reads

# How often each part of a figure came about in a span: recipient (row id), part, number.
Counts: TypeAlias = Iterable[tuple[int, str, int]]
Rule: TypeAlias = Callable[[Span, Reads], Counts]
RULES: Final[Mapping[Figure, Rule]] = {
    Figure.TOOK: took.counts,
    Figure.SETTLED: settled.counts,
    Figure.UNKNOWN: unknown.counts,
}
_MANY: Final[Mapping[Figure, Callable[[Span, Reads], int]]] = {
    Figure.TOOK: took.how_many,
    Figure.SETTLED: took.how_many,
    Figure.UNKNOWN: unknown.how_many,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often each part came about, by recipient (row id) and part; None: it is not known for all of the time.

    `as_of`: days that are over are as they were known then; None where all of it was counted now.
    """

    parts: Mapping[tuple[int, str], int] | None
    as_of: datetime | None = None

    def by_part(self) -> Mapping[str, int]:
        """Return how often each part came about at all recipients together; nothing where it is not known."""
        found: Counter[str] = Counter()
        for (_, part), number in (self.parts or {}).items():
            found[part] += number
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which days of a time are read from the sums, and which spans are counted; `as_of` is when the oldest sum was made."""

    summed: tuple[date, ...]
    live: tuple[Span, ...]
    as_of: datetime | None


def plan(span: Span) -> Plan:
    """Return how a time is counted now; the same plan serves every figure."""
    of = parts(span)
    summed, as_of = _summed(of.days)
    unsummed = tuple([day for day in of.days if day not in set(summed)])
    live = [*of.rest, *joined(_since_the_first_case(unsummed))]
    return Plan(summed=summed, live=tuple(merged(live)), as_of=as_of)


def counted(figure: Figure, asked: Asked, by: Plan) -> Counted:
    """Return a figure for a time and recipients."""
    found = Counter(dict(_sums(figure, by.summed, asked.reads)))
    for span in by.live:
        if _MANY[figure](span, asked.reads) > MOST_COUNTED:
            return Counted(parts=None, as_of=by.as_of)
        for recipient, part, number in RULES[figure](span, asked.reads):
            found[recipient, part] += number
    return Counted(parts=found, as_of=by.as_of)


def _summed(days: tuple[date, ...]) -> tuple[tuple[date, ...], datetime | None]:
    if not days:
        return (), None
    rows = SummedDay.objects.filter(day__gte=days[0], day__lte=days[-1]).order_by("day")
    found = list(rows.values_list("day", "summed_at"))
    return tuple([day for day, _ in found]), min([at for _, at in found], default=None)


def _since_the_first_case(days: tuple[date, ...]) -> tuple[date, ...]:
    """Return those days on which there may have been a case: before the first one there was none to count."""
    first = first_case() if days else None
    return tuple([day for day in days if first is not None and day >= first.date()])


def first_case() -> datetime | None:
    """Return when the first case of all was opened; None: there never was one."""
    found: datetime | None = Case.objects.aggregate(first=Min("opened_at"))["first"]
    return found


def _sums(figure: Figure, days: tuple[date, ...], reads: Reads) -> Iterator[tuple[tuple[int, str], int]]:
    if not days:
        return
    rows = DaySum.objects.filter(reads.at("recipient_id"), figure=figure.value, day__gte=days[0], day__lte=days[-1])
    for recipient, part, number in rows.values_list("recipient_id", "key").annotate(of_all=Sum("number")):
        yield (recipient, part), int(number)
