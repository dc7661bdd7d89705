"""Two administrators at once, each on a connection of their own: one is always left."""

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from django.db import connection

from escalation.access import NotChanged
from escalation.access.changing import changing
from escalation.access.people import deactivate, make_person
from escalation.access.roles import end_role, give_role
from escalation.decisions import NotAllowed
from escalation.models import AccessChange, RoleGrant, User
from escalation.policy import Role, administrators
from tests.escalation.people import by as at_the_screen
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5
WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def pair() -> tuple[User, User]:
    return with_role("ada", Role.ADMINISTRATOR), with_role("bo", Role.ADMINISTRATOR)


def now() -> datetime:
    return datetime.now(UTC)


def ends(whose: User, *, by: User) -> Callable[[], Any]:
    grant = whose.roles.get()
    return lambda: end_role(grant.pk, person=whose.pk, by=at_the_screen(by, at=now()))


def deactivates(whose: User, *, by: User) -> Callable[[], Any]:
    return lambda: deactivate(whose.pk, by=at_the_screen(by, at=now()))


def told(act: Callable[[], Any]) -> str:
    try:
        act()
    except (NotAllowed, NotChanged) as refused:
        return type(refused).__name__
    return "done"


def at_once(*acts: Callable[[], Any]) -> list[str]:
    """How each act ended, each on a connection of its own, all begun together."""
    start, ended = Barrier(len(acts)), {}

    def run(place: int) -> None:
        try:
            start.wait(timeout=10)
            ended[place] = told(acts[place])
        finally:
            connection.close()

    threads = [Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return [ended[place] for place in range(len(acts))]


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("first", [ends, deactivates], ids=["ends", "deactivates"])
@pytest.mark.parametrize("second", [ends, deactivates], ids=["ends", "deactivates"])
def test_two_who_remove_each_other_leave_one(pair, first, second, number):
    ada, bo = pair
    assert sorted(at_once(first(bo, by=ada), second(ada, by=bo))) == ["NotAllowed", "done"]
    assert len(administrators()) == 1


@pytest.mark.parametrize("removed", [ends, deactivates], ids=["ends", "deactivates"])
def test_whoever_comes_second_waits_and_is_judged_by_what_the_first_left(pair, removed):
    """Without the wait, the second would be judged by rows in which both are administrators still."""
    ada, bo = pair
    inside, ended = Event(), []

    def second() -> None:
        try:
            inside.wait(timeout=10)
            ended.append(told(removed(ada, by=bo)))
        finally:
            connection.close()

    thread = Thread(target=second)
    thread.start()
    with changing(at_the_screen(ada, at=now())):
        RoleGrant.objects.filter(person=bo).update(ended_at=now(), ended_by=ada)
        inside.set()
        with connection.cursor() as cursor:
            waiting = 0
            while not waiting and thread.is_alive():
                cursor.execute(WAITS)
                (waiting,) = cursor.fetchone()
        assert ended == []
    thread.join(timeout=60)
    assert ended == ["NotAllowed"]
    assert administrators() == [ada]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_role_given_twice_at_once_is_given_once(pair, number):
    ada, bo = pair
    mira = with_role("mira", Role.VIEWER)
    acts = [
        lambda by=by: give_role(mira.pk, Role.OPERATOR, recipient=None, by=at_the_screen(by, at=now()))
        for by in (ada, bo, ada, bo)
    ]
    assert sorted(at_once(*acts)) == ["NotChanged"] * 3 + ["done"]
    assert mira.roles.filter(role=Role.OPERATOR).count() == 1


@pytest.mark.parametrize("number", range(ROUNDS))
def test_two_people_of_one_name_are_not_made(pair, number):
    ada, bo = pair
    names = [(ada, "Noor"), (bo, "noor")]
    acts = [lambda by=by, name=name: make_person(name, by=at_the_screen(by, at=now())) for by, name in names]
    assert sorted(at_once(*acts)) == ["NotChanged", "done"]
    assert (User.objects.filter(username__iexact="noor").count(), AccessChange.objects.count()) == (1, 1)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_role_ended_twice_at_once_is_ended_once(pair, number):
    ada, bo = pair
    mira = with_role("mira", Role.VIEWER)
    assert sorted(at_once(ends(mira, by=ada), ends(mira, by=bo))) == ["NotChanged", "done"]
