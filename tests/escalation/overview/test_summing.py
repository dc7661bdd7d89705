"""Days are summed once they are over, and again when more is known; sums and counting say the same."""

from datetime import date, timedelta

import pytest

from escalation.models import DaySum, SummedDay
from escalation.models.day_sum import Figure
from escalation.overview import counting
from escalation.overview.ranges import DAY, Span, begins, joined, merged, parts
from escalation.overview.summing import SETTLES, due, sweep
from escalation.overview.unknown import Proved
from escalation.policy import Reads
from tests.escalation.overview.stages import HOUR, MINUTE, T0, Made, asked, count, lost

FIRST = T0.date()
MIDNIGHT = begins(FIRST) + DAY
OVER = MIDNIGHT + SETTLES


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def test_a_span_is_whole_days_and_what_is_left_of_the_days_at_either_end():
    whole = Span(since=begins(day(0)), until=begins(day(2)))
    assert (parts(whole).days, parts(whole).rest) == ((day(0), day(1)), ())
    cut = Span(since=begins(day(0)) + HOUR, until=begins(day(3)) + HOUR)
    assert parts(cut).days == (day(1), day(2))
    assert parts(cut).rest == (
        Span(since=cut.since, until=begins(day(1))),
        Span(since=begins(day(3)), until=cut.until),
    )


@pytest.mark.parametrize("hours", [1, 23])
def test_a_span_without_a_whole_day_is_what_is_left(hours):
    span = Span(since=begins(day(0)) + HOUR, until=begins(day(0)) + HOUR + hours * HOUR)
    assert (parts(span).days, parts(span).rest) == ((), (span,))


def test_days_that_follow_each_other_are_one_span():
    assert list(joined((day(0), day(1), day(4)))) == [
        Span(since=begins(day(0)), until=begins(day(2))),
        Span(since=begins(day(4)), until=begins(day(5))),
    ]


def test_spans_that_follow_each_other_are_counted_as_one():
    one, two, other = [Span(since=T0 + n * HOUR, until=T0 + (n + 1) * HOUR) for n in (0, 1, 3)]
    assert list(merged([other, two, one])) == [Span(since=T0, until=T0 + 2 * HOUR), other]
    assert list(merged([])) == []


pytestmark = pytest.mark.django_db


def settled(made: Made, *, at) -> None:
    made.issued("T-1", now=at)


def everything(now, *, reads: Reads | None = None) -> list[dict[tuple[int, str], int]]:
    """All figures that are summed, of the first three days."""
    more = {} if reads is None else {"reads": reads}
    found = [count(figure, asked(begins(day(0)), begins(day(3)), now=now, **more)).parts for figure in Figure]
    return [dict(parts or {}) for parts in found]


def test_a_desk_without_cases_has_no_days_to_sum():
    assert (sweep(now=OVER, most=10), due(now=OVER)) == (0, [])


def test_a_day_is_summed_once_it_is_over_for_a_while_and_then_not_again():
    lost()
    assert sweep(now=OVER - timedelta(seconds=1), most=10) == 0
    assert sweep(now=OVER, most=10) == 1
    assert [(row.day, row.summed_at, row.stale) for row in SummedDay.objects.all()] == [(FIRST, OVER, False)]
    assert sweep(now=OVER + HOUR, most=10) == 0


def test_what_is_summed_is_what_was_counted():
    settled(lost(), at=T0 + HOUR)
    settled(lost("order-2", at=T0 + DAY, key="other-desk"), at=T0 + DAY + HOUR)
    lost("order-3", at=T0 + DAY)
    before = everything(OVER)
    assert sweep(now=OVER + 2 * DAY, most=10) == 3
    assert DaySum.objects.count() > 5
    assert everything(OVER) == before
    other = DaySum.objects.exclude(recipient__key="collection-desk").values_list("recipient", flat=True)[0]
    assert {recipient for found in everything(OVER, reads=Reads(frozenset([other]))) for recipient, _ in found} == {
        other
    }


def test_the_newest_days_are_summed_first_and_the_others_by_the_next_sweep():
    lost()
    now = OVER + 2 * DAY
    assert sweep(now=now, most=2) == 2
    assert set(SummedDay.objects.values_list("day", flat=True)) == {day(2), day(1)}
    assert (sweep(now=now, most=2), due(now=now)) == (1, [])


def test_a_day_is_summed_again_when_a_case_of_it_ended_later():
    made = lost()
    sweep(now=OVER, most=10)
    assert everything(OVER)[2] == {(made.row.recipient_id, Proved.OPEN.value): 1}
    settled(made, at=OVER + HOUR)
    assert everything(OVER + HOUR)[2] == {(made.row.recipient_id, Proved.OPEN.value): 1}  # as it was known then
    assert sweep(now=OVER + HOUR, most=10) == 1
    assert everything(OVER + HOUR)[2] == {(made.row.recipient_id, Proved.APPLIED.value): 1}


def test_a_day_is_summed_again_when_a_contradiction_comes_after_the_end():
    made = lost()
    settled(made, at=T0 + HOUR)
    sweep(now=OVER, most=10)
    made.recorded("closed", now=OVER + HOUR)
    assert sweep(now=OVER + HOUR + MINUTE, most=10) == 1
    assert everything(OVER + HOUR)[2] == {(made.row.recipient_id, Proved.OPEN.value): 1}


def test_what_changed_while_no_sweep_ran_is_found_by_the_next():
    made = lost()
    sweep(now=OVER, most=10)
    settled(made, at=OVER + HOUR)
    assert sweep(now=OVER + 5 * DAY, most=1) == 1  # the newest day; the stale one waits for its turn
    assert SummedDay.objects.get(day=FIRST).stale
    assert sweep(now=OVER + 5 * DAY, most=10) == 5
    assert everything(OVER + 5 * DAY)[2] == {(made.row.recipient_id, Proved.APPLIED.value): 1}


def test_what_came_while_a_sweep_ran_is_looked_at_again():
    made = lost()
    sweep(now=OVER, most=10)
    late = lost("order-2", at=OVER - HOUR)
    settled(made, at=OVER - MINUTE)  # written after the sweep, by who had read the clock before
    assert sweep(now=OVER + MINUTE, most=10) == 1
    assert late.row.evidence == "unknown"


def test_of_days_that_are_neither_summed_nor_few_the_figure_is_unknown_and_not_none(monkeypatch):
    settled(lost(), at=T0 + HOUR)
    settled(lost("order-2"), at=T0 + HOUR)
    monkeypatch.setattr(counting, "MOST_COUNTED", 1)
    assert [count(figure, asked()).parts for figure in Figure] == [None, None, None]
    sweep(now=OVER, most=10)
    found = count(Figure.TOOK, asked(begins(FIRST), MIDNIGHT + HOUR))
    assert (sum(found.by_part().values()), found.as_of) == (2, OVER)
