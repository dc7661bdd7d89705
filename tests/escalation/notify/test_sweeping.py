"""What is called is told: once an address, when it is not quiet there, and again only where that can't tell twice."""

from datetime import time, timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from escalation.models import Notice, NoticeAddress, RoleGrant, Telling, ToTell
from escalation.models.notice import End, Kind, Over
from escalation.models.notice_address import Way
from escalation.notify.claiming import Rules
from escalation.notify.outcome import Outcome
from tests.escalation.building import HOUR, T0
from tests.escalation.notify.chains import (
    CALLED,
    RULES,
    TAKEN,
    Post,
    address,
    ann,
    called_for,
    calls,
    ends,
    made_of,
    quiet,
    several,
    team,
    told,
)

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
AWAY = Outcome(end=End.NOT_SENT, detail="The mail server can't be reached.", outage=True)
NOT_NOW = Outcome(end=End.NOT_SENT, detail="Not now.")
LOST = Outcome(end=End.MAY_HAVE_ARRIVED, detail="No reply came.")
REFUSED = Outcome(end=End.REFUSED, detail="No such mailbox.")
NIGHT = T0.replace(hour=23)


def test_whom_no_address_is_known_of_is_told_nothing_and_the_log_says_so():
    calls(called_for(), ann())
    post = Post()
    assert told(post) == 0
    assert (post.sent, ends()) == ([], [Over.NO_ADDRESS])


def test_somebody_inactive_or_an_address_that_was_removed_is_told_nothing():
    person, other = ann(), ann("ben")
    address(person)
    person.is_active = False
    person.save()
    address(other)
    NoticeAddress.objects.filter(person=other).update(ended_at=T0, ended_by=other)
    case = called_for()
    calls(case, person)
    calls(case, other, step=2)
    assert told(Post()) == 0
    assert ends() == [Over.NO_ADDRESS, Over.NO_ADDRESS]


def test_who_may_not_read_the_recipient_any_more_is_told_nothing_of_it():
    person = ann()
    address(person)
    calls(called_for(), person)
    RoleGrant.objects.filter(person=person).update(ended_at=T0 + HOUR, ended_by=person)
    post = Post()
    assert told(post) == 0
    assert (post.sent, ends()) == ([], [Over.MAY_NOT_READ])


def test_a_call_is_told_once_and_says_what_stands_when_it_is_sent():
    person = ann()
    address(person)
    calls(called_for(), person)
    post = Post()
    assert (told(post), told(post), told(post, at=CALLED + HOUR)) == (1, 0, 0)
    [(to, message)] = post.sent
    assert to == "ann@desk.example"
    assert message.subject.startswith("Act before 1 Dec 11:59 UTC: ")
    [one] = message.about
    assert [answer.word for answer in one.answers] == ["We don't know", "It may", "Yes, until 1 Dec 11:59 UTC"]
    assert one.time == "act before 1 Dec 11:59 UTC, in 22 h 59 min"
    assert "Nobody looks after it yet." in message.lead
    [notice] = Notice.objects.all()
    assert (notice.ended_as, notice.detail, notice.subject) == (End.TAKEN, "Taken.", message.subject)
    assert (ends(), ToTell.objects.count()) == ([Over.TAKEN], 0)


def test_a_notice_links_to_the_page_where_the_desks_address_is_set(settings):
    settings.PUBLIC_URL = "https://desk.example"
    person = ann()
    address(person)
    case = called_for()
    calls(case, person)
    post = Post()
    told(post)
    assert post.sent[0][1].link == f"https://desk.example/operations/{case.operation.number}"


def test_everybody_in_a_team_is_told_and_its_room_and_nobody_twice():
    one, two = ann(), ann("ben")
    address(one)
    address(two)
    cedar = team("Cedar", one, two)
    address(cedar, "CEDAR_ROOM", way=Way.SLACK)
    calls(called_for(), cedar)
    post = Post()
    assert told(post) == 3
    assert sorted(to for to, _ in post.sent) == ["CEDAR_ROOM", "ann@desk.example", "ben@desk.example"]
    assert told(post) == 0


def test_a_webhook_of_a_chain_is_told_by_its_name():
    address(None, "OPS_ROOM", way=Way.WEBHOOK)
    calls(called_for(), "OPS_ROOM")
    post = Post()
    assert told(post) == 1
    assert (post.sent[0][0], post.sent[0][1].data["calls"][0]["round"]) == ("OPS_ROOM", 1)


def test_every_step_and_round_is_a_call_of_its_own():
    person = ann()
    address(person)
    case = called_for()
    post = Post()
    for number in (1, 2):
        calls(case, person, nth=number)
        told(post, at=CALLED + number * HOUR)
    assert len(post.sent) == 2


def test_the_database_keeps_one_telling_a_call_and_address():
    person = ann()
    here = address(person)
    call = calls(called_for(), person)
    told(Post())
    with pytest.raises(IntegrityError, match="a_call_is_told_once_at_an_address"), transaction.atomic():
        Telling.objects.create(kind=Kind.CALL, case=call.case, call=call, address=here, made_at=T0, due_at=T0)


def test_a_notice_can_not_be_rewritten_or_removed():
    person = ann()
    address(person)
    calls(called_for(), person)
    told(Post())
    for change in (
        lambda: Notice.objects.update(subject="x"),
        lambda: Notice.objects.update(detail="x"),
        lambda: Notice.objects.all().delete(),
        lambda: Telling.objects.update(ended_as=Over.REFUSED),
        lambda: Telling.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_a_few_at_once_are_told_one_by_one():
    person = ann()
    address(person)
    several(3, person)
    post = Post()
    assert told(post) == 3
    assert [message.count for _, message in post.sent] == [1, 1, 1]


def test_many_at_one_recipient_are_told_in_one_with_the_first_that_lapses():
    person = ann()
    address(person)
    several(5, person)
    post = Post()
    assert told(post) == 1
    [(_, message)] = post.sent
    assert message.subject == "5 operations at Collection desk, first lapses 1 Dec 11:59 UTC"
    assert (message.count, len(message.about), message.more) == (5, 5, 0)
    assert ends() == [Over.TAKEN] * 5
    assert Notice.objects.get().count == 5


def test_what_comes_right_after_a_notice_is_gathered_for_a_minute():
    person = ann()
    address(person)
    calls(called_for("order-1"), person)
    post = Post()
    told(post)
    later = [calls(called_for(f"order-2{number}"), person) for number in range(5)]
    assert told(post, at=CALLED + timedelta(seconds=5)) == 0
    assert told(post, at=CALLED + timedelta(seconds=59)) == 0
    assert told(post, at=CALLED + timedelta(seconds=60)) == 1
    assert post.sent[-1][1].count == len(later)


def test_what_falls_into_quiet_hours_waits_for_their_end_and_says_so():
    person = ann()
    address(person)
    quiet(person)
    case = called_for(at=NIGHT)
    calls(case, person, at=NIGHT)
    post = Post()
    assert told(post, at=NIGHT) == 0
    morning = T0.replace(day=1, month=12, hour=6)
    assert Telling.objects.get().due_at == morning
    assert told(post, at=morning - timedelta(seconds=1)) == 0
    assert told(post, at=morning) == 1
    assert "It came up inside your quiet hours and waited for their end." in post.sent[0][1].lead
    assert "Europe/Berlin" in post.sent[0][1].subject


def test_what_would_be_lost_in_quiet_hours_is_told_inside_them_and_says_so():
    person = ann()
    address(person)
    quiet(person, begins=time(11), ends=time(20))
    calls(called_for(deadline=CALLED + HOUR), person)
    post = Post()
    assert told(post) == 1
    assert "You get this inside your quiet hours: after them it would be too late." in post.sent[0][1].lead
    assert Notice.objects.get().anyway


def test_what_waits_for_the_end_of_quiet_hours_is_told_once_an_end_comes_before_theirs():
    person = ann()
    address(person)
    quiet(person, begins=time(11), ends=time(20))
    case = called_for()
    calls(case, person)
    post = Post()
    assert told(post) == 0
    row = case.operation
    type(row).objects.filter(pk=row.pk).update(protection_until=CALLED + 2 * HOUR)
    assert told(post, at=CALLED + MINUTE) == 1
    assert Notice.objects.get().anyway


def test_what_is_settled_before_anybody_was_told_is_told_to_nobody():
    person = ann()
    address(person)
    case = called_for()
    calls(case, person)
    post = Post([AWAY, TAKEN])
    told(post)
    made_of(case).issued("T-1", now=CALLED + MINUTE)
    assert told(post, at=CALLED + 5 * MINUTE) == 0
    assert ends() == [Over.NOT_NEEDED]


def test_who_was_told_is_told_once_that_nobody_is_needed_any_more():
    one, two = ann(), ann("ben")
    address(one)
    address(two)
    case = called_for()
    calls(case, one)
    calls(case, two, step=2)
    calls(case, one, step=3)
    post = Post([TAKEN, TAKEN, REFUSED])
    told(post)
    made_of(case).issued("T-1", now=CALLED + MINUTE)
    post.sent = []
    assert told(post, at=CALLED + 5 * MINUTE) == 1
    assert told(post, at=CALLED + 10 * MINUTE) == 0
    [(to, message)] = post.sent
    assert (to, message.kind) == ("ann@desk.example", Kind.SETTLED)
    assert message.subject.startswith("Settled: ")
    assert message.about[0].answers[0].word == "Yes, not in our books"
    assert message.about[0].time == "none is needed; the outcome is known"


def test_a_call_still_on_its_way_when_its_case_closes_is_told_of_the_end_afterwards():
    person = ann()
    address(person)
    case = called_for()
    calls(case, person)

    def close(message):
        if message.kind is Kind.CALL:
            made_of(case).issued("T-1", now=CALLED)
            told(Post())

    post = Post(before=close)
    told(post)
    post.before = lambda _: None
    told(post, at=CALLED + MINUTE)
    assert [message.kind for _, message in post.sent] == [Kind.CALL, Kind.SETTLED]


def test_that_hundreds_are_settled_is_one_notice():
    person = ann()
    address(person)
    made = several(5, person)
    post = Post()
    told(post)
    for call in made:
        made_of(call.case).issued(f"T-{call.pk}", now=CALLED + MINUTE)
    assert told(post, at=CALLED + 5 * MINUTE) == 1
    assert post.subjects[-1] == "5 operations at Collection desk need nobody any more"


def test_a_test_is_sent_in_quiet_hours_too():
    person = ann()
    here = address(person)
    quiet(person, begins=time(11), ends=time(20))
    Telling.objects.create(kind=Kind.TEST, address=here, made_at=CALLED, due_at=CALLED)
    post = Post()
    assert told(post) == 1
    assert post.subjects == ["Can this desk reach you?"]


def test_a_test_is_tried_once():
    here = address(ann())
    Telling.objects.create(kind=Kind.TEST, address=here, made_at=CALLED, due_at=CALLED)
    assert (told(Post([AWAY])), told(Post(), at=CALLED + HOUR)) == (1, 0)
    assert ends() == [Over.GIVEN_UP]


def test_the_rules_of_this_desk_are_those_that_the_task_uses(settings):
    assert Rules(**settings.NOTICES) == RULES
