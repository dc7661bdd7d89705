"""The address where recipients tell us: what it answers to strangers, to the hostile, and to the recipient itself."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from operations import models
from tests.escalation.building import contract_of, operation
from tests.operations.told import SECRET, SETTING, event, may_tell, signed
from tests.recipients.fixtures import collection_desk

__all__ = ["collection_desk"]

pytestmark = pytest.mark.django_db
ADDRESS = "/hooks/collection-desk"


@pytest.fixture(autouse=True)
def _signs(monkeypatch):
    may_tell(monkeypatch)
    contract_of()


def tells(body: bytes, *, headers: dict[str, str] | None = None, address: str = ADDRESS, **more):
    """One message to the desk, by somebody who has no session and no token of a form."""
    lines = signed(body, at=datetime.now(UTC)) if headers is None else headers
    client = Client(enforce_csrf_checks=True)
    return client.post(address, body, content_type="application/json", headers=lines, **more)


@pytest.mark.parametrize(
    ("address", "status"),
    [("/hooks/nobody", 404), ("/hooks/collection-desk/counter", 404), ("/hooks/collection-desk/record", 404)],
)
def test_where_nothing_listens_there_is_nothing(address, status):
    answer = tells(b"{}", address=address)
    assert (answer.status_code, answer["content-type"]) == (status, "application/problem+json")


def test_looking_is_not_allowed():
    assert Client().get(ADDRESS).status_code == 405


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"webhook-signature": "v1,AAAA"}, "No signature was made"),
        ({"webhook-signature": ""}, "isn't signed"),
        ({"webhook-timestamp": "1"}, "may be a replay"),
        ({"webhook-timestamp": "9999999999"}, "in the future"),
        ({"webhook-timestamp": "now"}, "isn't a time"),
        ({"webhook-id": "msg_2"}, "No signature was made"),
    ],
)
def test_what_is_not_proven_is_refused_with_the_reason_and_nothing_is_stored(change, reason):
    body = event(operation(), "issued", at=datetime.now(UTC), ticket="T-1")
    answer = tells(body, headers={**signed(body, at=datetime.now(UTC)), **change})
    assert (answer.status_code, models.Message.objects.count()) == (401, 0)
    assert reason in answer.json()["title"]
    assert SECRET not in answer.text


def test_a_message_that_is_too_long_is_refused_before_it_is_read(settings):
    settings.LONGEST_MESSAGE = 100
    answer = tells(b"x" * 101)
    assert (answer.status_code, models.Message.objects.count()) == (413, 0)
    assert "101 bytes" in models.Hearing.objects.get().refused_because


def test_a_message_without_a_length_is_refused():
    answer = tells(b"{}", CONTENT_LENGTH="")
    assert (answer.status_code, models.Message.objects.count()) == (411, 0)


def test_a_desk_without_the_secret_asks_to_be_told_again_and_says_nothing_of_its_setup(monkeypatch):
    monkeypatch.delenv(SETTING)
    answer = tells(b"{}")
    assert (answer.status_code, answer["retry-after"]) == (503, "60")
    assert "UNRESOLVED" not in answer.text


def test_too_many_messages_are_told_when_to_come_again(settings):
    settings.LISTENING = {"messages_a_minute": 0, "bytes_a_day": 1, "orphans": 1}
    answer = tells(b"{}")
    assert (answer.status_code, int(answer["retry-after"]) > 0, models.Message.objects.count()) == (429, True, 0)


def test_a_proven_message_is_answered_once_it_is_stored_and_judged_at_once():
    made = operation(now=datetime.now(UTC) - timedelta(minutes=5))
    body = event(made, "issued", at=datetime.now(UTC), ticket="T-1")
    first, again = tells(body), tells(body)
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json() == {"message": str(models.Message.objects.get().id), "new": True}
    assert made.row.evidence == "applied"


def test_a_message_without_an_operation_is_answered_all_the_same():
    answer = tells(json.dumps({"data": {"key": "nobody"}}).encode(), address=f"{ADDRESS}/events")
    assert (answer.status_code, models.Message.objects.get().operation_id) == (202, None)


def test_the_collection_desks_own_events_arrive(live_server, collection_desk):
    made = operation("order-1001", now=datetime.now(UTC) - timedelta(seconds=30))
    collection_desk.control.aim(live_server.url + reverse("hook", args=["collection-desk"]), secret=SECRET)
    collection_desk.public.ask_for_ticket("order-1001", place="East", parcel="Cedar")
    told = [one["id"] for one in collection_desk.control.events()]
    sent = collection_desk.control.deliver(*told, *told)
    assert [one["status"] for one in sent] == [202] * len(told) + [200] * len(told)
    assert (made.row.evidence, models.Observation.objects.count()) == ("applied", len(told))
