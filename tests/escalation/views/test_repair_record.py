"""Repairing our record on the screen."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.urls import reverse

from escalation.models import RecordRepair, User
from operations import models
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def keeper(client):
    """An administrator at the screen."""
    client.force_login(User.objects.create_superuser("mira"))
    return client


@pytest.fixture
def issued():
    """An operation whose receipt came."""
    made = operation()
    made.issued("T-1001", now=T0 + timedelta(minutes=1))
    return made


def address(made: Made) -> str:
    return reverse("repair_record", args=[made.number])


def typed(made: Made, **other: object) -> dict[str, object]:
    receipt = models.Observation.objects.filter(operation=made.id).latest("position").id
    seen = {"revision": made.row.revision, "once": uuid4()}
    return {"receipt": receipt, **seen, "remark": "as I saw it", "compared": "on", **other}


def test_somebody_who_may_only_read_finds_a_sentence_in_place_of_the_button(client, issued):
    client.force_login(viewer())
    text = client.get(address(issued)).text
    assert "an administrator of this desk can give it" in text
    assert '<button class="primary">' not in text


def test_somebody_who_may_only_read_can_not_post(client, issued):
    client.force_login(viewer())
    answer = client.post(address(issued), typed(issued))
    assert (answer.status_code, RecordRepair.objects.count()) == (403, 0)


def test_a_stale_page_is_answered_with_what_was_typed(keeper, issued):
    words = typed(issued)
    issued.failed(now=T0 + timedelta(minutes=2))
    answer = keeper.post(address(issued), words)
    assert (answer.status_code, RecordRepair.objects.count()) == (409, 0)
    assert "changed while you were reading" in answer.text
    assert ">as I saw it</textarea>" in answer.text
    assert f'value="{words["receipt"]}" checked' in answer.text
    assert f'name="revision" value="{issued.row.revision}"' in answer.text
    assert 'name="compared" required>' in answer.text


def test_a_receipt_that_was_contradicted_meanwhile_keeps_what_was_typed(keeper, issued):
    words = typed(issued)
    issued.recorded("closed", now=T0 + timedelta(minutes=3))
    answer = keeper.post(address(issued), words)
    assert (answer.status_code, RecordRepair.objects.count()) == (409, 0)
    assert "contradicts itself" in answer.text
    assert "as I saw it" in answer.text


@pytest.mark.parametrize("left_out", ["receipt", "compared"])
def test_without_a_choice_or_a_yes_nothing_is_written(keeper, issued, left_out):
    words = typed(issued)
    del words[left_out]
    answer = keeper.post(address(issued), words)
    assert (answer.status_code, RecordRepair.objects.count()) == (422, 0)
    assert "as I saw it" in answer.text


@pytest.mark.parametrize("receipt", ["standing", "no-uuid", "00000000-0000-0000-0000-000000000000"])
def test_what_was_not_offered_can_not_be_chosen(keeper, issued, receipt):
    answer = keeper.post(address(issued), typed(issued, receipt=receipt))
    assert (answer.status_code, RecordRepair.objects.count()) == (422, 0)


def test_no_receipt_is_chosen_beforehand(keeper, issued):
    assert " checked" not in keeper.get(address(issued)).text


def test_an_open_outcome_is_locked_and_says_why(keeper):
    made = operation()
    text = keeper.get(address(made)).text
    assert "No outcome is established that our record could be repaired from." in text
    assert "<fieldset" not in text


def test_the_receipt_is_compared_line_by_line(keeper, issued):
    text = keeper.get(address(issued)).text
    for line in ("request number", "place", "parcel", "how far it reaches", "who may say it"):
        assert f'<th scope="row">{line}</th>' in text
    assert "It happened (ticket number T-1001)." in text
    assert "Nothing: no outcome is on record." in text


def test_a_form_that_is_sent_twice_gives_one_decision(keeper, issued):
    words = typed(issued)
    first, second = keeper.post(address(issued), words), keeper.post(address(issued), words)
    there = reverse("operation", args=[issued.number])
    assert (first.status_code, first.url) == (second.status_code, second.url) == (302, there)
    assert RecordRepair.objects.count() == models.Completion.objects.count() == 1


def test_a_repaired_operation_says_so_and_leaves_the_queue(keeper, issued):
    keeper.post(address(issued), typed(issued))
    text = keeper.get(reverse("operation", args=[issued.number])).text
    assert "Our record is repaired. Nothing was sent." in text
    assert "Repaired by <b>mira</b>" in text
    assert "Nothing waits for a person." in keeper.get(reverse("queue")).text
