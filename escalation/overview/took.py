"""Time to resolution: how long cases that ended in a time had been open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from django.db.models import Count, DurationField, ExpressionWrapper, F, Func, IntegerField

from escalation.models import Case
from escalation.overview.ranges import MOST_COUNTED, Span
from escalation.policy import Reads

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
# Seconds at which a step ends and the next begins: every 5 s up to a minute, every half minute up to ten, every minute
# up to an hour, every 10 minutes up to six hours, every half hour up to a day, every 3 hours up to a week, every 12 hours
# up to 30 days, every 5 days up to a year.
_STEPS: Final = (
    (5, _MINUTE),
    (30, 10 * _MINUTE),
    (_MINUTE, _HOUR),
    (10 * _MINUTE, 6 * _HOUR),
    (30 * _MINUTE, _DAY),
    (3 * _HOUR, 7 * _DAY),
    (12 * _HOUR, 30 * _DAY),
    (5 * _DAY, 365 * _DAY),
)


def _ends() -> Iterator[int]:
    at = 0
    for step, last in _STEPS:
        while at < last:
            at += step
            yield at


ENDS: Final = tuple(_ends())


class _Step(Func):
    """The number of the step in which a length lies: 0 is the first, which ends with the first of `ENDS`."""

    template = f"width_bucket(EXTRACT(EPOCH FROM %(expressions)s), ARRAY[{', '.join(map(str, ENDS))}]::numeric[])"
    output_field = IntegerField()


def counts(span: Span, reads: Reads) -> Iterator[tuple[int, str, int]]:
    """Yield how many cases that ended in this span took so long, by recipient (row id) and step."""
    ended = Case.objects.filter(reads.at("recipient_id"), span.on("closed_at"))
    length = ExpressionWrapper(F("closed_at") - F("opened_at"), output_field=DurationField())
    steps = ended.annotate(took=_Step(length)).order_by().values_list("recipient_id", "took")
    for recipient, step, number in steps.annotate(cases=Count("pk")):
        yield recipient, str(step), number


def how_many(span: Span, reads: Reads) -> int:
    """Return how many cases ended in this span, counting no further than one more than a page does."""
    return Case.objects.filter(reads.at("recipient_id"), span.on("closed_at"))[: MOST_COUNTED + 1].count()


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """How long the cases that ended took: `number` of them, and how many in each of `SPREAD`.

    `half` and `nine_in_ten` are seconds: at least so many of them took less. None: none ended, so there is no such time.
    """

    number: int
    spread: tuple[int, ...]
    half: int | None
    nine_in_ten: int | None


# Seconds at which the parts of the picture end; the last one has no end. Each is one of `ENDS`.
SPREAD: Final = (
    _MINUTE,
    5 * _MINUTE,
    15 * _MINUTE,
    _HOUR,
    4 * _HOUR,
    _DAY,
    3 * _DAY,
    7 * _DAY,
    30 * _DAY,
)


def took(steps: Mapping[str, int]) -> Took:
    """Return how long they took, from how many there are in each step."""
    found = sorted((int(step), number) for step, number in steps.items())
    spread = [0] * (len(SPREAD) + 1)
    for step, number in found:
        spread[_part(step)] += number
    of_all = sum(spread)
    return Took(
        number=of_all, spread=tuple(spread), half=_below(found, of_all, 50), nine_in_ten=_below(found, of_all, 90)
    )


def _part(step: int) -> int:
    ends = ENDS[step] if step < len(ENDS) else inf
    return next((number for number, end in enumerate(SPREAD) if ends <= end), len(SPREAD))


def _below(found: Sequence[tuple[int, int]], of_all: int, percent: int) -> int | None:
    """Return the end of the step in which the case lies that has so many per cent of all at or before it (nearest rank).

    None where there is none, or where that step has no end.
    """
    rank, seen = -(-of_all * percent // 100), 0
    for step, number in found:
        seen += number
        if seen >= rank:
            return ENDS[step] if step < len(ENDS) else None
    return None
