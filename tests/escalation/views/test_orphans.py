"""Messages that belong to no operation yet, on the screen: read by all, placed or put aside by who may inspect."""

import json
import threading
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.urls import reverse

from escalation.policy import Role
from operations import listening, models, recording
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import viewer, with_role
from tests.operations.told import may_tell, signed, told

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
HOSTILE = "\u202e<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def an_hour_later(monkeypatch):
    """Everything is looked at an hour after the request was sent."""
    may_tell(monkeypatch)
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def reviewer(client):
    """Somebody who may inspect."""
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


def orphaned(**data: object) -> models.Message:
    """A message that names an operation which is not on record."""
    contract_of()
    body = json.dumps({"type": "operation.issued", "data": {"key": "order-7", **data}}).encode()
    return models.Message.objects.get(id=told(body, now=NOW, event_id=f"m{uuid4().hex}").message_id)


def address(row: models.Message) -> str:
    return reverse("orphan", args=[row.id])


def test_somebody_who_may_only_read_can_place_nothing(client):
    row, made = orphaned(), operation()
    client.force_login(viewer())
    assert "Keep it with this operation" not in client.get(address(row)).text
    for typed in ({"act": "link", "number": made.number}, {"act": "dismiss", "remark": "x"}):
        answer = client.post(address(row), typed)
        assert answer.status_code == 403
        assert "may read, but not record what this recipient" in answer.text
    row.refresh_from_db()
    assert (row.operation_id, row.dismissed_at) == (None, None)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"act": "link"}, "Type the number of the operation."),
        ({"act": "link", "number": "order-7"}, "Type the number alone."),
        ({"act": "link", "number": "9" * 30}, "less than or equal"),
        ({"act": "link", "number": "987654"}, "There is no operation 987654."),
        ({"act": "dismiss"}, "Say why it is put aside."),
        ({"act": "dismiss", "remark": "x" * 2001}, "at most 2000 characters"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(reviewer, typed, sentence):
    row = orphaned()
    answer = reviewer.post(address(row), typed)
    row.refresh_from_db()
    assert (answer.status_code, row.operation_id, row.dismissed_at) == (422, None, None)
    assert sentence in answer.text


def test_an_operation_of_another_recipient_is_refused(reviewer):
    row, elsewhere = orphaned(), operation("order-2", contract=contract_of(key="other", name="Other"))
    answer = reviewer.post(address(row), {"act": "link", "number": elsewhere.number})
    assert (answer.status_code, models.Observation.objects.count()) == (422, 0)
    assert "is at another recipient" in answer.text


@pytest.mark.parametrize("name", ["1", "not-an-id", "5d1f0a52-2b0c-4c1e-9d0a-0f6c9a3b7e11"])
def test_a_message_that_is_none_is_not_found(reviewer, name):
    assert reviewer.get(f"/orphans/{name}").status_code == 404


def test_a_message_is_kept_with_the_operation_that_a_person_names(reviewer):
    row, made = orphaned(), operation()
    answer = reviewer.post(address(row), {"act": "link", "number": made.number}, follow=True)
    row.refresh_from_db()
    assert (row.operation_id, row.linked_by) == (made.id, "mira")
    assert "What it settles, the contract says." in answer.text
    assert made.row.evidence == "unknown"
    assert "belongs to an operation by now" in reviewer.get(address(row), follow=True).text


@pytest.mark.django_db(transaction=True)
def test_an_operation_that_somebody_else_is_writing_to_is_not_waited_for(reviewer):
    row, made = orphaned(), operation()
    held, ends = threading.Event(), threading.Event()

    def writer() -> None:
        try:
            with recording.writing(made.id, now=NOW):
                held.set()
                ends.wait(60)
        finally:
            connection.close()

    other = threading.Thread(target=writer)
    other.start()
    try:
        assert held.wait(60)
        answer = reviewer.post(address(row), {"number": made.number})
    finally:
        ends.set()
        other.join(60)
    assert (answer.status_code, "Nothing was written; send it again." in answer.text) == (409, True)
    assert models.Message.objects.get().operation_id is None


def test_what_is_put_aside_leaves_the_list_with_its_remark(reviewer):
    row = orphaned()
    assert "order-7" in reviewer.get(reverse("orphans")).text
    reviewer.post(address(row), {"act": "dismiss", "remark": "Of another system."})
    assert "order-7" not in reviewer.get(reverse("orphans")).text
    aside = reviewer.get(reverse("orphans") + "?dismissed=1").text
    assert "Of another system." in aside
    assert "mira" in aside


def test_an_empty_list_says_that_it_is_empty(reviewer):
    assert "No message waits" in reviewer.get(reverse("orphans")).text
    assert reviewer.get(reverse("orphans") + "?before=nonsense").status_code == 200


def test_hostile_text_is_shown_as_text(reviewer):
    row = orphaned(key=HOSTILE, note=HOSTILE)
    for page in (reverse("orphans"), address(row)):
        text = reviewer.get(page).text
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert "[U+202E]" in text


def test_a_long_list_goes_on_and_shows_each_message_once(reviewer, settings):
    contract_of()
    ids = [told(b"%d" % number, now=NOW, event_id=f"m{number}").message_id for number in range(60)]
    first = reviewer.get(reverse("orphans"))
    second = reviewer.get(reverse("orphans") + f"?before={first.context['next']}")
    shown = [one.row.id for answer in (first, second) for one in answer.context["orphans"]]
    assert shown == sorted(ids, reverse=True)


def test_what_was_refused_is_counted_with_its_reason(reviewer):
    contract_of()
    with pytest.raises(listening.NotProven):
        listening.hear("collection-desk", None, headers=signed(b"1", at=NOW - timedelta(1)), body=b"1", now=NOW)
    text = reviewer.get(reverse("orphans")).text
    assert "Refused, and not kept" in text
    assert "it may be a replay" in text
