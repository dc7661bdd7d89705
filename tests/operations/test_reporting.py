"""A report is stored whole and read by the operation's contract, which alone says what it counts for."""

from typing import Any
from uuid import uuid4

import pytest

from operations import models, reading
from operations.binding import binding_of
from operations.contracts.channel import Kind
from operations.contracts.loading import document_of, library_text
from operations.contracts.specimen import representation
from operations.recording import EventDiffers, Origin, Report, register
from operations.reporting import WORDS_CHANNEL, NoSuchChannel, channel_of, report, say
from tests.operations.api.calls import issued
from tests.operations.rows import BY, NOW, contract, intent, later, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def operation_id() -> Any:
    return registered().operation_id


def told(event="e1", *, channel="reply", at=2.0, **more) -> Any:
    values = {"status": 201, "headers": (("content-type", "application/json"),), "payload": issued(), "attempt": "a1"}
    return Report(event=event, channel=channel, received_at=later(at), authentic=True, **{**values, **more})


def test_an_operation_that_is_not_there_is_named():
    with pytest.raises(reading.NoSuchOperation):
        report(uuid4(), told(), now=later(2), source="x")
    assert not models.Observation.objects.exists()


def test_another_report_under_the_same_event_is_refused(operation_id):
    report(operation_id, told(), now=later(2), source="x")
    with pytest.raises(EventDiffers):
        report(operation_id, told(payload=issued(number="T-2")), now=later(3), source="x")
    assert models.Observation.objects.count() == models.Reading.objects.count() == 1


def test_a_channel_of_another_kind_is_not_offered():
    with pytest.raises(NoSuchChannel) as refused:
        channel_of(contract(), Kind.REPLY, named="record")
    assert refused.value.offered == ("reply",)


def test_the_only_channel_of_a_kind_needs_no_name():
    assert channel_of(contract(), Kind.REPLY) == channel_of(contract(), Kind.REPLY, named="reply") == "reply"
    assert channel_of(contract(), Kind.CLIENT) == "wire"


def test_where_the_contract_has_no_channel_the_report_is_kept_and_never_counts(operation_id):
    channel = channel_of(contract(), Kind.RECEIPTS_FILE)
    assert channel == "unlisted-receipts_file"
    found = report(operation_id, told(channel=channel), now=later(2), source="x")
    assert [why.value for _, why in found.standing.not_counted] == [models.Reading.objects.get().why_not]


def test_a_kept_answer_that_is_given_again_keeps_the_date_of_the_first():
    """Stripe dates no answer, and tells one that it kept from a new one."""
    text = library_text("stripe-refunds")
    recipient = models.Recipient.objects.create(key="stripe", name="Stripe", created_at=NOW)
    published = models.Contract.objects.create(
        recipient=recipient, version=1, document=text, digest="0" * 64, created_at=NOW, published_at=NOW
    )
    bound = binding_of(published, representation(document_of(text)), origin=Origin())
    operation_id = register(bound, intent=intent(), now=NOW, by=BY).operation_id
    more = {"status": 400, "payload": b'{"error": {"type": "invalid_request_error"}}'}
    replayed = (("content-type", "application/json"), ("idempotent-replayed", "true"))
    for event, at, headers in (("e1", 2, replayed[:1]), ("e2", 60, replayed), ("e3", 61, replayed[:1])):
        report(operation_id, told(event, at=at, headers=headers, **more), now=later(at), source="x")
    dates = models.Reading.objects.order_by("position").values_list("as_of", flat=True)
    assert list(dates) == [later(2), later(2), later(61)]


def test_words_are_stored_on_a_channel_that_nobody_can_list(operation_id):
    words = Report(event="w", channel=WORDS_CHANNEL, received_at=later(2), authentic=False, words="Done, T-1.")
    found = say(operation_id, words, now=later(2), source="x")
    assert found.standing.evidence == "unknown"
    assert len(found.standing.not_counted) == 1
