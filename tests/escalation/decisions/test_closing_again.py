"""Sending a closing request again is decided like the closing itself, at both recipients."""

from datetime import timedelta

import pytest

from escalation.decisions import NotAllowed
from escalation.decisions.taking import SecondNeeded
from escalation.models import FourEyesRule
from escalation.policy import EVERY_RECIPIENT, May, Role
from escalation.screens.sight import look
from escalation.views.protected_repeat import OF_A_CLOSING
from operations import models
from operations.contracts.loading import library_text
from operations.recording import writing
from tests.escalation.building import contract_of
from tests.escalation.closings import attempt_of, decided, may_close, now
from tests.escalation.people import with_role
from tests.escalation.repeats import repeated
from tests.operations.dispatching import lost, sent

PACE = timedelta(seconds=60)  # what the recipient asks for between two requests, and more
pytestmark = pytest.mark.django_db


@pytest.fixture
def closing(collection_desk, monkeypatch, mira):
    """A closing request that was sent and whose answer was lost."""
    may_close(collection_desk, monkeypatch)
    collection_desk.control.tell(door="close", reply="lost")
    found = decided(lost(), mira)
    sent(attempt_of(found))
    return found


def again(found, person):
    return repeated(found.closing_id, person, executor="agent", at=now() + PACE)


@pytest.mark.parametrize("at", ["closing", "operation"])
def test_who_may_not_close_at_one_of_the_two_recipients_sends_none_again(closing, at):
    ines = with_role("ines", Role.OPERATOR, recipient=getattr(closing, at).recipient)
    with pytest.raises(NotAllowed):
        again(closing, ines)
    assert not models.Grant.objects.exists()


@pytest.mark.parametrize("at", ["closing", "operation"])
def test_a_rule_about_closing_at_either_recipient_takes_two(closing, mira, at):
    FourEyesRule.objects.create(
        door=May.CLOSE_ORIGINAL.value, recipient=getattr(closing, at).recipient, set_at=now(), set_by=mira
    )
    with pytest.raises(SecondNeeded, match="closed at the recipient"):
        again(closing, mira)
    assert not models.Grant.objects.exists()


@pytest.mark.parametrize("promise", ["refused", "undone"])
def test_it_asks_for_a_yes_to_what_could_be_taken_back_where_the_link_says_so(
    collection_desk, monkeypatch, mira, promise
):
    may_close(collection_desk, monkeypatch)
    made = lost()
    contract_of(
        library_text("collection-desk").replace("after_effect: {is: refused,", f"after_effect: {{is: {promise},")
    )
    with writing(made, now=now()):
        pass
    found = decided(made, mira)
    sight = look(found.closing.number, now=now(), reads=EVERY_RECIPIENT)
    assert found.takes_back == promise
    assert ("taken_back" in OF_A_CLOSING.form(sight).fields) is (promise == "undone")


def test_with_the_role_at_both_it_is_sent_again(closing, mira):
    assert again(closing, mira).grant is not None
