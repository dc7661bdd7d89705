"""Programs that are told, on the screen: refusals first, then what is shown, then what administrators change."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from escalation.models import (
    OutboxDue,
    OutboxEvent,
    OutboxTry,
    Subscription,
    SubscriptionChange,
    SubscriptionKey,
)
from escalation.models.outbox import Over
from escalation.models.subscription import EventKind
from escalation.policy import Role
from operations.posting import Posted, Wire
from tests.escalation.building import T0, contract_of, operation
from tests.escalation.outbox.made import BROKEN, GONE, KEY, OK, OLD, Program, subscription, told
from tests.escalation.people import viewer, with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
TYPED = {
    "act": "make",
    "name": "billing",
    "address": "https://billing.example/desk?tenant=7",
    "events": ["operation.decided", "operation.standing_changed"],
    "recipients": "",
    "key": "BILLING",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    """Two keys that are set on this host, and one that can't sign."""
    monkeypatch.setenv("UNRESOLVED_SUBSCRIPTION_KEY_BILLING", KEY)
    monkeypatch.setenv("UNRESOLVED_SUBSCRIPTION_KEY_BILLING_NEW", OLD)
    monkeypatch.setenv("UNRESOLVED_SUBSCRIPTION_KEY_SHORT", "whsec_short")


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(with_role("root", Role.ADMINISTRATOR))
    return client


def page(made: Subscription) -> str:
    return reverse("subscription", args=[made.pk])


def changed(made: Subscription | None = None, *answers: Posted) -> OutboxEvent:
    """One event of one operation, told to a program as it answers."""
    one = operation()
    one.timed_out(now=T0 + SECOND)
    if made is None:
        subscription(EventKind.STANDING_CHANGED)
    one.recorded("issued", now=T0 + 2 * SECOND, ticket="T-1")
    for answer in answers:
        told(Program([answer]))
    return OutboxEvent.objects.latest("id")


def acts() -> list[str]:
    return list(SubscriptionChange.objects.order_by("id").values_list("act", flat=True))


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMINISTRATOR])
def test_nobody_but_an_administrator_changes_anything(client, role):
    made = subscription()
    client.force_login(with_role("mira", role))
    for act in ("pause", "resume", "end", "key", "unkey", "test", "again"):
        assert client.post(page(made), {"act": act, "key": "1", "event": "1"}).status_code == 403
    assert client.post(reverse("subscriptions"), TYPED).status_code == 403
    assert (Subscription.objects.count(), acts()) == (1, [])


def test_an_administrator_of_one_recipient_alone_changes_nothing(client):
    client.force_login(with_role("mira", Role.ADMINISTRATOR, recipient=contract_of().recipient))
    assert client.post(reverse("subscriptions"), TYPED).status_code == 403


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "Write what it is called."),
        ({"address": "billing.example"}, "begins with https://"),
        ({"address": "https://ann:word@billing.example/"}, "no user name or password"),
        ({"address": "https://billing.example/a/../b"}, "segment of dots"),
        ({"events": []}, "Choose at least one thing"),
        ({"events": ["operation.deleted"]}, "Select a valid choice"),
        ({"recipients": "nowhere"}, "There is no recipient with the key nowhere."),
        ({"key": "billing"}, "Write the key"),
        ({"key": "OTHER"}, "Neither UNRESOLVED_SUBSCRIPTION_KEY_OTHER nor"),
        ({"key": "SHORT"}, "UNRESOLVED_SUBSCRIPTION_KEY_SHORT"),
    ],
)
def test_what_can_not_be_a_subscription_is_refused_with_what_was_typed(admin, typed, said):
    answer = admin.post(reverse("subscriptions"), {**TYPED, **typed})
    assert answer.status_code == 422
    assert said in answer.text.replace("&#x27;", "'")
    assert Subscription.objects.count() == 0


def test_no_key_itself_is_shown(admin):
    made = subscription()
    admin.post(reverse("subscriptions"), {**TYPED, "key": "SHORT"})
    assert not any(word in admin.get(page(made)).text for word in (KEY, OLD, "whsec_short"))


def test_one_name_is_one_program(admin):
    assert admin.post(reverse("subscriptions"), TYPED).status_code == 302
    answer = admin.post(reverse("subscriptions"), TYPED)
    assert (answer.status_code, Subscription.objects.count()) == (409, 1)


def test_without_a_fresh_proof_nothing_is_changed(admin):
    proved_ago(admin, minutes=60)
    made = subscription()
    answer = admin.post(page(made), {"act": "pause"})
    assert answer.status_code in (302, 403)
    assert (Subscription.objects.get().paused_at, acts()) == (None, [])


def test_none_is_said_to_be_none(admin):
    assert "No program is told." in admin.get(reverse("subscriptions")).text


def test_an_administrator_has_a_program_told(admin):
    key = contract_of().recipient
    answer = admin.post(reverse("subscriptions"), {**TYPED, "recipients": key.key}, follow=True)
    made = Subscription.objects.get()
    assert (made.name, made.address, made.recipients) == ("billing", TYPED["address"], [key.pk])
    assert made.events == ["operation.standing_changed", "operation.decided"]
    assert [one.name for one in made.keys.all()] == ["BILLING"]
    assert acts() == ["subscription_made"]
    assert "Collection desk" in answer.text


def test_the_list_says_how_each_goes(admin):
    changed(None, BROKEN)
    made = Subscription.objects.get()
    Subscription.objects.filter(pk=subscription(name="ledger").pk).update(paused_at=T0, paused_by=made.made_by)
    text = admin.get(reverse("subscriptions")).text
    assert "Failing" in text
    assert "Paused" in text
    assert "It answered 500." in text


def test_whoever_may_not_read_its_recipients_knows_of_no_program(client):
    here, there = contract_of().recipient, contract_of(key="other", name="Other").recipient
    made = subscription(recipients=[there.pk])
    client.force_login(with_role("mira", Role.VIEWER, recipient=here))
    assert client.get(page(made)).status_code == 404
    assert "billing" not in client.get(reverse("subscriptions")).text


def test_the_log_tells_nothing_of_what_one_may_not_read(client):
    there = contract_of(key="other", name="Other").recipient
    changed(None, Posted(wire=Wire.ANSWERED, status=400, body=b"numbat"))
    made = Subscription.objects.get()
    client.force_login(with_role("mira", Role.VIEWER, recipient=there))
    for text in (client.get(page(made)).text, client.get(reverse("subscriptions")).text):
        assert not any(word in text for word in ("numbat", "event_", "Operation ", made.address, "answered 400"))
    client.force_login(viewer())
    assert "numbat" in client.get(page(made)).text


def test_the_log_shows_each_try_and_what_was_answered_as_text(admin):
    event = changed(None, Posted(wire=Wire.ANSWERED, status=500, body=b"<script>x</script> \xe2\x80\xae"))
    text = admin.get(page(event.subscription)).text
    assert "&lt;script&gt;x&lt;/script&gt;" in text
    assert "<script>x" not in text
    assert "refused (500)" in text
    assert f"event_{event.key.hex}" in text


def test_what_is_over_is_sent_again_under_the_same_id(admin):
    event = changed(None, OK)
    answer = admin.post(page(event.subscription), {"act": "again", "event": event.pk}, follow=True)
    assert "under the same id" in answer.text
    due = OutboxDue.objects.get()
    assert (due.event_id, due.again) == (event.pk, True)
    assert acts() == ["subscription_sent_again"]
    program = Program()
    assert told(program, at=due.at) == 1
    assert (program.ids, program.got[0].body) == ([f"event_{event.key.hex}"], event.body)
    assert list(OutboxTry.objects.order_by("nth").values_list("nth", flat=True)) == [1, 2]


@pytest.mark.parametrize("which", ["there", "elsewhere", "1x"])
def test_what_is_on_its_way_or_elsewhere_is_not_sent_again(admin, which):
    event = changed()
    other = subscription(name="ledger")
    pk = {"there": event.pk, "elsewhere": event.pk, "1x": "1x"}[which]
    answer = admin.post(page(other if which == "elsewhere" else event.subscription), {"act": "again", "event": pk})
    assert answer.status_code == (422 if which == "1x" else 409)
    assert acts() == []


def test_a_test_is_sent_and_its_answer_stands_in_the_log(admin):
    made = subscription()
    admin.post(page(made), {"act": "test"})
    assert admin.post(page(made), {"act": "test"}).status_code == 409
    assert told(Program(), at=OutboxDue.objects.get().at) == 1
    text = admin.get(page(made)).text
    assert "Test" in text
    assert acts() == ["subscription_tested"]


def test_keys_change_through_two_that_sign_at_once(admin):
    made = subscription()
    assert admin.post(page(made), {"act": "unkey", "key": made.keys.get().pk}).status_code == 409
    assert admin.post(page(made), {"act": "key", "key": "OTHER"}).status_code == 422
    assert admin.post(page(made), {"act": "key", "key": "BILLING_NEW"}).status_code == 302
    assert admin.post(page(made), {"act": "key", "key": "BILLING_NEW"}).status_code == 409
    old = SubscriptionKey.objects.get(name="BILLING")
    assert admin.post(page(made), {"act": "unkey", "key": old.pk}).status_code == 302
    assert [one.name for one in made.keys.filter(ended_at=None)] == ["BILLING_NEW"]
    assert acts() == ["subscription_key_added", "subscription_key_ended"]


def test_what_is_paused_goes_on_with_what_waited(admin):
    event = changed()
    made = event.subscription
    admin.post(page(made), {"act": "pause"})
    assert told(Program()) == 0
    assert admin.post(page(made), {"act": "test"}).status_code == 409
    admin.post(page(made), {"act": "resume"})
    assert told(Program()) == 1
    assert acts() == ["subscription_paused", "subscription_resumed"]


def test_a_program_that_is_gone_can_be_told_again(admin):
    made = changed(None, GONE).subscription
    assert "It answered 410" in admin.get(page(made)).text
    admin.post(page(made), {"act": "resume"})
    assert Subscription.objects.get().gone_at is None


def test_what_is_ended_stops_and_stays_on_record(admin):
    event = changed()
    admin.post(page(event.subscription), {"act": "end"})
    event.refresh_from_db()
    assert (event.ended_as, OutboxDue.objects.count()) == (Over.STOPPED, 0)
    assert admin.get(page(event.subscription)).status_code == 200
    assert page(event.subscription) not in admin.get(reverse("subscriptions")).text
    assert admin.post(page(event.subscription), {"act": "resume"}).status_code == 409


def test_every_change_is_a_line_of_the_audit_list(admin):
    admin.post(reverse("subscriptions"), TYPED)
    assert "Had a program told" in admin.get(reverse("audit")).text
    assert "Had a program told" in admin.get(reverse("audit"), {"door": "subscription_made"}).text
    admin.force_login(with_role("mira", Role.ADMINISTRATOR, recipient=contract_of().recipient))
    assert "https://billing.example" not in admin.get(reverse("audit")).text


def test_no_key_of_an_agent_opens_these_pages(client):
    answer = client.post(reverse("subscriptions"), TYPED, headers={"Authorization": "Bearer unr_agent"})
    assert (answer.status_code, Subscription.objects.count()) == (302, 0)


def test_the_agents_door_knows_no_subscription(client):
    from operations.api.v1 import api

    assert not [path for path in api.get_openapi_schema()["paths"] if "subscription" in path or "webhook" in path]
