"""One recipient's turn: so far apart, not long after its stretch of time, and never without any progress."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from operations.asking import Prepared
from operations.channels.base import Answered, Ask, Failed, Limits, Reach
from operations.polling.turns import GRACE, MOST_HEARD, Turn, turn
from operations.recording.pacing import Allowed
from tests.operations.rows import NOW, later


def question() -> Prepared:
    return Prepared(
        operation_id=uuid4(),
        channel="record",
        ask=Ask(method="GET", target="/"),
        reach=Reach(address="https://desk.example"),
        limits=Limits(),
    )


def turn_of(questions: int, *, places: int = 1, gap: float = 1.0, began: float = 0, failures: int = 0) -> Turn:
    allowed = Allowed(recipient_id=1, places=places, most=questions, first_at=NOW, gap=gap, failures=failures)
    return turn(allowed, [question() for _ in range(questions)], now=later(began))


def answered(status: int | None = 200, *, failed: Failed | None = None) -> Answered:
    return Answered(asked_at=NOW, received_at=NOW, status=status, failed=failed)


def waits(one: Turn, *, at: float, times: int) -> list[float | None]:
    found = [one.next(now=later(at)) for _ in range(times)]
    return [None if each is None else each[1] for each in found]


def test_questions_are_as_far_apart_as_the_rate_says():
    assert waits(turn_of(5, gap=0.5), at=0, times=4) == [0, 0.5, 1.0, 1.5]


def test_who_is_late_does_not_make_up_for_it_at_once():
    one = turn_of(5, gap=0.5)
    assert waits(one, at=1.0, times=3) == [0, 0.5, 1.0]


def test_what_is_left_long_after_its_time_is_not_asked():
    one = turn_of(5)
    assert waits(one, at=0, times=1) == [0]
    assert waits(one, at=5 + GRACE + 0.1, times=1) == [None]
    assert len(one.waiting) == 4


def test_loading_that_took_long_takes_nothing_from_the_time():
    one = turn_of(5, began=100)
    assert waits(one, at=100, times=2) == [0, 1.0]


def test_each_place_asks_once_however_late_it_is():
    assert waits(turn_of(5, places=2), at=1_000, times=3) == [0, 1.0, None]


def test_answers_keep_it_going_and_failures_in_a_row_end_it():
    one = turn_of(20)
    for _ in range(4):
        one.heard(answered(None, failed=Failed.TIMEOUT))
    one.heard(answered(500))
    for _ in range(4):
        one.heard(answered(None, failed=Failed.TIMEOUT))
        assert not one.broken_off
    one.heard(answered(None, failed=Failed.RESET))
    assert one.broken_off
    assert one.next(now=NOW) is None


def test_failures_before_it_count_with_its_own():
    one = turn_of(20, failures=4)
    one.heard(answered(None, failed=Failed.TIMEOUT))
    assert one.broken_off


def test_a_recipient_that_wants_to_be_left_alone_is():
    for status in (429, 503):
        one = turn_of(20)
        one.heard(answered(status))
        assert one.next(now=NOW + timedelta(seconds=1)) is None


def test_a_recipient_that_says_very_much_is_asked_the_rest_in_another_turn():
    """What it says is held until it is recorded, and is read while others wait."""
    one = turn_of(20, gap=0)
    long = replace(answered(), body=b" " * (MOST_HEARD // 4))
    for _ in range(4):
        one.heard(long)
        assert one.next(now=NOW) is not None
    one.heard(long)
    assert one.next(now=NOW) is None
    assert len(one.waiting) == 16
