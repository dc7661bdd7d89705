"""When what was not sent is tried again."""

from datetime import timedelta

import pytest

from escalation.notify.outcome import asked_to_wait, next_try
from tests.escalation.notify.messages import AT


def waits(tries: int, wait: float | None = None) -> float:
    asked = None if wait is None else timedelta(seconds=wait)
    at = next_try(tries=tries, wait=asked, first_due=AT, now=AT)
    assert at is not None
    return (at - AT).total_seconds()


def test_it_is_tried_again_ever_more_rarely_and_ten_minutes_apart_at_most():
    assert [waits(tries) for tries in (1, 2, 3, 4, 5, 6, 7, 5000)] == [30, 60, 120, 240, 480, 600, 600, 600]


def test_a_receiver_that_asks_to_wait_is_left_alone_but_not_for_longer_than_ten_minutes():
    assert (waits(1, 45), waits(1, 5), waits(1, 86_400)) == (45, 30, 600)


def test_it_is_given_up_after_two_days():
    late = AT + timedelta(hours=48)
    assert next_try(tries=200, wait=None, first_due=AT, now=late - timedelta(seconds=1)) is not None
    assert next_try(tries=201, wait=None, first_due=AT, now=late) is None


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("", None),
        ("soon", None),
        ("-1", None),
        ("9999999999", None),
        ("0", 0),
        ("120", 120),
        ("Mon, 30 Nov 2026 14:01:00 GMT", 60),
        ("Mon, 30 Nov 2026 13:01:00 GMT", None),
        ("Mon, 30 Nov 2026 14:01:00", None),
    ],
)
def test_how_long_a_receiver_asks_to_wait_is_read_in_both_spellings(written, seconds):
    assert asked_to_wait(written, now=AT) == (None if seconds is None else timedelta(seconds=seconds))
