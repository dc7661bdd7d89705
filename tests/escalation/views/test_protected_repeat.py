"""Repeating the same request on the screen."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.urls import reverse

from escalation.models import ProtectedRepeat, User
from operations import dispatch, models
from operations.recording import Report
from operations.reporting import report
from tests.escalation.people import viewer
from tests.operations.dispatching import KEY, lost, may_send, now, sent
from tests.operations.rows import BY
from tests.recipients.reached import CREDENTIAL

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, which this desk may send to."""
    may_send(collection_desk, monkeypatch)
    return collection_desk


@pytest.fixture
def mira(client):
    """An administrator at the screen."""
    client.force_login(User.objects.create_superuser("mira"))
    return client


@pytest.fixture
def made(desk):
    """An operation whose reply was lost."""
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    return models.Operation.objects.get(id=lost())


def attempt_of():
    """The attempt (row id) that this desk sends."""
    return models.Dispatch.objects.get().attempt_id


def page(made):
    return reverse("protected_repeat", args=[made.number])


def typed(made, **other):
    made.refresh_from_db()
    return {"revision": made.revision, "once": uuid4(), "executor": "desk", "understood": "on", **other}


def test_somebody_who_may_only_read_finds_a_sentence_in_place_of_the_button(client, made):
    client.force_login(viewer())
    text = client.get(page(made)).text
    assert "an administrator of this desk can give it" in text
    assert '<button class="primary">' not in text
    assert client.post(page(made), typed(made)).status_code == 403
    assert not ProtectedRepeat.objects.exists()


@pytest.mark.parametrize(
    ("field", "sentence"),
    [("executor", "Choose who sends it."), ("understood", "Say that you know what may stay open.")],
)
def test_what_was_not_chosen_is_asked_for(mira, made, field, sentence):
    words = typed(made)
    del words[field]
    answer = mira.post(page(made), words)
    assert (answer.status_code, ProtectedRepeat.objects.count()) == (422, 0)
    assert sentence in answer.text


def test_nobody_is_chosen_beforehand(mira, made):
    text = mira.get(page(made)).text
    assert " checked" not in text


def test_a_stale_page_is_answered_with_what_was_chosen(mira, made):
    words = typed(made, executor="agent")
    told = Report(event="w", channel="wire", received_at=now(), authentic=True, attempt="a1", fact="timeout")
    report(made.id, told, now=now(), source=BY)
    answer = mira.post(page(made), words)
    assert (answer.status_code, ProtectedRepeat.objects.count()) == (409, 0)
    assert "changed while you were reading" in answer.text
    assert 'value="agent" checked' in answer.text


def test_where_the_core_refuses_the_page_says_why_and_the_way_out(mira, desk):
    made = models.Operation.objects.get(id=lost(sealed=False))
    text = mira.get(page(made)).text
    assert "What was sent may have acted or may still act" in text
    assert "The way out:" in text
    assert '<button class="primary">' not in text
    answer = mira.post(page(made), typed(made))
    assert (answer.status_code, ProtectedRepeat.objects.count()) == (409, 0)


def test_a_desk_of_another_scope_offers_the_agent_alone(mira, made, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_SCOPE", "account two")
    text = mira.get(page(made)).text
    assert "Not this desk." in text
    assert "as “account two”, and the original went out as “account one”. That would be a new proposal" in text
    assert 'value="desk"' not in text
    assert mira.post(page(made), typed(made)).status_code == 422
    assert not ProtectedRepeat.objects.exists()


def test_the_page_shows_the_exact_bytes_and_no_secret(mira, made):
    text = mira.get(page(made)).text
    for part in (
        "POST /desks/East/tickets HTTP/1.1",
        f"Idempotency-Key: {KEY}",
        "{&quot;parcel&quot;:  &quot;Cedar&quot;}",
    ):
        assert part in text
    assert made.digest in text
    assert "authorization: (the credential; not shown)" in text
    assert "credential-of-one" not in text


def test_the_page_says_what_will_most_likely_come_back_and_what_may_stay_open(mira, made):
    text = mira.get(page(made)).text
    assert (
        "recognises the request number and gives the answer that it kept. No second collection ticket is made." in text
    )
    assert "the outcome may stay unknown" in text
    assert "Repeat the same request" in text
    assert "At least 5 s between two requests" in text


def test_a_first_send_is_called_one(mira, desk):
    made = models.Operation.objects.get(id=lost())
    told = Report(event="w", channel="wire", received_at=now(), authentic=True, attempt="a1", fact="not_sent")
    report(made.id, told, now=now(), source=BY)
    text = mira.get(page(made)).text
    assert "Send: nothing was sent" in text
    assert "Nothing that was sent before can act, so this is the one that may" in text


def test_authorised_is_not_shown_as_happened(mira, made):
    answer = mira.post(page(made), typed(made), follow=True)
    assert answer.redirect_chain == [(page(made), 302)]
    assert "Authorised, not sent yet: it waits for a worker of this desk." in answer.text
    assert "Sent once" not in answer.text
    assert "the answer is awaited" not in answer.text


def test_while_this_desk_sends_nothing_else_is_offered(mira, made):
    mira.post(page(made), typed(made))
    with time_machine.travel(now() + timedelta(seconds=6), tick=False):
        text = mira.get(page(made)).text
        assert "One send at a time" in text
        assert 'name="executor"' not in text
        answer = mira.post(page(made), typed(made, executor="agent"))
    assert (answer.status_code, ProtectedRepeat.objects.count()) == (409, 1)
    assert "This desk is sending it already" in answer.text


def test_a_grant_that_waits_is_named_before_it_is_replaced(mira, made):
    mira.post(page(made), typed(made, executor="agent"))
    assert "Whatever you decide here takes its place." in mira.get(page(made)).text


def test_the_operation_names_the_decision_and_how_far_it_came(mira, made):
    mira.post(page(made), typed(made))
    text = mira.get(reverse("operation", args=[made.number])).text
    assert "Authorised, not sent yet" in text
    assert "Nobody has decided anything." not in text
    sent(attempt_of())
    assert "Sent once, and answered." in mira.get(reverse("operation", args=[made.number])).text


def test_each_step_of_a_send_is_shown_as_it_is_taken(mira, made):
    mira.post(page(made), typed(made))
    attempt = attempt_of()
    seen = {}
    there = reverse("repeat_progress", args=[made.number])
    sent(attempt, step=lambda step: seen.update({step: mira.get(there).text}))
    assert "a worker of this desk has taken it up" in seen["connected"]
    assert "Connected" in seen["connected"]
    assert "everything was written, and the answer is awaited" in seen["written"]
    assert "Sent once, and answered." in seen["recorded"]
    assert "First byte of an answer" in seen["recorded"]
    assert "hx-get" in seen["written"]
    assert "hx-get" not in seen["recorded"]


def test_the_fragment_is_what_the_page_has(mira, made):
    mira.post(page(made), typed(made))
    sent(attempt_of())
    part = mira.get(reverse("repeat_progress", args=[made.number])).text.strip()
    assert part in mira.get(page(made)).text


def test_a_send_whose_worker_died_is_shown_as_unknown(mira, made):
    mira.post(page(made), typed(made))
    attempt = attempt_of()
    dispatch.claim(attempt, by="worker", now=now())
    dispatch.sweep(now=now() + timedelta(seconds=dispatch.LEASED_FOR + 1))
    text = mira.get(page(made)).text
    assert "The outcome is unknown: this desk stopped while it was sending." in text
    assert "Nothing is sent again by itself." in text


def test_a_grant_waits_until_the_agent_uses_it(mira, made):
    mira.post(page(made), typed(made, executor="agent"))
    text = mira.get(page(made)).text
    assert "The agent has not fetched it yet. Nothing is sent." in text
    assert models.Attempt.objects.count() == 1


def test_the_card_on_the_operation_leads_here(mira, made):
    text = mira.get(reverse("operation", args=[made.number])).text
    assert f'href="{page(made)}"' in text
