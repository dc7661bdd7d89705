"""A door and a proof that is not fresh: nothing is decided, nothing typed is lost, and nobody decides by proving."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from escalation.models import BusinessException, FourEyesRule, ProtectedRepeat, User
from escalation.policy import Role
from operations import models
from tests.escalation.people import with_role
from tests.operations.dispatching import lost, may_send
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
PHRASE = "a long enough phrase"


def stated() -> dict[str, str]:
    """A risk, as it is typed."""
    day = datetime.now(tz=UTC) + timedelta(days=2)
    return {
        "excuse": "second_operation:twice",
        "words": "A second parcel stands at the counter.",
        "reason": "The counter closes at four.",
        "bearer": "Cost centre 4711",
        "review": f"{day:%Y-%m-%d}",
        "expires_at": f"{day:%Y-%m-%dT%H:%M}",
    }


@pytest.fixture
def operation(collection_desk, monkeypatch) -> models.Operation:
    """An operation whose reply was lost, at a recipient that this desk may send to."""
    may_send(collection_desk, monkeypatch)
    return models.Operation.objects.get(id=lost())


@pytest.fixture
def mira() -> User:
    """Somebody who may have requests repeated, and has a password."""
    person = with_role("mira", Role.OPERATOR)
    person.set_password(PHRASE)
    person.save()
    return person


@pytest.fixture
def stale(client: Client, mira: User) -> Client:
    """Mira at a browser, signed in sixteen minutes ago."""
    client.force_login(mira)
    proved_ago(client, minutes=16)
    return client


def door(operation) -> str:
    return reverse("protected_repeat", args=[operation.number])


def typed(operation, **other):
    operation.refresh_from_db()
    return {"revision": operation.revision, "once": uuid4(), "executor": "agent", "understood": "on", **other}


def proves(client: Client, address: str, password: str = PHRASE):
    """Follow where a person was led, and prove it there as its page does."""
    shown = client.get(address)
    return client.post(address.partition("?")[0], {"password": password, "next": shown.context["redirect_field_value"]})


def test_the_page_says_beforehand_what_will_be_asked_for(stale, operation):
    text = stale.get(door(operation)).text
    assert "You will be asked for your password first. It counts for 15 minutes." in text
    assert f'href="{reverse("account_reauthenticate")}?next=' in text


def test_a_fresh_proof_is_not_asked_for(client, mira, operation):
    client.force_login(mira)
    assert "asked for your password" not in client.get(door(operation)).text
    assert client.post(door(operation), typed(operation)).url == door(operation)
    assert ProtectedRepeat.objects.get().decision.content["proved"]["by"] == "password"
    for screen in (reverse("audit"), reverse("record", args=[operation.number])):
        assert re.search(r"roved who they are(</dt>\s*<dd>)?.*by password, ", client.get(screen).text, re.DOTALL)


def test_nothing_is_decided_and_the_person_is_led_to_prove_it(stale, operation):
    answer = stale.post(door(operation), typed(operation))
    assert answer.url == f"{reverse('account_reauthenticate')}?next=%2Foperations%2F{operation.number}%2Frepeat"
    assert not models.Decision.objects.exists()


def test_proving_decides_nothing_and_what_was_typed_is_confirmed_once_more(stale, operation):
    led = stale.post(door(operation), typed(operation)).url
    back = proves(stale, led)
    assert back.url == door(operation)
    assert not models.Decision.objects.exists()
    text = stale.get(back.url).text
    assert "You proved who you are. Nothing was decided yet: look again, and confirm." in text
    assert 'value="agent" checked' in text
    assert 'name="understood" required>' in text  # the yes is asked for again
    assert not models.Decision.objects.exists()
    assert stale.post(door(operation), typed(operation)).url == door(operation)
    assert ProtectedRepeat.objects.count() == 1


def test_a_wrong_password_decides_nothing_and_keeps_what_was_typed(stale, operation):
    led = stale.post(door(operation), typed(operation)).url
    assert "This is not your password." in proves(stale, led, "not the phrase at all").text
    assert stale.post(door(operation), typed(operation)).url == led
    assert not models.Decision.objects.exists()
    proves(stale, led)
    assert 'value="agent" checked' in stale.get(door(operation)).text


def test_every_word_of_a_long_form_is_kept(client, operation):
    person = with_role("rhea", Role.REVIEWER)
    person.set_password(PHRASE)
    person.save()
    client.force_login(person)
    proved_ago(client, minutes=16)
    at = reverse("business_exception", args=[operation.number])
    led = client.post(at, {**typed(operation), **stated()}).url
    assert not BusinessException.objects.exists()
    text = client.get(proves(client, led).url).text
    for word in stated().values():
        assert word in text
    assert not BusinessException.objects.exists()
    client.post(at, {**typed(operation), **stated()})
    assert BusinessException.objects.get().reason == stated()["reason"]


def test_what_is_wrong_with_a_form_is_said_before_anybody_is_asked_to_prove(stale, operation):
    words = typed(operation)
    del words["understood"]
    assert stale.post(door(operation), words).status_code == 422


def test_what_was_typed_on_one_page_is_not_shown_on_another(stale, operation):
    led = stale.post(door(operation), typed(operation)).url
    proves(stale, led)
    text = stale.get(reverse("business_exception", args=[operation.number])).text
    assert "Nothing was decided yet" not in text


def test_what_was_typed_is_shown_once(stale, operation):
    proves(stale, stale.post(door(operation), typed(operation)).url)
    stale.get(door(operation))
    assert 'value="agent" checked' not in stale.get(door(operation)).text


def test_the_proof_of_another_person_opens_no_door(stale, mira, operation):
    tomas = User.objects.create_user("tomas", password="another long phrase")
    led = stale.post(door(operation), typed(operation)).url
    assert "This is not your password." in proves(stale, led, "another long phrase").text
    session = stale.session
    session["account_authentication_methods"] = [{"method": "password", "at": 4_000_000_000}]
    session["account_authentication_methods_user"] = str(tomas.pk)
    session.save()
    assert stale.post(door(operation), typed(operation)).url == led
    assert not models.Decision.objects.exists()


def test_who_holds_a_second_factor_is_led_to_that(stale, mira, operation):
    Authenticator.objects.create(user=mira, type=Authenticator.Type.TOTP, data={"secret": "x"})
    proved_ago(stale, minutes=1)  # by password, which is less than they have
    answer = stale.post(door(operation), typed(operation))
    assert answer.url.startswith(reverse("mfa_reauthenticate") + "?next=")
    assert not models.Decision.objects.exists()


def test_who_can_prove_nothing_here_is_told_the_way_out_and_keeps_what_was_typed(client, operation):
    client.force_login(with_role("newcomer", Role.OPERATOR))
    proved_ago(client, minutes=16)
    answer = client.post(door(operation), typed(operation))
    assert answer.status_code == 403
    assert "Ask whoever runs this desk for another link, and set a password then." in answer.text
    assert 'value="agent" checked' in answer.text
    assert not models.Decision.objects.exists()


def test_a_rule_is_not_set_on_an_old_proof_and_what_was_typed_waits(client):
    admin = with_role("admin", Role.ADMINISTRATOR)
    admin.set_password(PHRASE)
    admin.save()
    client.force_login(admin)
    proved_ago(client, minutes=16)
    words = {"act": "rule", "door": "repeat", "recipient": "", "amount": "12.50", "currency": "EUR"}
    assert "asked for your password first" in client.get(reverse("rules")).text
    led = client.post(reverse("rules"), words).url
    proves(client, led)
    assert not FourEyesRule.objects.exists()
    assert 'value="12.50"' in client.get(reverse("rules")).text
    client.post(reverse("rules"), words)
    assert FourEyesRule.objects.count() == 1
