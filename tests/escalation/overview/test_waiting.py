"""What is said of the queue is what the queue says: the same rows by the same rule, at the same moment."""

from datetime import timedelta

import pytest

from escalation.overview import waiting as read
from escalation.overview.lapsing import lapsing
from escalation.overview.unresolved import unresolved
from escalation.overview.waiting import AGES, HOURS, queue
from escalation.policy import EVERY_RECIPIENT, Reads
from escalation.queue import Group, Question, counted, facets
from escalation.teams.owning import effect_of, owned, owners
from operations.core.missing import Fact
from tests.escalation.building import operation
from tests.escalation.overview.stages import DAY, HOUR, MINUTE, T0, asked, lost
from tests.escalation.overview.test_ended import left
from tests.escalation.teams.made import team

pytestmark = pytest.mark.django_db
NOW = T0 + 2 * HOUR
SECOND = timedelta(seconds=1)


def at(now=NOW, **more):
    return asked(now=now, **more)


def test_of_an_empty_queue_every_number_is_none():
    found = unresolved(queue(at()))
    assert (found.waiting, found.number, sum(found.ages), found.recipients, found.facts) == (0, 0, 0, (), ())
    assert [one.number for one in lapsing(queue(at()))] == [0] * (HOURS + 1)


def test_the_groups_and_recipients_are_the_queues_own():
    lost("open", deadline=NOW + 30 * MINUTE)
    lost("later", deadline=NOW + 5 * HOUR)
    lost("other", key="other-desk")
    left(lost("left"), now=T0 + HOUR)
    operation("done", now=T0).issued("T-1", now=T0 + MINUTE)
    torn = lost("torn")
    torn.issued("T-2", now=T0 + HOUR)
    torn.recorded("closed", now=T0 + HOUR + MINUTE)
    rows = Question(now=NOW, reads=EVERY_RECIPIENT)
    found = unresolved(queue(at()))
    assert dict(found.groups) == counted(rows)
    assert found.waiting == sum(number for group, number in counted(rows).items() if group is not Group.LEFT_UNRESOLVED)
    assert (found.number, found.put_off) == (5, 1)
    assert sum(found.ages) == sum(number for _, number in found.recipients) == 5
    assert dict(found.recipients) == {
        one.name: one.rows - (one.name == "Collection desk") for one in facets(rows).recipients
    }
    within_the_hour = dict(found.groups)[Group.WITHIN_THE_HOUR]
    assert sum(one.number for one in lapsing(queue(at()))[:2]) == within_the_hour == 1


@pytest.mark.parametrize(
    ("age", "part"), [(HOUR - SECOND, 0), (HOUR, 1), (DAY, 3), (30 * DAY - SECOND, 5), (30 * DAY, 6)]
)
def test_an_age_is_since_it_was_registered(age, part):
    lost()
    ages = unresolved(queue(at(T0 + age))).ages
    assert [number for number, count in enumerate(ages) if count] == [part]
    assert len(ages) == len(AGES) + 1


def test_an_operation_stands_under_every_fact_that_is_missing():
    lost("one")
    lost("two", sealed=False)
    facts = dict(unresolved(queue(at())).facts)
    assert (facts[Fact.WHETHER_IT_HAPPENED], facts[Fact.WHAT_ELSE_WAS_SENT]) == (2, 1)


@pytest.mark.parametrize(
    ("left_to_it", "hour"), [(-SECOND, 0), (SECOND, 1), (HOUR, 1), (HOUR + SECOND, 2), (HOURS * HOUR, HOURS)]
)
def test_a_deadline_comes_in_the_hour_in_which_it_does(left_to_it, hour):
    lost(deadline=NOW + left_to_it)
    found = lapsing(queue(at()))
    assert [one.hour for one in found if one.deadlines] == [hour]
    assert not any(one.windows for one in found)


def test_the_end_of_protection_is_no_deadline():
    made = lost()
    until = made.row.protection_until
    assert until is not None
    now = until - 3 * HOUR + MINUTE
    assert [one.hour for one in lapsing(queue(at(now))) if one.windows] == [3]


def test_what_was_put_off_does_not_lapse_in_the_next_hours():
    left(lost(), now=NOW - DAY + 2 * HOUR)
    assert sum(one.number for one in lapsing(queue(at()))) == 0


def test_nothing_is_counted_of_other_recipients():
    lost("here")
    there = lost("there", key="other-desk").row.recipient_id
    found = unresolved(queue(at(reads=Reads(frozenset([there])))))
    assert found.recipients == (("Other desk", 1),)


def test_of_more_than_the_queue_counts_every_number_is_a_least_one(monkeypatch):
    lost("one")
    lost("two")
    monkeypatch.setattr(read, "MOST_COUNTED", 1)
    found = unresolved(queue(at()))
    assert (found.number, found.more) == (2, True)


def test_a_team_has_what_it_owns_by_the_rule_of_calls():
    lost("one")
    there = lost("two", key="other-desk")
    left(lost("three"), now=T0 + HOUR)
    assert unresolved(queue(at())).teams == ((None, 3),)
    team("Tickets", owns=effect_of(there.row))
    assert unresolved(queue(at())).teams == (("Tickets", 3),)
    team("Others", owns=there.row.recipient)
    assert unresolved(queue(at())).teams == (("Tickets", 2), ("Others", 1))
    for made in (there, lost("four")):
        owner = owned(made.row).team
        assert owner is not None
        assert owner == owners()(made.row.recipient_id, effect_of(made.row))
