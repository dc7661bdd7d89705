"""Whoever repeats is told of an attempt that went out unprotected: a copy of it that comes late could act again.

semantics.md, Permitted actions, the assumptions: only copies of attempts sent under active protection are assumed to
arrive before it ends.
"""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from escalation.policy import Role
from operations import recording
from operations.core.facts import Sends
from operations.recording import Intent
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import with_role
from tests.operations.granted import granted

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
WARNING = "which went out unprotected, could act again if it comes"


def kept(made: Made, *, until, said_at, learnt_at) -> None:
    """The recipient says until when it keeps the request number."""
    stamps = {name: f"{at:%Y-%m-%dT%H:%M:%S}.000Z" for name, at in (("kept_until", until), ("as_of", said_at))}
    body = {"key": made.identity, "state": "kept", "first_received_at": "2026-11-30T12:00:00.000Z", **stamps}
    made.learns("key", now=learnt_at, asked_at=said_at, status=200, body=body, by="desk")


def sent_twice() -> Made:
    """An operation that went out at `T0`, and again three hours later."""
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    grant = granted(made.id, now=T0 + 3 * HOUR)
    intent = Intent(attempt="second", sends=Sends.ONE, scope="desk-east", begun_at=T0 + 3 * HOUR)
    recording.begin(made.id, intent, now=T0 + 3 * HOUR, by="key:agent", grant=grant)
    return made


@pytest.fixture
def mira(client):
    client.force_login(with_role("mira", Role.OPERATOR))
    return client


def pages(mira, made: Made, *, at) -> tuple[str, str]:
    """The page of the repeat, and the operation's own."""
    with time_machine.travel(at, tick=False):
        found = [mira.get(reverse(name, args=[made.number])).text for name in ("protected_repeat", "operation")]
    return found[0], found[1]


def test_where_every_attempt_went_out_protected_nobody_is_warned(mira):
    made = sent_twice()
    kept(made, until=T0 + 20 * HOUR, said_at=T0 + 4 * HOUR, learnt_at=T0 + 4 * HOUR)
    for page in pages(mira, made, at=T0 + 6 * HOUR):
        assert WARNING not in page


def test_an_attempt_that_went_out_between_two_promises_is_named_and_the_repeat_stays_open(mira):
    made = sent_twice()
    kept(made, until=T0 + 2 * HOUR, said_at=T0 + HOUR, learnt_at=T0 + 4 * HOUR)  # it had ended when "second" went out
    kept(made, until=T0 + 20 * HOUR, said_at=T0 + 5 * HOUR, learnt_at=T0 + 5 * HOUR)
    repeat, own = pages(mira, made, at=T0 + 6 * HOUR)
    for page in (repeat, own):
        assert WARNING in page
    assert "A copy of attempt <code><bdi>second</bdi></code>, which went out unprotected" in repeat
    assert "attempt <code><bdi>a1</bdi>" not in repeat
    assert 'name="executor"' in repeat


def test_once_protection_has_ended_there_is_no_repeat_to_warn_of(mira):
    made = sent_twice()
    kept(made, until=T0 + 2 * HOUR, said_at=T0 + HOUR, learnt_at=T0 + 4 * HOUR)
    repeat, _ = pages(mira, made, at=T0 + 6 * HOUR)
    assert WARNING not in repeat
    assert "The way out:" in repeat
