"""A case's page and its operation's say whom the chain called, who is next and when, and why nobody is."""

import re
from datetime import datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.cases import minding
from escalation.cases.calling import call
from escalation.cases.minding import Minder
from escalation.models import Case, User
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import with_role
from tests.escalation.teams.made import MINUTE, chain, rota, team, weekly

pytestmark = pytest.mark.django_db
OPENED = T0 + HOUR


@pytest.fixture
def ada() -> User:
    return with_role("ada", Role.REVIEWER)


@pytest.fixture
def lost() -> Made:
    """An operation that has been unknown for too long."""
    made = operation()
    made.timed_out(now=T0 + timedelta(seconds=10))
    calling.call(now=OPENED, most=10)
    return made


def said(name: str, made: Made, reader: User, *, at: datetime) -> str:
    """What a page says at a moment, its tags left out."""
    client = Client()
    with time_machine.travel(at, tick=False):
        client.force_login(reader)
        text = client.get(reverse(name, args=[made.number])).text
    return " ".join(re.sub(r"<[^>]+>", "", text).split())


@pytest.mark.parametrize("name", ["case", "operation"])
def test_that_no_team_owns_it_is_said(lost, ada, name):
    assert "No team owns it, and none owns the rest: nobody is called." in said(name, lost, ada, at=OPENED)


@pytest.mark.parametrize("name", ["case", "operation"])
def test_that_no_chain_is_called_is_said(lost, ada, name):
    team("Desk", owns="")
    assert "has no chain, and none stands in: nobody is called." in said(name, lost, ada, at=OPENED)


def test_that_nobody_in_the_chain_can_be_called_is_said(lost, ada):
    chain(team("Desk", owns=""), (rota("Nights"), 5))
    text = said("case", lost, ada, at=OPENED)
    assert "Nobody in its chain can be called now" in text
    assert "Step 1, whoever is on call in Nights: nobody is on call." in text


def test_a_chain_of_another_team_is_named(lost, ada):
    team("Desk", owns=lost.row.recipient)
    chain(team("Rest", owns=""), (ada, 5))
    assert "Team Desk owns it, and has no chain: that of Rest is called." in said("case", lost, ada, at=OPENED)


def test_what_was_called_and_what_comes_next_is_said_with_its_round(lost, ada):
    nights, ben = rota("Nights"), with_role("ben", Role.REVIEWER)
    weekly(nights, ben)
    chain(team("Desk", ada, owns=""), (ada, 10), (nights, 20))
    assert "Next: ada (step 1, round 1), due since" in said("case", lost, ada, at=OPENED)
    call(now=OPENED, most=10)
    text = said("case", lost, ada, at=OPENED + MINUTE)
    assert "Team Desk owns it." in text
    assert "Next: whoever is on call in Nights, now ben (step 2, round 1), today 13:10 (in 9 min)." in text
    assert "today 13:00 (1 min ago)11ada" in text
    call(now=OPENED + 10 * MINUTE, most=10)
    text = said("operation", lost, ada, at=OPENED + 11 * MINUTE)
    assert "Called 2 times, last today 13:10: ben, on call in Nights (step 2, round 1). Next today 13:30" in text
    assert "round 2" in said("case", lost, ada, at=OPENED + 11 * MINUTE)


def test_that_nobody_is_called_while_it_is_seen_or_put_off_is_said(lost, ada):
    chain(team("Desk", ada, owns=""), (ada, 10))
    minding.acknowledge(lost.id, Minder(person=ada, seen=case_of(lost).revision, now=OPENED))
    assert "While somebody has seen it nobody is called. Next: ada" in said("case", lost, ada, at=OPENED)
    until = OPENED + 3 * HOUR
    minding.put_off(lost.id, Minder(person=ada, seen=case_of(lost).revision, now=OPENED), until=until, note="")
    text = said("case", lost, ada, at=OPENED)
    assert "While it is put off nobody is called. Next: ada (step 1, round 1), today 16:00" in text


def test_an_owner_is_called_first_and_one_who_left_is_said_to_be_passed_over(lost, ada):
    ben = with_role("ben", Role.REVIEWER)
    chain(team("Desk", ada, owns=""), (ada, 10))
    minding.take(lost.id, Minder(person=ben, seen=case_of(lost).revision, now=OPENED))
    assert "Next: ben, who looks after it (round 1), today 13:30" in said("case", lost, ada, at=OPENED)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    text = said("case", lost, ada, at=OPENED)
    assert "Next: ada (step 1, round 1)" in text
    assert "Whoever looks after it: ben is inactive." in text
    assert "ben (inactive) looks after it" in text


def test_a_closed_case_says_what_it_called_and_no_next(lost, ada):
    chain(team("Desk", ada, owns=""), (ada, 10))
    call(now=OPENED, most=10)
    lost.issued("T-1", now=OPENED + MINUTE)
    text = said("case", lost, ada, at=OPENED + MINUTE)
    assert ("today 13:00 (1 min ago)11ada" in text, "Next:" in text) == (True, False)


def test_a_call_by_the_chain_does_not_make_what_somebody_reads_out_of_date(lost, ada):
    chain(team("Desk", ada, owns=""), (ada, 10))
    seen = case_of(lost).revision
    call(now=OPENED, most=10)
    minding.acknowledge(lost.id, Minder(person=ada, seen=seen, now=OPENED + MINUTE))
    assert case_of(lost).acknowledged_until is not None


def test_the_queue_says_in_which_round_its_calls_are_and_that_its_owner_left(lost, ada):
    ben = with_role("ben", Role.REVIEWER)
    chain(team("Desk", ada, owns=""), (ada, 10))
    call(now=OPENED, most=10)
    assert "nobody looks after it, round 2 of its calls ·" in queue(ada, at=OPENED + MINUTE)
    minding.take(lost.id, Minder(person=ben, seen=case_of(lost).revision, now=OPENED + MINUTE))
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert "ben (inactive) looks after it, round 2 of its calls ·" in queue(ada, at=OPENED + 2 * MINUTE)


def queue(reader: User, *, at: datetime) -> str:
    """What the queue says at a moment, its tags left out."""
    client = Client()
    with time_machine.travel(at, tick=False):
        client.force_login(reader)
        return " ".join(re.sub(r"<[^>]+>", "", client.get(reverse("queue")).text).split())


def case_of(made: Made) -> Case:
    return Case.objects.get(operation=made.id)
