"""A contract is published whole or not at all."""

import pytest

from operations import models
from operations.contracts.loading import ContractRefused, Draft, library_text
from operations.recording.publishing import publish
from tests.operations.rows import NOW, later

pytestmark = pytest.mark.django_db
TEXT = library_text("collection-desk")


def test_a_text_that_is_no_contract_makes_no_recipient():
    with pytest.raises(ContractRefused):
        publish("desk", name="Desk", text="format: 1\n", now=NOW)
    assert not models.Recipient.objects.exists()


def test_a_draft_is_not_published():
    with pytest.raises(Draft):
        publish("twilio", name="Twilio", text=library_text("twilio-messages"), now=NOW)
    assert not models.Recipient.objects.exists()


def test_the_first_version_is_one():
    row = publish("desk", name="Desk", text=TEXT, now=NOW)
    assert (row.recipient.key, row.recipient.name, row.version, row.published_at) == ("desk", "Desk", 1, NOW)


def test_the_same_text_again_is_the_same_version():
    first = publish("desk", name="Desk", text=TEXT, now=NOW)
    assert publish("desk", name="Desk", text=TEXT, now=later(5)) == first


def test_another_text_is_the_next_version_and_the_first_stays():
    first = publish("desk", name="Desk", text=TEXT, now=NOW)
    second = publish("desk", name="Desk", text=f"# corrected\n{TEXT}", now=later(5))
    assert second.version == 2
    assert models.Contract.objects.get(id=first.id).document == TEXT
