"""Signing in and looking after how one does, through HTTP: refusals first."""

import re
import time
from datetime import UTC, datetime

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY, format_hotp_value, hotp_value
from django.db import connection
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, reverse

from escalation.models import AccessChange, User
from escalation.sign_in_link import make_sign_in_link
from tests.escalation.people import with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
PHRASE = "a long enough phrase"
OTHER = "another, longer phrase"


@pytest.fixture
def mira() -> User:
    """Somebody with a password, and with a role."""
    from escalation.policy import Role

    person = with_role("mira", Role.VIEWER)
    person.set_password(PHRASE)
    person.save()
    return person


def signs_in(client: Client, password: str = PHRASE, *, name: str = "mira", **more: str):
    return client.post(reverse("sign_in"), {"login": name, "password": password, **more})


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def code_of(secret: str, *, step: int = 0) -> str:
    """The six digits that an app shows, `step` steps from now."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step)))


def sets_up_an_app(client: Client) -> tuple[str, list[str]]:
    """The secret of a new authenticator app, and the recovery codes that came with it."""
    client.get(reverse("mfa_activate_totp"))
    secret = client.session[SECRET_SESSION_KEY]
    shown = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)}, follow=True)
    return secret, re.findall(r'<li><code translate="no">(\d{8})</code>', shown.text)


# What is not there


@pytest.mark.parametrize(
    "path",
    ["/accounts/signup/", "/signup", "/sign-up", "/accounts/login/", "/accounts/email/", "/forgotten", "/sso/single"],
)
def test_a_page_that_is_not_ours_is_not_there(client, mira, path):
    client.force_login(mira)
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "account_signup",
        "account_email",
        "account_reset_password",
        "account_request_login_code",
        "mfa_download_recovery_codes",
        "mfa_signup_webauthn",
        "socialaccount_signup",
        "openid_connect_login",
    ],
)
def test_what_is_not_offered_has_no_address(name):
    with pytest.raises(NoReverseMatch):
        reverse(name, kwargs={"provider_id": "single"} if name == "openid_connect_login" else {})


def test_only_pages_of_this_desk_are_there():
    paths = [str(pattern.pattern) for pattern in get_resolver().url_patterns]
    assert not [path for path in paths if "accounts" in path or "allauth" in path]


def test_nobody_makes_themselves_an_account(client):
    from escalation.signing_in.adapters import Accounts, SingleSignOn

    assert Accounts().is_open_for_signup(None) is False  # type: ignore[arg-type]  # whatever asks
    assert SingleSignOn().is_open_for_signup(None, None) is False  # type: ignore[arg-type]


# Who does not get in


def test_after_five_wrong_passwords_the_right_one_waits_too(client, mira):
    for _ in range(5):
        assert signs_in(client, "not the phrase at all").status_code == 200
    answer = signs_in(client)
    assert "Tried too often. Wait five minutes." in answer.text
    assert not is_in(client)


def test_wrong_passwords_for_others_do_not_shut_out_a_person(client, mira):
    for _ in range(5):
        signs_in(client, name="tomas", password="not the phrase at all")
    assert signs_in(client).status_code == 302


def test_a_proof_is_not_guessed_either(client, mira):
    client.force_login(mira)
    for _ in range(5):
        client.post(reverse("account_reauthenticate"), {"password": "not the phrase at all"})
    answer = client.post(reverse("account_reauthenticate"), {"password": PHRASE})
    assert answer.status_code in {200, 429}
    assert "Tried too often" in answer.text


def test_a_wrong_user_name_and_a_wrong_password_are_answered_alike(client, mira):
    def said(answer):
        return re.findall(r'role="alert"[^>]*>(.*?)</p>', answer.text)

    assert said(signs_in(client, "not the phrase at all")) == said(signs_in(client, name="nobody")) != []


def test_who_was_made_inactive_is_out_at_once_and_stays_out(client, mira):
    signs_in(client)
    assert is_in(client)
    User.objects.filter(pk=mira.pk).update(is_active=False)
    assert not is_in(client)
    assert signs_in(Client()).url == reverse("account_inactive")
    assert not is_in(client)


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "http://localhost:9/", "javascript:alert(1)", "/\\evil.example"],
)
def test_nobody_is_led_elsewhere_by_signing_in(client, mira, elsewhere):
    assert signs_in(client, next=elsewhere).url == reverse("queue")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_nobody_is_led_elsewhere_by_a_proof(client, mira, elsewhere):
    client.force_login(mira)
    answer = client.post(reverse("account_reauthenticate"), {"password": PHRASE, "next": elsewhere})
    assert (answer.status_code, answer.url) == (302, reverse("queue"))


def test_a_session_that_was_there_before_is_not_the_one_that_is_signed_in(client, mira):
    client.get(reverse("sign_in"))
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    planted = session.session_key
    client.cookies["sessionid"] = planted
    signs_in(client)
    assert client.cookies["sessionid"].value != planted
    thief = Client()
    thief.cookies["sessionid"] = planted
    assert not is_in(thief)


def test_a_link_opened_where_somebody_else_is_signed_in_leaves_nothing_of_them(client, mira):
    client.force_login(mira)
    session = client.session
    session["typed before a proof"] = {"path": "/x", "typed": "remark=mine"}
    session.save()
    tomas = User.objects.create_user("tomas")
    client.post(reverse("sign_in_by_link", args=[make_sign_in_link(tomas, now=datetime.now(tz=UTC))]))
    assert client.session["_auth_user_id"] == str(tomas.pk)
    assert "typed before a proof" not in client.session


def test_the_cookies_are_for_this_desk_and_not_for_scripts(client, mira):
    client.get(reverse("sign_in"))
    signs_in(client)
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert client.cookies["sessionid"]["max-age"] == 12 * 3600


# Passwords


def test_a_first_password_is_not_set_on_an_old_link(client):
    newcomer = User.objects.create_user("newcomer")
    client.force_login(newcomer)
    proved_ago(client, minutes=16)
    answer = client.post(reverse("account_set_password"), {"password1": OTHER, "password2": OTHER})
    assert answer.status_code == 403
    assert "another sign-in link" in answer.text
    newcomer.refresh_from_db()
    assert not newcomer.has_usable_password()


@pytest.mark.parametrize("weak", ["short", "password1234", "newcomer-2026"])
def test_a_weak_password_is_refused(client, weak):
    client.force_login(User.objects.create_user("newcomer"))
    answer = client.post(reverse("account_set_password"), {"password1": weak, "password2": weak})
    assert (answer.status_code, 'role="alert"' in answer.text) == (200, True)


def test_a_first_password_signs_in_from_then_on_and_counts_as_a_proof(client):
    newcomer = User.objects.create_user("newcomer")
    client.post(reverse("sign_in_by_link", args=[make_sign_in_link(newcomer, now=datetime.now(tz=UTC))]))
    answer = client.post(reverse("account_set_password"), {"password1": OTHER, "password2": OTHER})
    assert answer["Location"] == reverse("account")
    assert "by password. It counts still." in client.get(reverse("account")).text
    assert signs_in(Client(), OTHER, name="newcomer").status_code == 302


def test_a_password_is_changed_by_who_knows_the_present_one_and_ends_other_sessions(client, mira):
    elsewhere = Client()
    signs_in(elsewhere)
    signs_in(client)
    words = {"oldpassword": "not it at all", "password1": OTHER, "password2": OTHER}
    assert "This is not your present password." in client.post(reverse("account_change_password"), words).text
    assert client.post(reverse("account_change_password"), {**words, "oldpassword": PHRASE}).status_code == 302
    assert (is_in(client), is_in(elsewhere)) == (True, False)


def test_a_link_is_no_proof_for_who_has_a_password(client, mira):
    client.post(reverse("sign_in_by_link", args=[make_sign_in_link(mira, now=datetime.now(tz=UTC))]))
    assert "You will be asked for your password first." in client.get(reverse("account")).text


# Second factors


def test_no_second_factor_is_set_up_or_removed_on_an_old_proof(client, mira):
    client.force_login(mira)
    proved_ago(client, minutes=16)
    answer = client.get(reverse("mfa_activate_totp"))
    assert answer.url == f"{reverse('account_reauthenticate')}?next=%2Faccount%2Fapp"
    assert client.get(reverse("app_picture")).status_code == 404


def test_a_wrong_code_sets_nothing_up(client, mira):
    client.force_login(mira)
    client.get(reverse("mfa_activate_totp"))
    wrong = f"{(int(code_of(client.session[SECRET_SESSION_KEY])) + 1) % 10**6:06}"
    assert "This code is not right" in client.post(reverse("mfa_activate_totp"), {"code": wrong}).text
    assert not Authenticator.objects.exists()


def test_with_an_app_a_password_alone_signs_nobody_in(client, mira):
    client.force_login(mira)
    sets_up_an_app(client)
    fresh = Client()
    assert signs_in(fresh).url == reverse("mfa_authenticate")
    assert not is_in(fresh)


def test_with_an_app_a_link_alone_signs_nobody_in(client, mira):
    client.force_login(mira)
    sets_up_an_app(client)
    fresh = Client()
    link = reverse("sign_in_by_link", args=[make_sign_in_link(mira, now=datetime.now(tz=UTC))])
    assert fresh.post(link)["Location"] == reverse("mfa_authenticate")
    assert not is_in(fresh)


def test_who_has_no_passkey_is_not_asked_for_one_and_may_begin_again(client, mira):
    client.force_login(mira)
    sets_up_an_app(client)
    fresh = Client()
    text = fresh.get(signs_in(fresh).url).text
    assert "Use a passkey" not in text
    fresh.post(reverse("sign_out"))
    assert 'name="login"' in fresh.get(reverse("sign_in")).text


def test_a_code_signs_in_once(client, mira):
    client.force_login(mira)
    secret, _ = sets_up_an_app(client)
    code = code_of(secret, step=1)
    first, second = Client(), Client()
    for each in (first, second):
        signs_in(each)
        each.post(reverse("mfa_authenticate"), {"code": code})
    assert (is_in(first), is_in(second)) == (True, False)
    assert "by code of an authenticator app. It counts still." in first.get(reverse("account")).text


def test_codes_are_not_guessed(client, mira):
    client.force_login(mira)
    secret, _ = sets_up_an_app(client)
    thief = Client()
    signs_in(thief)
    right = code_of(secret, step=1)
    for guess in range(5):
        thief.post(reverse("mfa_authenticate"), {"code": f"{(int(right) + 1 + guess) % 10**6:06}"})
    assert "Tried too often" in thief.post(reverse("mfa_authenticate"), {"code": right}).text
    assert not is_in(thief)


def test_a_recovery_code_signs_in_once_and_is_shown_once(client, mira):
    client.force_login(mira)
    _, codes = sets_up_an_app(client)
    assert len(codes) == 10
    assert codes[0] not in client.get(reverse("mfa_view_recovery_codes")).text
    first, second = Client(), Client()
    for each in (first, second):
        signs_in(each)
        each.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert (is_in(first), is_in(second)) == (True, False)


def test_who_holds_an_app_is_not_asked_for_a_password_as_a_proof(client, mira):
    client.force_login(mira)
    secret, _ = sets_up_an_app(client)
    proved_ago(client, minutes=16)
    answer = client.post(reverse("account_reauthenticate"), {"password": PHRASE})
    assert answer.url == reverse("mfa_reauthenticate")
    assert "asked for your second factor first" in client.get(reverse("account")).text
    client.post(reverse("mfa_reauthenticate"), {"code": code_of(secret, step=1)})
    assert "by code of an authenticator app. It counts still." in client.get(reverse("account")).text


def test_the_database_keeps_no_secret_that_makes_codes(client, mira):
    client.force_login(mira)
    secret, _ = sets_up_an_app(client)
    with connection.cursor() as cursor:
        cursor.execute("select data::text from mfa_authenticator")
        kept = " ".join(row[0] for row in cursor.fetchall())
    assert secret not in kept


def test_the_picture_for_the_app_is_shown_while_it_is_set_up(client, mira):
    client.force_login(mira)
    client.get(reverse("mfa_activate_totp"))
    answer = client.get(reverse("app_picture"))
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/svg+xml")
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_passkey_that_is_none_is_refused(client, mira):
    client.force_login(mira)
    for credential in ("", "{}", "null", "[]", '{"id": "x"}'):
        answer = client.post(reverse("mfa_add_webauthn"), {"name": "Key", "credential": credential})
        assert answer.status_code == 200
    assert not Authenticator.objects.exists()


# Looking after it


def test_signing_out_everywhere_else_leaves_this_browser(client, mira):
    elsewhere = Client(headers={"user-agent": "Another browser"})
    signs_in(elsewhere)
    signs_in(client)
    assert "Another browser" in client.get(reverse("account")).text
    client.post(reverse("usersessions_list"))
    assert (is_in(client), is_in(elsewhere)) == (True, False)


def test_the_account_page_says_what_one_has(client, mira):
    client.force_login(mira)
    text = client.get(reverse("account")).text
    assert "It counts for 15 minutes." in text
    assert "not set up" in text
    sets_up_an_app(client)
    assert "10 left" in client.get(reverse("account")).text


@pytest.mark.parametrize(
    "name",
    [
        "account",
        "account_change_password",
        "account_reauthenticate",
        "mfa_activate_totp",
        "mfa_add_webauthn",
        "usersessions_list",
    ],
)
def test_each_page_is_the_desks_own_and_kept_to_its_policy(client, mira, name):
    client.force_login(mira)
    answer = client.get(reverse(name))
    assert answer.status_code == 200
    assert 'class="brand"' in answer.text
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]*(\ssrc=|application/json))", answer.text)


def test_what_people_change_about_their_way_in_is_on_record(client, mira):
    signs_in(client)
    words = {"oldpassword": PHRASE, "password1": OTHER, "password2": OTHER}
    client.post(reverse("account_change_password"), words)
    sets_up_an_app(client)
    client.post(reverse("mfa_deactivate_totp"))
    found = AccessChange.objects.order_by("pk").values_list("act", "person", "by")
    assert list(found) == [(act, mira.pk, mira.pk) for act in ("password_set", "factor_added", "factor_removed")]
    text = Client()
    text.force_login(User.objects.create_superuser("root"))
    said = text.get(reverse("audit")).text
    assert "Set up a second factor" in said
