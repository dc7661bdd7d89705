"""What came of a send decides whether it is tried again: never where that could tell somebody twice."""

from datetime import timedelta

import pytest

from escalation.models import Notice, Telling
from escalation.models.notice import End, Over
from escalation.models.notice_address import Way
from escalation.notify.composing import composed
from escalation.notify.outcome import Outcome
from tests.escalation.building import HOUR, T0
from tests.escalation.notify.chains import (
    CALLED,
    TAKEN,
    Post,
    address,
    ann,
    called_for,
    calls,
    ends,
    told,
)

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
AWAY = Outcome(end=End.NOT_SENT, detail="The mail server can't be reached.", outage=True)
NOT_NOW = Outcome(end=End.NOT_SENT, detail="Not now.")
LOST = Outcome(end=End.MAY_HAVE_ARRIVED, detail="No reply came.")
REFUSED = Outcome(end=End.REFUSED, detail="No such mailbox.")
NIGHT = T0.replace(hour=23)


def test_with_the_mail_server_away_nothing_is_lost_and_it_is_tried_ever_more_rarely():
    person = ann()
    address(person)
    calls(called_for(), person)
    post = Post([AWAY, AWAY, TAKEN])
    assert told(post) == 1
    assert Telling.objects.get().due_at == CALLED + timedelta(seconds=30)
    assert told(post, at=CALLED + timedelta(seconds=29)) == 0
    assert told(post, at=CALLED + timedelta(seconds=30)) == 1
    assert told(post, at=CALLED + timedelta(seconds=89)) == 0
    assert told(post, at=CALLED + timedelta(seconds=90)) == 1
    assert [one.ended_as for one in Notice.objects.order_by("begun_at")] == [End.NOT_SENT, End.NOT_SENT, End.TAKEN]
    assert ends() == [Over.TAKEN]


def test_while_the_mail_server_is_away_one_try_a_sweep_is_enough_to_know_it():
    for number in range(4):
        person = ann(f"person{number}")
        address(person)
        calls(called_for(f"order-{number}"), person)
    post = Post([AWAY])
    assert told(post) == 1


def test_once_the_mail_server_is_back_all_that_waited_for_it_is_told_at_once():
    for number in range(3):
        person = ann(f"person{number}")
        address(person)
        calls(called_for(f"order-{number}"), person)
    post = Post([AWAY])
    for minutes in (0, 1, 2, 20, 25, 30, 35):
        told(post, at=CALLED + timedelta(minutes=minutes))
    assert ends() == ["", "", ""]
    post.outcomes, post.sent = [TAKEN], []
    [back, *_] = Telling.objects.order_by("due_at").values_list("due_at", flat=True)
    assert back is not None
    assert told(post, at=back) == 3


def test_what_can_not_be_told_for_two_days_is_given_up_and_the_log_says_so():
    person = ann()
    address(person)
    calls(called_for(), person)
    post = Post([NOT_NOW])
    told(post)
    told(post, at=CALLED + timedelta(hours=48))
    assert ends() == [Over.GIVEN_UP]


@pytest.mark.parametrize(("outcome", "over"), [(LOST, Over.MAY_HAVE_ARRIVED), (REFUSED, Over.REFUSED)])
def test_what_may_have_arrived_by_mail_or_was_refused_is_not_sent_again(outcome, over):
    person = ann()
    address(person)
    calls(called_for(), person)
    post = Post([outcome, TAKEN])
    assert (told(post), told(post, at=CALLED + 24 * HOUR)) == (1, 0)
    assert ends() == [over]


def test_a_receiver_who_knows_messages_by_their_id_is_sent_the_same_again_under_the_same_id():
    address(None, way=Way.WEBHOOK)
    first = [calls(called_for(f"order-{number}"), "OPS_ROOM") for number in range(5)]
    post = Post([LOST, NOT_NOW, TAKEN])
    assert told(post) == 1
    calls(called_for("order-9"), "OPS_ROOM", at=CALLED + timedelta(seconds=30))
    assert told(post, at=CALLED + timedelta(seconds=30)) == 1
    assert told(post, at=CALLED + timedelta(seconds=90)) == 2
    again = [message for _, message in post.sent if message.count == len(first)]
    assert len({message.id for message in again}) == 1
    assert len(again) == 3
    assert set(ends()) == {Over.TAKEN}


def test_a_worker_that_dies_after_it_began_leaves_what_may_have_arrived():
    class Died(BaseException):
        pass

    def die(_):
        raise Died

    person = ann()
    address(person)
    calls(called_for(), person)
    with pytest.raises(Died):
        told(Post(before=die))
    assert Notice.objects.get().ended_at is None
    post = Post()
    assert told(post, at=CALLED + timedelta(seconds=149)) == 0
    assert told(post, at=CALLED + timedelta(seconds=150)) == 0
    assert (post.sent, ends(), Notice.objects.get().detail) == (
        [],
        [Over.MAY_HAVE_ARRIVED],
        "The desk went down while it was being sent.",
    )


def test_a_worker_that_comes_back_too_late_changes_nothing():
    person = ann()
    address(person)
    calls(called_for(), person)

    def lapse(_):
        told(Post(), at=CALLED + timedelta(seconds=150))

    told(Post([TAKEN], before=lapse))
    assert ends() == [Over.MAY_HAVE_ARRIVED]


def test_what_can_not_be_put_into_words_keeps_nothing_else_from_being_told(monkeypatch):
    one, two = ann(), ann("ben")
    address(one)
    address(two)
    bad, good = called_for("order-1"), called_for("order-2")
    calls(bad, one)
    calls(good, two)

    def broken(some, *, on):
        if some[0].case_id == bad.pk:
            raise ValueError
        return composed(some, on=on)

    monkeypatch.setattr("escalation.notify.claiming.composed", broken)
    post = Post()
    assert told(post) == 1
    assert post.sent[0][0] == "ben@desk.example"
    monkeypatch.undo()
    assert told(post, at=CALLED + 10 * MINUTE) == 1
