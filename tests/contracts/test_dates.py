"""A statement is never dated later than it was made."""

import pytest

from operations.contracts.channel import TimeForm
from operations.contracts.dates import Stated, UndatedAnswer, placed, spelt, stated, time
from operations.contracts.http_semantics import asked_less_age
from operations.contracts.places import MISSING, UNREADABLE
from operations.core.strict_json import NumberText as N

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z
ASKED = NOON + 100


@pytest.mark.parametrize(
    ("found", "form"),
    [
        (MISSING, TimeForm.RFC_3339),
        (UNREADABLE, TimeForm.EPOCH_SECONDS),
        (None, TimeForm.EPOCH_SECONDS),
        (True, TimeForm.EPOCH_SECONDS),
        (["2026-11-30T12:00:00Z"], TimeForm.RFC_3339),
        ("2026-11-30T12:00:00", TimeForm.RFC_3339),  # no zone
        ("2026-11-30", TimeForm.RFC_3339),
        ("2026-13-30T12:00:00Z", TimeForm.RFC_3339),
        ("2026-11-30T12:00:00Z ", TimeForm.RFC_3339),
        ("soon", TimeForm.EPOCH_SECONDS),
        ("-5", TimeForm.EPOCH_SECONDS),
        (N("-5"), TimeForm.EPOCH_SECONDS),
        (N("1e300"), TimeForm.EPOCH_SECONDS),
        (N("1796040000000"), TimeForm.EPOCH_SECONDS),  # milliseconds taken for seconds
        ("tomorrow", TimeForm.HTTP_DATE),
        ("Mon, 99 Nov 2026 12:00:00 GMT", TimeForm.HTTP_DATE),
    ],
)
def test_what_is_no_time_in_its_form_is_none(found, form):
    assert time(found, form=form) is None


@pytest.mark.parametrize(
    ("found", "form", "at"),
    [
        ("2026-11-30T12:00:00Z", TimeForm.RFC_3339, NOON),
        ("2026-11-30t13:00:00.500+01:00", TimeForm.RFC_3339, NOON + 0.5),
        ("2026-11-30T12:00:00.123456789Z", TimeForm.RFC_3339, NOON + 0.123456),
        (N("1796040000"), TimeForm.EPOCH_SECONDS, NOON),
        ("1796040000", TimeForm.EPOCH_SECONDS, NOON),
        (N("1796040000.25"), TimeForm.EPOCH_SECONDS, NOON + 0.25),
        (N("1796040000500"), TimeForm.EPOCH_MILLISECONDS, NOON + 0.5),
        ("Mon, 30 Nov 2026 12:00:00 GMT", TimeForm.HTTP_DATE, NOON),
        ("Monday, 30-Nov-26 12:00:00 GMT", TimeForm.HTTP_DATE, NOON),
        ("Mon Nov 30 12:00:00 2026", TimeForm.HTTP_DATE, NOON),
        ("Mon, 30 Nov 2026 12:00:00 +0000", TimeForm.HTTP_DATE, NOON),
    ],
)
def test_a_time_is_read_in_its_form(found, form, at):
    assert time(found, form=form) == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize("age", ["-1", "a while", "1.5", "3, 4", "9" * 30])
def test_an_age_that_can_not_be_read_leaves_the_answer_undated(age):
    with pytest.raises(UndatedAnswer):
        asked_less_age(ASKED, headers={"age": age})


@pytest.mark.parametrize(
    ("headers", "at"),
    [
        ({}, ASKED),
        ({"age": "30"}, ASKED - 30),
        ({"date": "Mon, 30 Nov 2026 12:00:00 GMT"}, NOON),  # a cache that says no Age
        ({"date": "Mon, 30 Nov 2026 12:00:00 GMT", "age": "120"}, ASKED - 120),
        ({"date": "Mon, 30 Nov 2026 12:01:39 GMT"}, ASKED),  # a Date is cut to its second
        ({"date": "Mon, 30 Nov 2026 13:00:00 GMT"}, ASKED),  # their clock is ahead; ours is not moved
        ({"date": "nonsense"}, ASKED),
    ],
)
def test_a_cached_answer_is_as_old_as_it_says(headers, at):
    assert asked_less_age(ASKED, headers=headers).at == at


@pytest.mark.parametrize("form", list(TimeForm))
def test_what_is_spelt_reads_back_to_the_second(form):
    assert time(spelt(NOON + 0.9, form=form), form=form) == NOON


@pytest.mark.parametrize(
    ("found", "form", "precision"),
    [
        ("2026-11-30T12:00:00Z", TimeForm.RFC_3339, 1),
        ("2026-11-30T12:00:00.5+01:00", TimeForm.RFC_3339, 0.1),
        ("2026-11-30T12:00:00.000Z", TimeForm.RFC_3339, 0.001),
        ("2026-11-30T12:00:00.123456789Z", TimeForm.RFC_3339, 1e-6),
        ("Mon, 30 Nov 2026 12:00:00 GMT", TimeForm.HTTP_DATE, 1),
        (N("1796040000"), TimeForm.EPOCH_SECONDS, 1),
        (N("1796040000.25"), TimeForm.EPOCH_SECONDS, 0.01),
        (N("1.79604e9"), TimeForm.EPOCH_SECONDS, 0),  # how closely it is meant the digits don't show
        (N("1796040000500"), TimeForm.EPOCH_MILLISECONDS, 0.001),
    ],
)
def test_a_date_is_as_precise_as_it_is_written(found, form, precision):
    read = stated(found, form=form)
    assert read is not None
    assert read.precision == pytest.approx(precision)


@pytest.mark.parametrize(
    ("sent_at", "by", "at"),
    [
        (None, NOON + 9, NOON),
        (NOON - 0.5, NOON + 9, NOON),  # the attempt was sent before: nothing to mend
        (NOON + 1, NOON + 9, NOON),  # the first instant of the next second is no part of this one
        (NOON + 0.5, NOON + 0.4, NOON),  # it came before the attempt was sent
        (NOON + 9, NOON - 5, NOON - 5),  # their clock is ahead
        (NOON + 0.5, NOON + 0.5, NOON + 0.5),
        (NOON + 0.5, NOON + 9, NOON + 0.5),
    ],
)
def test_a_date_is_placed_at_an_attempt_only_within_its_own_precision(sent_at, by, at):
    assert placed(Stated(NOON, 1), sent_at=sent_at, by=by) == at
