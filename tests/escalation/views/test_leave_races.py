"""Two connections at once: one decision and one clear refusal, or evidence that is stored and judged; never both lost."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from escalation.models import LeftUnresolved, RecordRepair, User
from escalation.policy import Role
from operations import models
from tests.escalation.building import HOUR, Made, operation
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5
MINUTE = timedelta(minutes=1)
LEFT = "Left unresolved or put off until a time that was set, outcome unknown"


def lost(name: str) -> Made:
    """An operation whose reply was lost two hours ago."""
    now = datetime.now(UTC)
    made = operation(name, parcel=name, now=now - 2 * HOUR)
    made.timed_out(now=now - 2 * HOUR + MINUTE)
    return made


def leaving(made: Made) -> dict[str, object]:
    again = f"{datetime.now(UTC) + 24 * HOUR:%Y-%m-%dT%H:%M}"
    words = {"fact": "whether_it_happened", "told": "Ada", "look_again_at": again}
    return {**words, "revision": made.row.revision, "once": uuid4()}


def repairing(made: Made) -> dict[str, object]:
    receipt = models.Observation.objects.filter(operation=made.id).latest("position").id
    return {"receipt": receipt, "compared": "on", "revision": made.row.revision, "once": uuid4()}


def posts(person: User, name: str, made: Made, words: dict[str, object]) -> Callable[[], Any]:
    client = Client()
    client.force_login(person)
    address = reverse(name, args=[made.number])
    return lambda: client.post(address, words)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act led to, each on a connection of its own, all begun together."""
    start, ended = Barrier(len(acts)), {}

    def run(place: int) -> None:
        try:
            start.wait(timeout=10)
            ended[place] = acts[place]()
        finally:
            connection.close()

    threads = [Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return [ended[place] for place in range(len(acts))]


def group_of(made: Made, person: User) -> str:
    client = Client()
    client.force_login(person)
    parts = re.split(r'scope="colgroup">([^<]*)</th>', client.get(reverse("queue")).text)[1:]
    found = [head for head, rows in zip(parts[::2], parts[1::2], strict=True) if f'id="row-{made.number}"' in rows]
    return found[0].rpartition(" · ")[0]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_two_people_who_leave_the_same_take_one_decision(number):
    mira, noor = with_role("mira", Role.REVIEWER), with_role("noor", Role.REVIEWER)
    made = lost(f"P{number}")
    both = [posts(person, "leave_unresolved", made, leaving(made)) for person in (mira, noor)]
    answers = at_once(*both)
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "changed while you were reading" in refused.text
    assert LeftUnresolved.objects.count() == models.Decision.objects.count() == 1


@pytest.mark.parametrize("number", range(ROUNDS))
def test_leaving_and_repairing_what_happened_leads_to_the_repair_and_one_clear_refusal(number):
    mira, noor = with_role("mira", Role.REVIEWER), with_role("noor", Role.REVIEWER)
    made = lost(f"P{number}")
    made.issued("T-1", now=datetime.now(UTC))
    left, repaired = at_once(
        posts(mira, "leave_unresolved", made, leaving(made)), posts(noor, "repair_record", made, repairing(made))
    )
    assert (repaired.status_code, RecordRepair.objects.count()) == (302, 1)
    assert (left.status_code, LeftUnresolved.objects.count()) == (409, 0)
    assert "The outcome is established" in left.text
    assert models.Decision.objects.count() == 1


@pytest.mark.parametrize("number", range(ROUNDS))
def test_leaving_and_repairing_what_nobody_knows_leads_to_the_leaving_and_one_clear_409(number):
    mira, noor = with_role("mira", Role.REVIEWER), with_role("noor", Role.REVIEWER)
    made = lost(f"P{number}")
    left, repaired = at_once(
        posts(mira, "leave_unresolved", made, leaving(made)),
        posts(noor, "repair_record", made, {**repairing(made), "receipt": "standing"}),
    )
    assert (left.status_code, LeftUnresolved.objects.count()) == (302, 1)
    assert (repaired.status_code, RecordRepair.objects.count()) == (409, 0)
    assert models.Decision.objects.count() == 1


@pytest.mark.parametrize("number", range(ROUNDS))
def test_evidence_that_comes_meanwhile_is_stored_and_judged_whoever_is_first(number):
    mira = with_role("mira", Role.REVIEWER)
    made = lost(f"P{number}")
    left, stored = at_once(
        posts(mira, "leave_unresolved", made, leaving(made)), lambda: made.issued("T-1", now=datetime.now(UTC))
    )
    assert stored.created
    assert made.row.evidence == "applied"
    assert group_of(made, mira) == "Can be finished now: the outcome is known, our books don&#x27;t show it"
    assert left.status_code in (302, 409)
    assert LeftUnresolved.objects.count() == models.Decision.objects.count() == (left.status_code == 302)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_evidence_that_settles_nothing_and_a_leaving_both_stand_or_the_leaving_is_asked_again(number):
    mira = with_role("mira", Role.REVIEWER)
    made = lost(f"P{number}")
    left, stored = at_once(
        posts(mira, "leave_unresolved", made, leaving(made)), lambda: made.failed(now=datetime.now(UTC))
    )
    assert stored.created
    assert made.row.evidence == "unknown"
    taken = left.status_code == 302
    assert (taken or left.status_code == 409, LeftUnresolved.objects.count()) == (True, int(taken))
    assert (group_of(made, mira) == LEFT) is taken
