"""A contract is published whole or not at all; a draft may be anything, one at a time."""

import pytest
from django.db import DatabaseError, transaction

from operations import models, reading
from operations.contracts.loading import ContractRefused, Draft, library_text
from operations.recording.publishing import (
    DraftExists,
    NoSuchDraft,
    begin_draft,
    lock_draft,
    publish,
    publish_draft,
    write_draft,
)
from tests.operations.rows import NOW, later

pytestmark = pytest.mark.django_db
TEXT = library_text("collection-desk")
INVENTED = library_text("rifl")


def draft(told: str = TEXT) -> models.Contract:
    return begin_draft("desk", name="Desk", text=told, now=NOW)


def test_a_text_that_is_no_contract_makes_no_recipient():
    with pytest.raises(ContractRefused):
        publish("desk", name="Desk", text="format: 1\n", now=NOW)
    assert not models.Recipient.objects.exists()


def test_a_draft_is_not_published():
    with pytest.raises(Draft):
        publish("rpc", name="RPC", text=INVENTED, now=NOW)
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


@pytest.mark.parametrize(("text", "refused"), [("format: 1\n", ContractRefused), (INVENTED, Draft)])
def test_what_could_not_be_published_stays_a_draft(text, refused):
    row = draft(text)
    with pytest.raises(refused):
        publish_draft(lock_draft(row.id), now=later(5))
    assert models.Contract.objects.get(id=row.id).published_at is None


def test_a_second_draft_is_not_begun():
    row = draft()
    with pytest.raises(DraftExists) as exists:
        draft("another")
    assert exists.value.contract == row


def test_a_published_version_is_no_draft_any_more():
    row = draft()
    publish_draft(lock_draft(row.id), now=later(5))
    with pytest.raises(NoSuchDraft):
        lock_draft(row.id)
    with pytest.raises(DatabaseError), transaction.atomic():
        write_draft(models.Contract.objects.get(id=row.id), "another")


def test_a_draft_is_no_contract_in_force():
    row = draft()
    assert reading.contract_in_force(row.recipient_id) is None


def test_a_draft_may_be_any_text_and_be_written_again():
    row = draft("")
    write_draft(lock_draft(row.id), TEXT)
    assert publish_draft(lock_draft(row.id), now=later(5)).published_at == later(5)
    assert reading.contract_in_force(row.recipient_id) == row


def test_a_draft_that_another_version_overtook_is_numbered_anew_and_holds():
    publish("desk", name="Desk", text=TEXT, now=NOW)
    row = draft(f"# drafted\n{TEXT}")
    publish("desk", name="Desk", text=f"# corrected\n{TEXT}", now=later(5))
    assert row.version == 2
    assert publish_draft(lock_draft(row.id), now=later(9)).version == 4
    assert reading.contract_in_force(row.recipient_id) == row
