"""The page of a contract's rehearsals."""

import pytest
from django.urls import reverse

from escalation.celery import app
from escalation.models import Rehearsal, RoleGrant, User
from escalation.policy import Role
from escalation.rehearsing.keeping import rehearse_and_keep
from escalation.rehearsing.result import STATEMENT
from tests.celery_broker import broker_at
from tests.escalation.building import T0, contract_of
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def contract():
    """Version 1 of the collection desk's contract."""
    return contract_of()


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def reader(client):
    """Somebody who may read."""
    client.force_login(viewer())
    return client


@pytest.fixture
def editor(client, contract):
    """Somebody who may edit this recipient's contract."""
    person = User.objects.create_user("editor")
    RoleGrant.objects.create(person=person, role=Role.CONTRACT_EDITOR, recipient=contract.recipient, given_at=T0)
    client.force_login(person)
    return client


def address(version: int = 1, recipient: str = "collection-desk") -> str:
    return reverse("rehearsal", args=[recipient, version])


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_is_turned_away(client, method, at_once):
    answer = getattr(client, method)(address(), {"number": "1"})
    assert answer.status_code == 302
    assert answer.url.startswith(reverse("sign_in"))
    assert not Rehearsal.objects.exists()


def test_somebody_who_may_only_read_finds_a_sentence_and_can_not_post(reader, at_once):
    text = reader.get(address()).text
    assert "It takes the role" in text
    assert '<button class="primary">Rehearse' not in text
    assert reader.post(address(), {"number": "1"}).status_code == 403
    assert not Rehearsal.objects.exists()


def test_an_editor_of_another_recipient_can_not_post(client, at_once):
    other = contract_of(key="other", name="Other")
    person = User.objects.create_user("elsewhere")
    RoleGrant.objects.create(person=person, role=Role.CONTRACT_EDITOR, recipient=other.recipient, given_at=T0)
    client.force_login(person)
    assert client.post(address(), {"number": "1"}).status_code == 404
    assert not Rehearsal.objects.exists()


@pytest.mark.parametrize("there", ["/contracts/collection-desk/2/rehearsal", "/contracts/nobody/1/rehearsal"])
def test_a_version_that_is_not_there_is_not_found(editor, there):
    assert editor.get(there).status_code == editor.post(there, {"number": "1"}).status_code == 404


@pytest.mark.parametrize("number", ["", "2", "0x1", "-1", "1" * 30, "\u0661"])
def test_what_is_not_the_next_number_starts_nothing(editor, at_once, number):
    answer = editor.post(address(), {"number": number})
    assert answer.status_code == 409
    assert "not the next rehearsal" in answer.text
    assert not Rehearsal.objects.exists()


@pytest.mark.parametrize("number", ["7", "x", ""])
def test_a_rehearsal_that_is_not_there_is_not_found(editor, number):
    rehearse_and_keep("collection-desk", by=None, now=T0)
    assert editor.get(address(), {"number": number}).status_code == 404


def test_a_draft_that_can_not_be_read_says_why(editor, at_once):
    contract_of("contract: half")
    assert "can&#x27;t be rehearsed yet: line 1" in editor.get(address(2)).text
    assert editor.post(address(2), {"number": "1"}).status_code == 409
    assert not Rehearsal.objects.exists()


def test_before_the_first_the_statement_stands_there_already(reader):
    text = reader.get(address()).text
    assert STATEMENT in text
    assert "has not been rehearsed" in text


def test_a_form_that_is_sent_twice_gives_one_rehearsal(editor, at_once):
    first, second = (editor.post(address(), {"number": "1"}) for _ in range(2))
    assert (first.status_code, first.url) == (302, f"{address()}?awaited=1")
    assert (second.status_code, second.url) == (302, f"{address()}?number=1")
    kept = Rehearsal.objects.get()
    assert kept.ran_by == User.objects.get(username="editor")


def test_the_result_is_read_history_by_history_under_its_statement(editor, at_once):
    editor.post(address(), {"number": "1"})
    text = editor.get(address()).text
    statement, table = text.index(STATEMENT), text.index("What had happened")
    assert statement < table
    assert "No permitted action led to a second effect" in text
    assert "It happened, and only the answer was lost." in text
    assert "locked: it could happen twice" in text


def test_what_is_awaited_is_said_until_it_is_there(editor):
    waiting = editor.get(address(), {"awaited": "1"})
    assert "Rehearsal 1 was asked for." in waiting.text
    part = editor.get(address(), {"awaited": "1"}, headers={"HX-Request": "true"})
    assert part.text.strip() in waiting.text
    rehearse_and_keep("collection-desk", by=None, now=T0)
    done = editor.get(address(), {"awaited": "1"}, headers={"HX-Request": "true"})
    assert done.headers["HX-Redirect"] == address()
    assert "was asked for" not in editor.get(address(), {"awaited": "1"}).text


def test_an_older_rehearsal_keeps_its_address(reader):
    for _ in range(2):
        rehearse_and_keep("collection-desk", by=None, now=T0)
    text = reader.get(address(), {"number": "1"}).text
    assert "Rehearsal 1, <time" in text
    assert "All 2 rehearsals" in text


@pytest.fixture
def no_queue():
    """The task queue is where nobody listens."""
    with broker_at("redis://127.0.0.1:1/0"):
        yield


def test_without_a_task_queue_it_is_said_that_nothing_was_started(editor, no_queue):
    answer = editor.post(address(), {"number": "1"})
    assert answer.status_code == 503
    assert "the task queue does not answer" in answer.text
    assert not Rehearsal.objects.exists()


def test_the_worker_is_asked_by_a_message(editor, broker):
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue("celery")
        queue.clear()
        assert editor.post(address(), {"number": "1"}).status_code == 302
        message = queue.get(timeout=10)
        message.ack()
    assert message.headers["task"] == "escalation.rehearsing.tasks.rehearse"
    assert message.payload[0][:3] == ["collection-desk", 1, 1]
