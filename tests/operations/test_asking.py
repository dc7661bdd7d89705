"""One question to a recipient, asked over real HTTP: what is learnt, and what is never sent."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from operations import models, reading
from operations.asking import CannotAsk, NoAnswer, ask_now, askable, findable, prepared
from operations.contracts.loading import document_of, library_text
from tests.escalation.building import operation
from tests.recipients.client import WAIT
from tests.recipients.reached import CREDENTIAL, reach

pytestmark = pytest.mark.django_db


def clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def made(collection_desk, monkeypatch):
    """An operation whose reply was lost, at a desk that can be asked."""
    made = operation("order-1001", now=clock() - timedelta(seconds=30))
    reach(collection_desk, environ=monkeypatch)
    return made


def seen(desk) -> dict[str, int]:
    """How often each door of the desk was asked, by its own word."""
    return dict(desk.control.truth()["reads"])


def test_nothing_is_asked_of_a_recipient_without_an_address(made, collection_desk):
    models.Recipient.objects.update(address="")
    with pytest.raises(CannotAsk, match="has no address of Collection desk"):
        ask_now(made.id, "record", clock=clock, by="mira")
    assert (seen(collection_desk), models.Observation.objects.count()) == ({}, 0)


def test_nothing_is_asked_where_the_network_is_not_allowed(made, collection_desk, monkeypatch):
    monkeypatch.delenv("UNRESOLVED_ALLOWED_NETWORKS")
    with pytest.raises((CannotAsk, NoAnswer)):
        ask_now(made.id, "record", clock=clock, by="mira")
    assert (seen(collection_desk), models.Observation.objects.count()) == ({}, 0)


def test_a_secret_goes_nowhere_but_to_the_origin_it_is_for(made, collection_desk, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_FOR", "https://desk.example")
    with pytest.raises(CannotAsk) as refused:
        ask_now(made.id, "record", clock=clock, by="mira")
    assert "credential-of-one" not in str(refused.value)
    assert seen(collection_desk) == {}


def test_a_person_who_is_asked_to_wait_leaves_the_recipient_alone_for_everybody(made, collection_desk):
    collection_desk.control.terms(retry_after=120)
    collection_desk.control.tell(door="operation", handling="turn_away", status=503)
    before = clock()
    ask_now(made.id, "record", clock=clock, by="mira")
    pace = models.Pace.objects.get()
    assert pace.not_before is not None
    assert pace.not_before >= before + timedelta(seconds=120)
    assert models.Due.objects.get(operation_id=made.id).asked["record"]["not_before"] >= before.timestamp() + 120


def test_a_channel_that_the_contract_does_not_ask_through_is_not_asked(made):
    for channel in ("reply", "events", "counter", "nowhere"):
        with pytest.raises(CannotAsk, match="no channel"):
            ask_now(made.id, channel, clock=clock, by="mira")


def test_a_lookup_by_a_reference_waits_until_there_is_one(made):
    with pytest.raises(CannotAsk, match="reference to the effect is not known yet"):
        ask_now(made.id, "ticket", clock=clock, by="mira")


def test_an_ask_without_an_answer_teaches_nothing(made, collection_desk, monkeypatch):
    nowhere = "http://127.0.0.1:9"
    models.Recipient.objects.update(address=nowhere)
    monkeypatch.setenv(f"{CREDENTIAL}_FOR", nowhere)
    before = made.row.revision
    with pytest.raises(NoAnswer):
        ask_now(made.id, "record", clock=clock, by="mira")
    assert (models.Observation.objects.count(), made.row.revision) == (0, before)


def test_the_record_says_what_happened_and_on_whose_behalf_it_was_asked(made, collection_desk):
    collection_desk.public.ask_for_ticket("order-1001", within=WAIT)
    observed = ask_now(made.id, "record", clock=clock, by="mira")
    row = models.Observation.objects.get(id=observed.observation_id)
    assert (made.row.evidence, row.source, row.status) == ("applied", "desk, asked by mira", 200)
    assert row.asked_at is not None
    assert row.asked_at <= row.received_at


def test_two_asks_keep_the_time_apart_that_the_contract_wants(made, collection_desk):
    ask_now(made.id, "record", clock=clock, by="mira")
    with pytest.raises(CannotAsk, match="wants time between two asks"):
        ask_now(made.id, "record", clock=clock, by="noor")
    ask_now(made.id, "record", clock=lambda: clock() + timedelta(seconds=6), by="noor")
    assert models.Observation.objects.count() == 2


def test_a_receipt_is_found_by_the_number_that_somebody_has(made, collection_desk):
    collection_desk.public.ask_for_ticket("order-1001", within=WAIT)
    number = collection_desk.control.tickets("order-1001")[0]
    observed = ask_now(made.id, "ticket", reference=number, clock=clock, by="mira")
    assert observed.standing.evidence == "applied"
    assert models.Observation.objects.get().reference == number


def test_the_receipt_of_another_request_is_kept_and_settles_nothing(made, collection_desk):
    collection_desk.public.ask_for_ticket("order-2002", within=WAIT)
    number = collection_desk.control.tickets("order-2002")[0]
    ask_now(made.id, "ticket", reference=number, clock=clock, by="mira")
    claim = models.Reading.objects.get()
    assert (made.row.evidence, claim.correlation, claim.counts) == ("unknown", "mismatch", False)


@pytest.mark.parametrize(
    "reference", ["..", "../operations/order-1001", "T-1?as=other", "T-1\r\nX: y", "http://[::1]/"]
)
def test_a_typed_reference_never_becomes_another_path(made, collection_desk, reference):
    with suppress(CannotAsk, NoAnswer):
        ask_now(made.id, "ticket", reference=reference, clock=clock, by="mira")
    assert set(seen(collection_desk)) <= {"ticket"}
    assert made.row.evidence == "unknown"


def test_what_is_asked_by_itself_and_what_needs_a_reference_are_told_apart():
    document = document_of(library_text("collection-desk"))
    assert list(askable(document)) == ["record", "place", "search", "key"]
    assert list(findable(document)) == ["ticket"]


def test_the_question_carries_what_the_stored_request_carried(made):
    asked = prepared(reading.operation(made.id), "record")
    assert (asked.ask.method, asked.ask.target) == ("GET", "/operations/order-1001")
    assert asked.ask.headers == (("cache-control", "no-cache"),)
