"""What was later proved of what nobody knew, and how risks turned out."""

import pytest

from escalation.models.business_exception import Excuses, Loss
from escalation.overview.counting import plan
from escalation.overview.excepted import excepted
from escalation.overview.proving import Later, Proving, Why, proving
from escalation.overview.ranges import Asked
from escalation.policy import Reads, Role
from tests.escalation.decisions.risks import accepted, owner, proposed
from tests.escalation.overview.stages import DAY, HOUR, T0, asked, lost
from tests.escalation.overview.test_ended import left
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
HERE, THERE = "Collection desk", "Other desk"
STOP = {"excuses": Excuses.STOPPING, "loss": Loss.HAPPENED}


def later(recipient: str, why: Why, applied: int = 0, ruled_out: int = 0, open_: int = 0) -> Later:
    return Later(recipient=recipient, why=why, applied=applied, ruled_out=ruled_out, open=open_)


def prove(asked: Asked) -> Proving:
    return proving(asked, plan(asked.span))


def test_of_nothing_nothing_is_proved():
    found = prove(asked())
    assert (found.rows, found.unknown_is_known) == ((), True)


def test_what_became_unknown_for_longer_than_expected_is_proved_applied_ruled_out_or_nothing():
    lost("one").issued("T-1", now=T0 + DAY)
    lost("two").recorded("closed", now=T0 + HOUR)
    lost("three")
    lost("four", key="other-desk").issued("T-4", now=T0 + HOUR)
    assert prove(asked()).rows == (later(HERE, Why.UNKNOWN, 1, 1, 1), later(THERE, Why.UNKNOWN, 1))


def test_the_share_is_of_what_is_established_and_unknown_where_nothing_is():
    assert later(HERE, Why.UNKNOWN, open_=3).share is None
    assert later(HERE, Why.UNKNOWN, applied=1, ruled_out=3, open_=10).share == 0.25
    assert later(HERE, Why.UNKNOWN, ruled_out=1).share == 0


def test_a_contradiction_proves_nothing():
    made = lost()
    made.issued("T-1", now=T0 + HOUR)
    made.recorded("closed", now=T0 + 2 * HOUR)
    assert prove(asked()).rows == (later(HERE, Why.UNKNOWN, open_=1),)


def test_what_is_unknown_a_second_time_is_counted_where_it_first_was():
    made = lost()
    assert prove(asked(T0 + HOUR, T0 + DAY)).rows == ()
    assert [row.number for row in prove(asked()).rows] == [1]
    assert made.row.evidence == "unknown"


def test_what_was_left_or_excepted_is_counted_there_too():
    first, second = with_role("first", Role.REVIEWER), owner()
    one, two = lost("one"), lost("two")
    left(one, now=T0 + HOUR)
    accepted(two, first, second, now=T0 + HOUR, **STOP)
    two.issued("T-2", now=T0 + 2 * HOUR)
    assert prove(asked()).rows == (
        later(HERE, Why.UNKNOWN, applied=1, open_=1),
        later(HERE, Why.LEFT, open_=1),
        later(HERE, Why.EXCEPTED, applied=1),
    )
    assert prove(asked(reads=Reads(frozenset([999])))).rows == ()


def test_only_risks_that_were_taken_in_the_time_are_counted_with_what_became_of_them():
    first, second = with_role("first", Role.REVIEWER), owner()
    came, did_not, unknown, waits = [lost(name) for name in ("came", "did-not", "unknown", "waits")]
    for made in (came, did_not, unknown):
        accepted(made, first, second, now=T0 + HOUR, **STOP)
    proposed(waits, first, now=T0 + HOUR)
    came.issued("T-1", now=T0 + 2 * HOUR)
    did_not.recorded("closed", now=T0 + 2 * HOUR)
    [found] = excepted(asked())
    assert (found.recipient, found.number, found.came_true, found.did_not, found.unknown) == (HERE, 3, 1, 1, 1)
    assert found.share == 0.5
    assert excepted(asked(T0 + 2 * HOUR)) == excepted(asked(reads=Reads(frozenset([999])))) == ()
