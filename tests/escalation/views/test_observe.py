"""Asking the recipient on the screen: each question shown before it is asked, each answer judged by the contract."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.urls import reverse

from escalation.models import User
from operations import models
from tests.escalation.building import operation
from tests.escalation.people import viewer
from tests.recipients.reached import reach

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(collection_desk, monkeypatch):
    """An operation whose reply was lost, at a desk that can be asked."""
    made = operation("order-1001", now=datetime.now(UTC) - timedelta(seconds=30))
    reach(collection_desk, environ=monkeypatch)
    return made


@pytest.fixture
def keeper(client):
    client.force_login(User.objects.create_superuser("mira"))
    return client


def address(made) -> str:
    return reverse("observe", args=[made.number])


def test_somebody_who_may_only_read_is_refused_and_nothing_is_asked(client, made, collection_desk):
    client.force_login(viewer())
    assert "Ask now" not in client.get(address(made)).text
    answer = client.post(address(made), {"channel": "record"})
    assert (answer.status_code, models.Observation.objects.count()) == (403, 0)
    assert "may read, but not have the desk ask" in answer.text


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({}, "Choose what to ask."),
        ({"channel": "counter"}, "no such channel that can be asked"),
        ({"channel": "ticket"}, "Type the reference"),
        ({"channel": "ticket", "reference": "x" * 256}, "at most 255 characters"),
        ({"channel": "record", "reference": "T-1"}, "does not ask by a reference"),
    ],
)
def test_what_is_no_question_is_named_and_nothing_is_asked(keeper, made, typed, sentence):
    answer = keeper.post(address(made), typed)
    assert (answer.status_code, models.Observation.objects.count()) == (422, 0)
    assert sentence in answer.text


def test_looking_asks_nothing(keeper, made, collection_desk):
    text = keeper.get(address(made)).text
    assert "GET /operations/order-1001" in text
    assert "Asks, changes nothing." in text
    assert collection_desk.control.truth()["reads"] == {}


def test_a_recipient_without_an_address_shows_why_in_place_of_the_button(keeper, made):
    models.Recipient.objects.update(address="")
    text = keeper.get(address(made)).text
    assert "has no address of Collection desk" in text
    assert "Ask now" not in text


def test_no_answer_is_said_and_nothing_was_learnt(keeper, made, collection_desk):
    collection_desk.control.tell(door="operation", reply="lost", times=2)  # a read may be made once more
    answer = keeper.post(address(made), {"channel": "record"})
    assert (answer.status_code, models.Observation.objects.count()) == (502, 0)
    assert "Nothing was learnt." in answer.text


def test_an_answer_is_shown_as_the_contract_reads_it(keeper, made, collection_desk):
    collection_desk.public.ask_for_ticket("order-1001")
    answer = keeper.post(address(made), {"channel": "record"}, follow=True)
    assert answer.redirect_chain == [(reverse("operation", args=[made.number]), 302)]
    number = collection_desk.control.tickets("order-1001")[0]
    assert f"Collection desk answered (record): it happened: {number}." in answer.text


def test_a_second_ask_at_once_waits_for_the_recipients_pace(keeper, made):
    keeper.post(address(made), {"channel": "record"})
    answer = keeper.post(address(made), {"channel": "record"})
    assert (answer.status_code, models.Observation.objects.count()) == (409, 1)
    assert "wants time between two asks" in keeper.get(address(made)).text


def test_a_receipt_is_found_by_its_number_and_the_record_repaired_from_it(keeper, made, collection_desk):
    collection_desk.public.ask_for_ticket("order-1001")
    number = collection_desk.control.tickets("order-1001")[0]
    repair = reverse("repair_record", args=[made.number])
    assert "Find a receipt by its ticket number" in keeper.get(repair).text
    found = keeper.post(address(made), {"channel": "ticket", "reference": f" {number} "}, follow=True)
    assert found.redirect_chain == [(repair, 302)]
    receipt = models.Observation.objects.get(channel="ticket")
    assert f'value="{receipt.id}"' in found.text
    keeper.post(repair, {"receipt": receipt.id, "revision": made.row.revision, "once": uuid4(), "compared": "on"})
    assert models.Completion.objects.get().effect_ref == number
    assert len(collection_desk.control.truth()["tickets"]) == 1


def test_the_number_of_somebody_elses_receipt_repairs_nothing(keeper, made, collection_desk):
    collection_desk.public.ask_for_ticket("order-2002")
    number = collection_desk.control.tickets("order-2002")[0]
    found = keeper.post(address(made), {"channel": "ticket", "reference": number}, follow=True)
    assert "This answer belongs to something else." in found.text
    assert 'name="receipt"' not in found.text
