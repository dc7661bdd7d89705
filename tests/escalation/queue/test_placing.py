"""The queue's row of an operation follows what is known of it, and what time alone changes is read off the clock."""

from datetime import timedelta

import pytest

from escalation.cases.minding import Minder, give_back, put_off, take
from escalation.models import Case, Searched, Waiting
from escalation.policy import EVERY_RECIPIENT, Role
from escalation.queue import Filters, Group, Question, counted, end_windows, facets, filters, placed
from operations import recording
from operations.recording import calling
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def lost(identity="order-1001", **more):
    made = operation(identity, **more)
    made.timed_out(now=T0)
    return made


def where(now, **filters):
    found, _ = placed(Question(now=now, reads=EVERY_RECIPIENT, filters=Filters(**filters)), after=None, size=50)
    return [(Group(one.group), one.act_before, one.number) for one in found]


def test_what_was_registered_without_a_deadline_has_no_row_before_the_sweep_calls_for_it():
    made = operation(sealed=False)
    assert not Waiting.objects.exists()
    assert calling.call(now=T0 + HOUR, most=10) == 1
    assert [number for _, _, number in where(T0 + HOUR)] == [made.number]


def test_what_has_a_deadline_is_shown_from_an_hour_before_without_any_sweep():
    made = operation(deadline=T0 + HOUR + MINUTE / 4, sealed=False)
    assert where(T0) == []
    assert where(T0 + MINUTE / 3) == [(Group.WITHIN_THE_HOUR, T0 + HOUR + MINUTE / 4, made.number)]


def test_a_window_that_ended_is_no_time_to_act_before_whether_or_not_the_sweep_came_by():
    made = lost(deadline=T0 + 3 * DAY)
    until = made.row.protection_until
    assert until is not None
    assert where(until - MINUTE) == [(Group.WITHIN_THE_HOUR, until, made.number)]
    after = [(Group.THE_REST, T0 + 3 * DAY, made.number)]
    assert where(until + MINUTE) == after
    assert counted(Question(now=until + MINUTE, reads=EVERY_RECIPIENT))[Group.THE_REST] == 1
    assert (end_windows(now=until, most=10), end_windows(now=until, most=10)) == (1, 0)
    assert where(until + MINUTE) == after
    assert where(until + MINUTE, group=Group.WITHIN_THE_HOUR) == []


@pytest.mark.parametrize("group", Group)
def test_the_menu_counts_what_stands_in_the_chosen_group(group):
    lost("o-1", parcel="A", deadline=T0 + 3 * HOUR)
    lost("o-2", parcel="B")
    operation("o-3", parcel="C").issued("T-1", now=T0)
    torn = lost("o-4", parcel="D")
    torn.issued("T-2", now=T0 + MINUTE)
    torn.recorded("closed", now=T0 + 2 * MINUTE)
    for now in (T0 + 2 * HOUR, T0 + 30 * HOUR):
        question = Question(now=now, reads=EVERY_RECIPIENT, filters=Filters(group=group))
        found = len(where(now, group=group))
        assert found == counted(question)[group] == sum(one.rows for one in facets(question).situations)


def test_what_our_record_says_has_no_row_and_no_words():
    made = lost()
    made.issued("T-1", now=T0 + MINUTE)
    assert Searched.objects.get().words.splitlines()[-1] == "T-1"
    with recording.writing(made.id, now=T0 + 2 * MINUTE) as pen:
        recording.complete(pen, receipt=made.row.observations.get(channel="reply").id, by="mira")
        pen.finish()
    assert not Waiting.objects.exists()
    assert not Searched.objects.exists()


def test_the_row_follows_its_case_whoever_moves_it():
    made, person = lost(), with_role("mira", Role.REVIEWER)
    calling.call(now=T0 + HOUR, most=10)
    row = Waiting.objects.get()
    assert (row.case, row.owner) == (Case.objects.get(), None)

    def minder():
        return Minder(person=person, seen=Case.objects.get().revision, now=T0 + HOUR)

    take(made.id, minder())
    put_off(made.id, minder(), until=T0 + 5 * HOUR, note="after lunch")
    row = Waiting.objects.get()
    assert (row.owner, row.left_until) == (person, T0 + 5 * HOUR)
    assert [group for group, _, _ in where(T0 + 2 * HOUR, text="AFTER LUNCH")] == [Group.LEFT_UNRESOLVED]
    give_back(made.id, minder())
    made.issued("T-1", now=T0 + 2 * HOUR)
    row = Waiting.objects.get()
    assert (row.case, row.owner, row.left_until) == (None, None, None)
    assert [group for group, _, _ in where(T0 + 2 * HOUR)] == [Group.CAN_BE_FINISHED]


def test_a_change_that_is_undone_leaves_no_row():
    made = operation(sealed=False)
    with pytest.raises(RuntimeError), recording.writing(made.id, now=T0 + HOUR) as pen:  # noqa: PT012
        pen.finish()
        assert Waiting.objects.exists()
        raise RuntimeError
    assert not Waiting.objects.exists()


@pytest.mark.parametrize("most", [0, 1, 2_000])
def test_a_text_that_was_looked_up_finds_what_it_finds_without(most, monkeypatch):
    monkeypatch.setattr(filters, "MOST_HELD", most)
    lost("o-1", parcel="A")
    lost("o-2", parcel="B")
    calling.call(now=T0 + HOUR, most=10)
    for text, found in (("o-1", 1), ("O-", 2), ("nowhere", 0), (str(Waiting.objects.latest("number").number), 1)):
        question = Question(now=T0 + HOUR, reads=EVERY_RECIPIENT, filters=Filters(text=text))
        rows, _ = placed(question.looked_up(), after=None, size=50)
        assert len(rows) == len(placed(question, after=None, size=50)[0]) == found
        assert sum([one.rows for one in facets(question.looked_up()).situations]) == found


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_of_any_size_go_through_every_group_once_and_in_order(size):
    for number in range(2):
        lost(f"lost-{number}", parcel=f"A{number}")
        lost(f"due-{number}", parcel=f"B{number}", deadline=T0 + (3 + 30 * number) * HOUR)
        operation(f"done-{number}", parcel=f"C{number}").issued(f"T-{number}", now=T0)
        torn = lost(f"torn-{number}", parcel=f"D{number}")
        torn.issued(f"T-{number}-torn", now=T0 + MINUTE)
        torn.recorded("closed", now=T0 + 2 * MINUTE)
    calling.call(now=T0 + HOUR, most=20)
    later = Waiting.objects.filter(operation__identity__in=["lost-1", "torn-1"])
    assert later.update(left_until=T0 + 90 * HOUR) == 2
    for now, groups in (
        (T0 + 2 * HOUR, 5),
        (T0 + 60 * HOUR, 5),
    ):  # the windows have ended by then, and no sweep came by
        question = Question(now=now, reads=EVERY_RECIPIENT)
        whole, _ = placed(question, after=None, size=50)
        assert (len(whole), len({one.group for one in whole})) == (8, groups)
        walked, after = placed(question, after=None, size=size)
        while after is not None:
            more, after = placed(question, after=after, size=size)
            walked = [*walked, *more]
        assert walked == whole
