"""Time to resolution: from a case's opening to its end, in steps that can be summed."""

from datetime import timedelta
from math import ceil

import pytest

from escalation.models.day_sum import Figure
from escalation.overview import took
from escalation.policy import Reads
from tests.escalation.overview.stages import CALLED, MINUTE, T0, asked, count, lost

SECOND = timedelta(seconds=1)


def steps_of(*seconds: float) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in seconds:
        step = str(sum(one >= end for end in took.ENDS))
        found[step] = found.get(step, 0) + 1
    return found


def test_where_nothing_ended_there_is_no_time():
    nothing = took.took({})
    assert (nothing.number, nothing.half, nothing.nine_in_ten, sum(nothing.spread)) == (0, None, None, 0)


def test_steps_follow_each_other_and_no_part_of_the_picture_cuts_one():
    assert list(took.ENDS) == sorted(set(took.ENDS))
    assert set(took.SPREAD) <= set(took.ENDS)


@pytest.mark.parametrize(
    ("seconds", "half", "nine_in_ten"),
    [
        ((7,), 10, 10),
        ((5,), 10, 10),  # a step begins with the end of the one before
        ((1, 2, 3, 3599), 5, 3600),
        (tuple(range(0, 100 * 60, 60)), 50 * 60, 90 * 60),
        ((1, 400 * 86_400), 5, None),  # longer than the last step: no end can be said
    ],
)
def test_half_and_nine_in_ten_took_less_than_is_said(seconds, half, nine_in_ten):
    found = took.took(steps_of(*seconds))
    assert (found.number, found.half, found.nine_in_ten) == (len(seconds), half, nine_in_ten)
    for share, end in ((0.5, half), (0.9, nine_in_ten)):
        if end is not None:
            assert sum(one < end for one in seconds) >= ceil(share * len(seconds))


def test_every_length_stands_in_the_part_of_the_picture_that_it_is_in():
    lengths = (0, 59, 60, 299, 300, 3600, 86_399, 30 * 86_400, 500 * 86_400)
    spread = took.took(steps_of(*lengths)).spread
    ends = [*took.SPREAD, float("inf")]
    assert list(spread) == [
        sum((ends[part - 1] if part else 0) <= one < end for one in lengths) for part, end in enumerate(ends)
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("length", "less_than"), [(4 * SECOND, 5), (5 * SECOND, 10), (59 * MINUTE, 3600), (MINUTE, 90)]
)
def test_the_database_counts_in_the_same_steps(length, less_than):
    lost().issued("T-1", now=T0 + CALLED + length)
    found = took.took(count(Figure.TOOK, asked()).by_part())
    assert (found.number, found.half, found.nine_in_ten) == (1, less_than, less_than)


@pytest.mark.django_db
def test_a_case_counts_where_it_ended_not_where_it_was_opened_and_only_once_it_ended():
    made = lost()
    assert took.took(count(Figure.TOOK, asked()).by_part()).number == 0
    ended = T0 + 3 * CALLED
    made.issued("T-1", now=ended)
    for since, until, number in ((T0, ended, 0), (ended, ended + SECOND, 1), (ended + SECOND, ended + MINUTE, 0)):
        assert took.took(count(Figure.TOOK, asked(since, until)).by_part()).number == number


@pytest.mark.django_db
def test_cases_of_other_recipients_are_not_counted():
    made = lost()
    lost("order-2", key="other-desk").issued("T-2", now=T0 + 2 * CALLED)
    here = asked(reads=Reads(frozenset([made.row.recipient_id])))
    assert took.took(count(Figure.TOOK, here).by_part()).number == 0
    assert took.took(count(Figure.TOOK, asked()).by_part()).number == 1
