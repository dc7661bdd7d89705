"""On the page of an operation that closes another, its repeat says what the page of that repeat says and refuses."""

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.urls import reverse

from escalation.models import FourEyesRule
from escalation.policy import May, Role
from operations import models
from operations.contracts.loading import library_text
from operations.recording import writing
from tests.escalation.building import contract_of
from tests.escalation.closings import attempt_of, decided, may_close, now, state, told
from tests.escalation.people import with_role
from tests.operations.dispatching import KEY, lost, sent

pytestmark = pytest.mark.django_db
PACE = timedelta(seconds=60)  # what the recipient asks for between two requests, and more


def closing(desk, environ, *, promise="refused"):
    """A closing request that was sent and whose answer was lost; by the contract's `promise` of what it takes back."""
    may_close(desk, environ)
    desk.control.tell(door="close", reply="lost")
    made = lost()
    if promise != "refused":
        text = library_text("collection-desk")
        contract_of(text.replace("after_effect: {is: refused,", f"after_effect: {{is: {promise},"))
        with writing(made, now=now()):
            pass
    found = decided(made, with_role("mira", Role.OPERATOR))
    sent(attempt_of(found))
    return found


def seen(client, page: str, row: models.Operation) -> str:
    """The page once the recipient's pacing has passed."""
    with time_machine.travel(now() + PACE):
        return unescape(client.get(reverse(page, args=[row.number])).text)


def card(client, row: models.Operation) -> str:
    text = seen(client, "operation", row)
    found = re.search(r'<li id="door-repeat".*?</li>', text, re.DOTALL)
    assert found is not None
    return found[0]


def page(client, row: models.Operation) -> str:
    return seen(client, "protected_repeat", row)


def test_who_may_close_at_one_of_the_two_recipients_alone_reads_why_not_on_both(client, collection_desk, monkeypatch):
    found = closing(collection_desk, monkeypatch)
    ines = with_role("ines", Role.VIEWER)
    with_role_here = with_role("noor", Role.OPERATOR, recipient=found.closing.recipient)
    sentence = f"You may read, but not {May.CLOSE_ORIGINAL.sentence}"
    client.force_login(ines)
    assert sentence in card(client, found.closing)
    client.force_login(with_role_here)
    assert sentence in card(client, found.closing)
    assert sentence in page(client, found.closing)
    assert 'id="go-repeat"' not in card(client, found.closing)


def test_once_the_original_happened_both_say_so(client, collection_desk, monkeypatch):
    found = closing(collection_desk, monkeypatch)
    told(found.operation_id, channel="record", status=200, body=state("issued", ticket="T-1", key=KEY))
    client.force_login(with_role("noor", Role.OPERATOR))
    for text in (card(client, found.closing), page(client, found.closing)):
        assert "It happened; to close it now could only take back what was asked for." in text
        assert "look at the original." in text


@pytest.mark.parametrize("door", [May.CLOSE_ORIGINAL, May.REPEAT])
def test_the_rule_about_closing_is_the_one_that_asks_for_two(client, collection_desk, monkeypatch, door):
    found = closing(collection_desk, monkeypatch)
    noor = with_role("noor", Role.OPERATOR)
    FourEyesRule.objects.create(door=door.value, recipient=found.operation.recipient, set_at=now(), set_by=noor)
    client.force_login(noor)
    for text in (card(client, found.closing), page(client, found.closing)):
        assert ("By a rule of this desk it takes two people" in text) is (door is May.CLOSE_ORIGINAL)


@pytest.mark.parametrize("promise", ["refused", "undone"])
def test_what_could_take_back_what_happened_is_risky(client, collection_desk, monkeypatch, promise):
    found = closing(collection_desk, monkeypatch, promise=promise)
    client.force_login(with_role("noor", Role.OPERATOR))
    text = card(client, found.closing)
    assert 'id="go-repeat"' in text
    assert ("It closes another operation: if that happened, this could take it back." in text) is (promise == "undone")
    assert ('class="door risky' in text) is (promise == "undone")
