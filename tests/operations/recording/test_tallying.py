"""Every ask that ended is counted once, in its hour, with what it brought; what was not asked is no ask."""

from dataclasses import replace
from uuid import uuid4

import pytest

from operations import models
from operations.reading import tallies
from operations.recording.asked import record
from operations.recording.tallying import Ended, tally
from tests.operations.polling.waiting import recipient, waiting
from tests.operations.recording.test_asked import STORE, asked
from tests.operations.rows import later

pytestmark = pytest.mark.django_db
HOUR = 3600


@pytest.fixture
def contract():
    return recipient("http://127.0.0.1:9")


def counted() -> list[tuple[int, int, int, int]]:
    rows = models.AskTally.objects.order_by("hour")
    return list(rows.values_list("asks", "answers", "unchanged", "settled"))


def recorded(contract, number: int, **other) -> None:
    """One ask about operation `number`, which that answer tells of: 0 and 4k are issued, 6 gets no answer."""
    [one] = waiting(contract, [number], begun_at=later(0))
    lease = uuid4()
    single = replace(asked(one, number, lease=lease, round_=0, contract=contract), **other)
    record([single], lease=lease, report_with=STORE, now=later(70))


def test_a_question_that_could_not_be_put_together_is_no_ask(contract):
    recorded(contract, 0, report=None, cannot="There is no reference to ask by.")
    assert counted() == []


def test_an_ask_without_an_answer_is_an_ask_and_no_answer(contract):
    recorded(contract, 6)
    assert counted() == [(1, 0, 0, 0)]


def test_the_word_that_nothing_changed_is_neither_an_answer_nor_a_failure(contract):
    recorded(contract, 0, report=None, status=304)
    assert counted() == [(1, 0, 1, 0)]


def test_an_answer_that_settles_nothing_is_an_answer(contract):
    recorded(contract, 1)
    assert counted() == [(1, 1, 0, 0)]


def test_an_answer_by_which_it_happened_settles_it_and_a_second_one_does_not(contract):
    [one] = waiting(contract, [0], begun_at=later(0))
    for round_ in range(2):
        lease = uuid4()
        single = asked(one, 0, lease=lease, round_=round_, contract=contract)
        record([single], lease=lease, report_with=STORE, now=later(60 * (round_ + 1) + 5))
    assert counted() == [(2, 2, 0, 1)]


def test_asks_of_one_batch_fall_into_the_hours_in_which_they_ended(contract):
    one, other = contract.recipient_id, recipient("http://127.0.0.1:9", key="desk-2").recipient_id
    tally([Ended(recipient_id=one, at=later(0), answered=True), Ended(recipient_id=one, at=later(HOUR))])
    tally([Ended(recipient_id=other, at=later(0)), Ended(recipient_id=one, at=later(0))])
    assert sorted(counted()) == [(1, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0)]


def test_a_range_takes_the_whole_hours_that_it_touches_and_those_recipients_alone(contract):
    here, there = contract.recipient_id, recipient("http://127.0.0.1:9", key="desk-2").recipient_id
    start = tallies.hour_of(later(0))
    for at in (start, start + tallies.HOUR, start + 2 * tallies.HOUR):
        tally([Ended(recipient_id=here, at=at), Ended(recipient_id=there, at=at, answered=True)])
    half = tallies.HOUR / 2
    assert tallies.counted_since() == start
    assert [one.asks for one in tallies.asks(start + half, start + tallies.HOUR, among=[here])] == [1]
    assert [one.asks for one in tallies.asks(start + half, start + tallies.HOUR + half, among=None)] == [2, 2]
    assert tallies.asks(start, start + tallies.HOUR, among=[]) == ()


def test_of_a_desk_that_never_asked_nothing_is_known():
    assert tallies.counted_since() is None
