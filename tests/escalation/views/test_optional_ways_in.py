"""Ways in that are off until they are set up: a new password by mail, and single sign-on."""

import json
import re
import time
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client
from django.urls import reverse
from werkzeug import Request, Response

from escalation.models import AccessChange, User
from escalation.policy import Role
from escalation.proof import Way, proof_of
from tests.escalation.people import with_role
from tests.signed_in import proved_ago

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.escalation.optional_urls")]
PHRASE = "a long enough phrase"
OTHER = "another, longer phrase"


@pytest.fixture
def mira() -> User:
    """Somebody with a password and a mail address."""
    person = with_role("mira", Role.VIEWER)
    person.email = "mira@desk.example"
    person.set_password(PHRASE)
    person.save()
    return person


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


# By mail


def asks_for_mail(client: Client, address: str):
    return client.post(reverse("account_reset_password"), {"email": address})


def test_an_unknown_address_is_answered_alike_and_gets_no_mail(client, mira):
    known, unknown = asks_for_mail(client, mira.email), asks_for_mail(client, "nobody@desk.example")
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)
    assert [message.to for message in mail.outbox] == [[mira.email]]


def test_a_mailed_link_sets_one_new_password_and_signs_nobody_in(client, mira):
    asks_for_mail(client, mira.email)
    (message,) = mail.outbox
    assert "If it was not you, do nothing" in message.body
    link = re.search(r"http://testserver(/forgotten/\S+)", str(message.body))
    assert link is not None
    form = client.get(link.group(1), follow=True)
    at = form.redirect_chain[-1][0]
    assert client.post(at, {"password1": OTHER, "password2": OTHER}, follow=True).status_code == 200
    assert not is_in(client)
    mira.refresh_from_db()
    assert mira.check_password(OTHER)
    assert "This link sets no password" in Client().get(link.group(1), follow=True).text


def test_mail_is_not_asked_for_without_end(client, mira):
    for _ in range(5):
        asks_for_mail(client, mira.email)
    assert asks_for_mail(client, mira.email).status_code == 429
    assert len(mail.outbox) == 5


# Single sign-on


@pytest.fixture
def said() -> dict[str, object]:
    """What the provider says besides in its ID token: that it asked the person just now."""
    return {"auth_time": int(time.time())}


@pytest.fixture
def provider(httpserver, settings, said):
    """A provider that knows one person, `4711`, and answers for this desk."""
    at = httpserver.url_for("")
    settings.SINGLE_SIGN_ON = True
    app = {
        "provider_id": "single",
        "name": "House account",
        "client_id": "desk",
        "secret": "invented",
        "settings": {"server_url": at, "auth_params": {"prompt": "login", "max_age": "0"}},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
    where = {name: f"{at}/{name}" for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint")}
    httpserver.expect_request("/.well-known/openid-configuration").respond_with_json(
        {**where, "issuer": at, "jwks_uri": f"{at}/keys"}
    )

    def answers(_: Request) -> Response:
        told = {"iss": at, "aud": "desk", "sub": "4711", "exp": 4_000_000_000, **said}
        token = jwt.encode(told, "a key that is long enough for this", algorithm="HS256")
        return Response(
            json.dumps({"access_token": "t", "token_type": "bearer", "id_token": token}), mimetype="application/json"
        )

    httpserver.expect_request("/token_endpoint", method="POST").respond_with_handler(answers)
    httpserver.expect_request("/userinfo_endpoint").respond_with_json({"sub": "4711", "email": "mira@desk.example"})
    return httpserver


def goes_there_and_back(client: Client, *, process: str = "login", state: str = ""):
    led = client.post(f"{reverse('openid_connect_login', args=['single'])}?process={process}")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(led["Location"]).query).items()}
    assert (asked["prompt"], asked["max_age"]) == ("login", "0")
    assert asked["code_challenge_method"] == "S256"
    back = {"code": "c", "state": state or asked["state"]}
    return client.get(reverse("openid_connect_callback", args=["single"]), back)


def test_the_provider_vouches_for_nobody_whom_no_person_here_connected(client, mira, provider):
    answer = goes_there_and_back(client)
    assert "Nobody is known by this account" in answer.text
    assert not is_in(client)
    assert User.objects.count() == 1
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("more", ["auth_params=prompt%3Dnone", "scope=all"])
def test_the_provider_is_asked_as_this_desk_says_and_not_otherwise(client, provider, more):
    assert client.post(f"{reverse('openid_connect_login', args=['single'])}?{more}").status_code == 404


def test_an_answer_that_nobody_asked_for_signs_nobody_in(client, mira, provider):
    SocialAccount.objects.create(user=mira, provider="single", uid="4711")
    answer = goes_there_and_back(client, state="of somebody else")
    assert answer.status_code in {302, 401, 200}
    assert not is_in(client)


def test_no_account_is_connected_on_an_old_proof(client, mira, provider):
    client.force_login(mira)
    proved_ago(client, minutes=16)
    asked = goes_there_and_back(client, process="connect")
    assert asked["Location"] == reverse("account_reauthenticate")
    assert client.post(asked["Location"], {"password": PHRASE}).status_code == 302
    assert "It counts still." in client.get(reverse("account")).text
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("auth_time", [None, -16 * 60, 3600, "just now", True, 10**400])
@pytest.mark.parametrize("password", [True, False])
def test_signing_in_by_a_provider_that_did_not_ask_or_does_not_say_proves_nothing(
    client, mira, provider, said, auth_time, password
):
    """Whether the provider asked too long ago, in the future, says nonsense or nothing: they are in, and prove it else."""
    if not password:
        mira.set_unusable_password()
        mira.save()
    SocialAccount.objects.create(user=mira, provider="single", uid="4711")
    here = type(auth_time) is int and abs(auth_time) < 10**6
    said["auth_time"] = int(time.time()) + auth_time if here else auth_time
    goes_there_and_back(client)
    assert is_in(client)
    told = client.get(reverse("account")).text
    assert "It counts still." not in told
    assert ("asked for your password first" in told) == password


def test_it_proves_it_as_of_when_the_provider_asked(client, mira, provider, said):
    SocialAccount.objects.create(user=mira, provider="single", uid="4711")
    said["auth_time"] = asked = int(time.time()) - 14 * 60
    goes_there_and_back(client)
    request = client.get(reverse("account")).wsgi_request
    proof = proof_of(request)
    assert proof is not None
    assert (proof.way, proof.at) == (Way.SINGLE_SIGN_ON, datetime.fromtimestamp(asked, tz=UTC))


def test_a_connected_account_signs_its_person_in(client, mira, provider):
    client.force_login(mira)
    goes_there_and_back(client, process="connect")
    assert SocialAccount.objects.get().user == mira
    assert "Connected: <bdi>4711</bdi>" in client.get(reverse("account")).text
    elsewhere = Client()
    assert "Sign in with House account" in elsewhere.get(reverse("sign_in")).text
    goes_there_and_back(elsewhere)
    assert "by single sign-on. It counts still." in elsewhere.get(reverse("account")).text


def test_that_an_account_was_connected_and_removed_is_on_record(client, mira, provider):
    client.force_login(mira)
    goes_there_and_back(client, process="connect")
    client.post(reverse("socialaccount_connections"), {"account": SocialAccount.objects.get().pk})
    assert not SocialAccount.objects.exists()
    found = AccessChange.objects.order_by("pk").values_list("act", "person", "by")
    acts = ("single_sign_on_added", "single_sign_on_removed")
    assert list(found) == [(act, mira.pk, mira.pk) for act in acts]
    reader = Client()
    reader.force_login(User.objects.create_superuser("root"))
    assert "Connected an account of single sign-on" in reader.get(reverse("audit")).text
    assert (
        "is connected with an account of single sign-on no more" in reader.get(reverse("person", args=[mira.pk])).text
    )
