"""How a recipient is asked, on the screen: pauses are seen, made and ended; an address is named by an administrator."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from escalation.models import RoleGrant, User
from operations import models
from operations.core.schedule import Reason, Timing
from operations.recording import pacing
from tests.operations.polling.waiting import recipient, waiting
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db

PAGE = "/recipients/desk"


@pytest.fixture
def made():
    contract = recipient("https://desk.example")
    waiting(contract, range(3), begun_at=datetime.now(UTC) - timedelta(minutes=1))
    return contract


@pytest.fixture
def keeper(client):
    client.force_login(User.objects.create_superuser("mira"))
    return client


def somebody(client, role: str) -> None:
    person = User.objects.create_user("noor")
    RoleGrant.objects.create(person=person, role=role, given_at=datetime.now(UTC))
    client.force_login(person)


def pace() -> models.Pace | None:
    return models.Pace.objects.first()


def test_a_recipient_that_is_not_there_is_named(keeper):
    answer = keeper.get("/recipients/nobody")
    assert answer.status_code == 404


@pytest.mark.parametrize("act", ["pause", "reset", "address"])
def test_somebody_who_may_only_read_changes_nothing(client, made, act):
    somebody(client, "viewer")
    typed = {"act": act, "because": "x", "address": "https://other.example"}
    answer = client.post(PAGE, typed)
    assert answer.status_code == 403
    assert "You may read, but not" in answer.text
    assert (pace(), models.Recipient.objects.get().address) == (None, "https://desk.example")
    assert "<button>Pause asking" not in client.get(PAGE).text


def test_an_operator_pauses_and_names_no_address(client, made):
    somebody(client, "operator")
    assert client.post(PAGE, {"act": "address", "address": "https://other.example"}).status_code == 403
    assert client.post(PAGE, {"act": "pause", "because": "They asked for quiet."}).status_code == 302
    row = pace()
    assert row is not None
    assert (row.paused_by, row.paused_because) == ("noor", "They asked for quiet.")
    assert models.Recipient.objects.get().address == "https://desk.example"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({}, "Choose what to do."),
        ({"act": "burn"}, "Choose what to do."),
        ({"act": "pause", "because": " "}, "Say why asking is paused."),
        ({"act": "address", "address": "desk.example"}, "The address is not kept."),
        ({"act": "address", "address": "ftp://desk.example"}, "The address is not kept."),
    ],
)
def test_what_is_wrong_is_said_with_what_was_typed(keeper, made, typed, sentence):
    answer = keeper.post(PAGE, typed)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert typed.get("address", "") in answer.text
    assert (pace(), models.Recipient.objects.get().address) == (None, "https://desk.example")


def test_a_pause_of_the_desk_is_shown_with_its_reason_and_ended_by_a_person(keeper, made):
    now = datetime.now(UTC)
    models.Pace.objects.create(recipient=made.recipient)
    pacing.note({made.recipient_id: [pacing.Heard(at=now, failure="The connection was refused.")] * 5})
    text = keeper.get(PAGE).text
    assert "Paused for this recipient since" in text
    assert "5 asks in a row got no answer. The last: The connection was refused." in text
    assert "One ask tries again" in text
    assert keeper.post(PAGE, {"act": "reset"}).status_code == 302
    row = pace()
    assert row is not None
    assert (row.paused_since, row.failures, row.changed_by) == (None, 0, "mira")
    text = keeper.get(PAGE).text
    assert "Paused for this recipient" not in text
    assert "mira" in text


def test_where_how_fast_and_how_many_are_shown(keeper, made):
    text = keeper.get(PAGE).text
    assert "<code><bdi>https://desk.example</bdi></code>" in text
    assert "100 at once" in text
    assert "<dt>Due now</dt><dd>3</dd>" in text
    assert "yes; where a name leads is checked at every ask" in text


def test_no_address_is_named_on_an_old_proof(keeper, made):
    proved_ago(keeper, minutes=16)
    answer = keeper.post(PAGE, {"act": "address", "address": "https://other.example"})
    assert (answer.status_code, "another link" in answer.text) == (403, True)
    assert models.Recipient.objects.get().address == "https://desk.example"


@pytest.mark.parametrize("address", ["http://desk.example", "https://127.0.0.1", "https://169.254.169.254"])
def test_an_address_that_may_not_be_connected_to_is_said(keeper, made, address):
    assert keeper.post(PAGE, {"act": "address", "address": address}).status_code == 302
    text = keeper.get(PAGE).text
    assert 'id="not-asked"' in text
    assert "<dt>May be connected to</dt><dd>no</dd>" in text


def test_the_last_asks_without_an_answer_lead_to_their_operations(keeper, made):
    one = models.Due.objects.first()
    assert one is not None
    models.Due.objects.filter(operation_id=one.operation_id).update(
        failed_at=datetime.now(UTC), failure="<b>The connection ended.</b>"
    )
    text = keeper.get(PAGE).text
    assert reverse("operation", args=[one.operation.number]) in text
    assert "&lt;b&gt;The connection ended.&lt;/b&gt;" in text


@pytest.mark.usefixtures("made")
class TestOperationPage:
    @pytest.fixture
    def page(self, keeper):
        number = models.Operation.objects.order_by("number").values_list("number", flat=True)[0]
        return lambda: keeper.get(reverse("operation", args=[number])).text

    def plan(self, **changed) -> None:
        models.Due.objects.update(**changed)

    def test_the_next_ask_and_its_channel_are_shown(self, page):
        text = page()
        assert "due now, through <code>record</code>" in text
        assert "Asked so far" in text
        assert 'href="/recipients/desk"' in text

    def test_why_the_desk_asks_no_more_and_who_is_needed(self, page):
        now = datetime.now(UTC)
        self.plan(
            at=None,
            channel="",
            why=Timing.POLLS_EXHAUSTED,
            person_at=now,
            person_because=Reason.POLLS_EXHAUSTED,
            asks_made=30,
            failed_at=now,
            failure="The connection ended.",
        )
        text = page()
        assert "the desk asks no more by itself. All the asks that were allowed have been made." in text
        assert "asked as often as it may and the outcome is still open" in text
        assert "30 times" in text
        assert "The connection ended." in text

    def test_what_stands_in_the_way_is_said(self, page, made):
        pacing.pause(made.recipient_id, because="They asked for quiet.", by="noor", now=datetime.now(UTC))
        models.Recipient.objects.update(address="")
        text = page()
        assert "is paused by noor: They asked for quiet." in text
        assert "The desk has no address of Desk desk" in text

    def test_what_is_settled_has_nothing_left_to_ask(self, page):
        models.Due.objects.all().delete()
        assert "Nothing is left to ask, and nobody is called." in page()
