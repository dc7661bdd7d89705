"""Closing the original on the screen: what it says before it is sent, and what stands on both pages afterwards."""

from uuid import uuid4

import pytest
from django.urls import reverse

from escalation.models import CloseOriginal, User
from escalation.policy import Role
from operations import models
from operations.contracts.loading import library_text
from operations.recording import writing
from tests.escalation.building import contract_of
from tests.escalation.closings import attempt_of, closing_contract, may_close, now, state, told, without_closing
from tests.escalation.people import viewer, with_role
from tests.operations.dispatching import KEY, lost, sent
from tests.recipients.reached import CREDENTIAL

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, which this desk may send to and which documents a closing request."""
    may_close(collection_desk, monkeypatch)
    return collection_desk


@pytest.fixture
def mira(client):
    """An administrator at the screen."""
    client.force_login(User.objects.create_superuser("mira"))
    return client


@pytest.fixture
def made(desk):
    """An operation whose request the desk accepted for later and whose answer nobody has."""
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    return models.Operation.objects.get(id=lost())


def page(made):
    return reverse("close_original", args=[made.number])


def on_the_operation(client, made):
    return client.get(reverse("operation", args=[made.number])).text


def typed(made, **other):
    made.refresh_from_db()
    return {"revision": made.revision, "once": uuid4(), "executor": "desk", "understood": "on", **other}


def says_after_effect(made, word):
    """Another version of the contract, which says something else of a closing that comes too late."""
    text = library_text("collection-desk").replace(
        "after_effect: {is: refused, source: too_late", f"after_effect: {{is: {word}, source: too_late"
    )
    contract_of(text)
    with writing(made.id, now=now()):
        pass


def test_somebody_who_may_only_read_finds_a_sentence_in_place_of_the_button(client, made):
    client.force_login(viewer())
    text = client.get(page(made)).text
    assert "an administrator of this desk can give it" in text
    assert '<button class="primary">' not in text
    assert client.post(page(made), typed(made)).status_code == 403
    assert not CloseOriginal.objects.exists()


def test_a_reviewer_is_told_so_on_the_card(client, made):
    client.force_login(with_role("rea", Role.REVIEWER))
    card = on_the_operation(client, made).partition('id="door-close_original"')[2].partition("</li>")[0]
    assert "operator" in card
    assert "href" not in card


@pytest.mark.parametrize(
    ("field", "sentence"),
    [("executor", "Choose who sends it."), ("understood", "Say that you know what may stay open.")],
)
def test_what_was_not_chosen_is_asked_for(mira, made, field, sentence):
    words = typed(made)
    del words[field]
    answer = mira.post(page(made), words)
    assert (answer.status_code, CloseOriginal.objects.count()) == (422, 0)
    assert sentence in answer.text


def test_nobody_is_chosen_beforehand(mira, made):
    assert " checked" not in mira.get(page(made)).text


def test_a_stale_page_is_answered_with_what_was_chosen(mira, made):
    words = typed(made, executor="agent")
    told(made.id, channel="reply", attempt="a1", status=500, body={})
    answer = mira.post(page(made), words)
    assert (answer.status_code, CloseOriginal.objects.count()) == (409, 0)
    assert "changed while you were reading" in answer.text
    assert 'value="agent" checked' in answer.text


def test_where_it_happened_the_page_says_so_and_the_way_out(mira, made):
    at = now().isoformat().replace("+00:00", "Z")
    body = {"key": KEY, "place": "East", "parcel": "Cedar", "state": "issued", "ticket": {"number": "T-1"}}
    told(made.id, channel="record", status=200, body={**body, "tickets": [{"number": "T-1"}], "as_of": at})
    text = mira.get(page(made)).text
    assert "It happened; to close it now could only take back what was asked for." in text
    assert "none is needed: repair our record instead." in text
    assert '<button class="primary">' not in text
    assert mira.post(page(made), typed(made)).status_code == 409
    assert not CloseOriginal.objects.exists()


def test_where_none_is_documented_the_card_and_the_page_say_whom_to_ask(mira, made):
    contract_of(without_closing())
    with writing(made.id, now=now()):
        pass
    for text in (mira.get(page(made)).text, on_the_operation(mira, made)):
        assert "The contract documents no request that closes." in text
        assert "have it written into the contract: The staff behind the counter" in text
    assert mira.post(page(made), typed(made)).status_code == 422
    assert not CloseOriginal.objects.exists()


def test_where_nobody_described_it_the_page_says_who_can(mira, made):
    closing_contract("http://127.0.0.1:9")
    text = mira.get(page(made)).text
    assert "has the contract collection-desk-closing in force; a contract editor can set that right." in text
    assert '<button class="primary">' not in text


def test_a_desk_of_another_scope_offers_the_agent_alone(mira, made, monkeypatch):
    monkeypatch.setenv(f"{CREDENTIAL}_SCOPE", "account two")
    text = mira.get(page(made)).text
    assert "Not this desk." in text
    assert 'value="desk"' not in text
    assert mira.post(page(made), typed(made)).status_code == 422


def test_the_page_shows_the_exact_request_and_no_secret(mira, made):
    text = mira.get(page(made)).text
    assert f"POST /operations/{KEY}/close HTTP/1.1" in text
    assert f"<bdi>{KEY}</bdi></code>, the original's: the request names it by that." in text
    assert "credential-of-one" not in text


def test_the_page_says_what_it_does_whatever_is_true(mira, made):
    text = mira.get(page(made)).text
    for sentence in (
        "The recipient ends it for good, and nothing that was sent can act any more.",
        "Nothing is taken back, by the recipient&#x27;s word.",
        "Nothing is settled by that: what was sent may have acted, and may still act.",
        "Whatever is true, it adds no collection ticket",
        "the outcome may stay unknown",
        "A single send acts at most once.",
    ):
        assert sentence in text
    assert "could cancel something that did happen" not in text


@pytest.mark.parametrize(
    ("word", "sentence"), [("undone", "It is taken back"), ("undocumented", "It could be taken back")]
)
def test_where_it_may_take_back_what_happened_that_is_said_and_asked_for(mira, made, word, sentence):
    says_after_effect(made, word)
    text = mira.get(page(made)).text
    assert sentence in text
    assert "It could cancel something that did happen." in text
    assert 'id="door-close_original" class="door risky' in on_the_operation(mira, made)
    answer = mira.post(page(made), typed(made))
    assert (answer.status_code, CloseOriginal.objects.count()) == (422, 0)
    assert "Say that you know what it could take back." in answer.text
    assert mira.post(page(made), typed(made, taken_back="on")).status_code == 302
    assert CloseOriginal.objects.get().takes_back == word


def test_authorised_is_not_shown_as_happened(mira, made):
    answer = mira.post(page(made), typed(made), follow=True)
    assert answer.redirect_chain == [(page(made), 302)]
    assert "Authorised, not sent yet: it waits for a worker of this desk." in answer.text
    assert "Sent once" not in answer.text
    assert "A closing request was authorised already" in answer.text
    assert 'name="executor"' not in answer.text


def test_the_original_and_its_closing_name_each_other(mira, made):
    mira.post(page(made), typed(made))
    row = CloseOriginal.objects.get()
    text = on_the_operation(mira, made)
    assert f'Asked to be closed by <a href="/operations/{row.closing.number}"' in text
    there = on_the_operation(mira, row.closing)
    assert f'It is sent to close <a href="/operations/{made.number}"' in there
    sent(attempt_of(row))
    assert "Of the original it is known: its outcome is still open." in there
    after = on_the_operation(mira, made)
    assert "Sent once, and answered. What the answer says is among the observations." in after
    assert f"answer to closing operation {row.closing.number}" in after
    assert "it ended without effect, for good." in on_the_operation(mira, row.closing)
    assert "Our books know nothing of this request" in on_the_operation(mira, row.closing)


def test_the_closing_is_not_sent_again_once_the_original_is_settled(mira, made, desk):
    desk.control.tell(door="close", reply="lost")
    mira.post(page(made), typed(made))
    row = CloseOriginal.objects.get()
    sent(attempt_of(row))
    assert "there is nothing left to close." not in on_the_operation(mira, row.closing)
    told(made.id, channel="record", status=200, body=state("closed"))
    there = on_the_operation(mira, row.closing)
    assert 'id="door-repeat" class="door locked' in there
    assert "there is nothing left to close." in there
    assert "none is needed: look at the original." in there


def test_a_closing_that_says_closed_and_a_receipt_stand_side_by_side(mira, made):
    mira.post(page(made), typed(made))
    sent(attempt_of(CloseOriginal.objects.get()))
    told(made.id, channel="record", status=200, body=state("issued", ticket="T-1"))
    text = mira.get(reverse("conflict", args=[made.number])).text
    assert "The desk closed the operation for good, and no ticket had been issued." in text
    assert "The record shows what was issued under this request number." in text
    assert (
        "The recipient contradicts itself; one more answer would not say which statement is wrong."
        in on_the_operation(mira, made)
    )


def test_the_queue_shows_the_original_alone(mira, made):
    mira.post(page(made), typed(made))
    row = CloseOriginal.objects.get()
    text = mira.get(reverse("queue")).text
    assert f"/operations/{made.number}" in text
    assert f"/operations/{row.closing.number}" not in text


def test_the_fragment_is_what_the_page_has(mira, made):
    mira.post(page(made), typed(made))
    sent(attempt_of(CloseOriginal.objects.get()))
    part = mira.get(reverse("closing_progress", args=[made.number])).text.strip()
    assert "Sent once, and answered." in part
    assert part in mira.get(page(made)).text


def test_the_audit_says_what_was_sent(mira, made):
    mira.post(page(made), typed(made))
    text = mira.get(reverse("audit")).text
    assert "Had the original closed" in text
    assert f"Authorised: POST /operations/{KEY}/close, by the desk." in text


def test_the_records_of_both_hold_the_link_once(mira, made):
    mira.post(page(made), typed(made))
    there = reverse("record_json", args=[CloseOriginal.objects.get().closing.number])
    assert mira.get(there).json()["original_operation"]["closes"]["number"] == made.number
    found = mira.get(reverse("record_json", args=[made.number])).json()
    assert [one["kind"] for one in found["chain"]["chained"]].count("closing") == 1
    assert found["finality"]["closings"][0]["number"] == CloseOriginal.objects.get().closing.number
