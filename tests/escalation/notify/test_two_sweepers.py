"""Two sweepers at once make one notice; mail goes to a real server, and a worker that is killed sends nothing twice."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from escalation.models import Notice, Telling
from escalation.models.notice import End, Over
from escalation.notify.sweeping import tell
from tests.escalation.notify.chains import CALLED, RULES, Post, address, ann, called_for, calls, told

MINUTE = timedelta(minutes=1)


class Together(Post):
    """Keeps what several threads send at once."""

    lock = threading.Lock()


@pytest.mark.django_db(transaction=True)
def test_sweepers_at_once_tell_each_call_once():
    people = [ann(f"person{number}") for number in range(3)]
    for person in people:
        address(person)
    for number in range(6):
        case = called_for(f"order-{number}")
        for step, person in enumerate(people, start=1):
            calls(case, person, step=step)
    post, ready = Together(), threading.Barrier(4)

    def sweep() -> None:
        ready.wait()
        try:
            told(post)
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told(post)
    assert sorted(to for to, _ in post.sent) == [f"person{number}@desk.example" for number in range(3)]
    assert [message.count for _, message in post.sent] == [6, 6, 6]
    assert Notice.objects.count() == 3
    assert set(Telling.objects.values_list("ended_as", flat=True)) == {Over.TAKEN}


@pytest.mark.django_db(transaction=True)
def test_what_one_sweeper_is_sending_no_other_sends():
    person = ann()
    address(person)
    calls(called_for(), person)
    begun, go = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        begun.set()
        go.wait(30)

    def sweep() -> None:
        try:
            told(slow)
        finally:
            connection.close()

    slow, other = Post(before=wait), Post()
    thread = threading.Thread(target=sweep)
    thread.start()
    assert begun.wait(30)
    assert told(other) == 0
    go.set()
    thread.join()
    assert (len(slow.sent), other.sent) == (1, [])
    assert Notice.objects.get().ended_as == End.TAKEN


@pytest.mark.django_db
def test_a_call_reaches_a_real_mail_server_once(server):
    person = ann()
    address(person)
    calls(called_for(), person)
    assert tell(clock=lambda: CALLED, rules=RULES) == 1
    assert tell(clock=lambda: CALLED + MINUTE, rules=RULES) == 0
    [mail] = server.kept
    assert server.readers == [["ann@desk.example"]]
    assert "Issue one collection ticket for parcel Cedar at desk East" in mail.get_body(("plain",)).get_content()


@pytest.mark.django_db
def test_mail_that_the_server_did_not_take_is_the_same_call_told_later(server):
    person = ann()
    address(person)
    calls(called_for(), person)
    server.to_message = "451 Try later"
    assert tell(clock=lambda: CALLED, rules=RULES) == 1
    server.to_message = ""
    assert tell(clock=lambda: CALLED + MINUTE, rules=RULES) == 1
    assert len(server.kept) == 1
    assert [one.ended_as for one in Notice.objects.order_by("begun_at")] == [End.NOT_SENT, End.TAKEN]
