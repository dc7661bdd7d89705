"""Who a person is, in a real browser: a link, a password, a second factor, a passkey, and a door that asks again."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, expect

from escalation.models import ProtectedRepeat, User
from escalation.policy import Role
from escalation.sign_in_link import make_sign_in_link
from operations import models
from tests.browser.conftest import Seat
from tests.escalation.people import with_role
from tests.operations.dispatching import lost, may_send
from tests.recipients.fixtures import collection_desk
from tests.signed_in import proved_ago

__all__ = ["collection_desk"]
SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]
PHRASE = "a long enough phrase"
SHOTS = os.environ.get("UNRESOLVED_SHOTS", "")


@pytest.fixture
def mira(transactional_db: None) -> User:
    """Somebody who may have requests repeated, and came by a link."""
    return with_role("mira", Role.OPERATOR)


@pytest.fixture
def made(collection_desk, monkeypatch, transactional_db) -> models.Operation:
    """An operation whose reply was lost."""
    may_send(collection_desk, monkeypatch)
    return models.Operation.objects.get(id=lost())


@pytest.fixture
def stranger(chromium: Browser, live_server: Any) -> Iterator[Seat]:
    """A browser in which nobody is signed in; nothing may be said on its console."""
    opened = chromium.new_context(viewport={"width": 1440, "height": 900})
    seat = Seat(opened.new_page(), str(live_server))
    seat.page.on("console", lambda said: seat.complaints.append(f"{said.type}: {said.text}"))
    seat.page.on("pageerror", lambda error: seat.complaints.append(str(error)))
    yield seat
    opened.close()
    assert seat.complaints == []


def link_of(person: User) -> str:
    return reverse("sign_in_by_link", args=[make_sign_in_link(person, now=datetime.now(tz=UTC))])


def code_of(secret: str, *, step: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step)))


def make_stale(seat: Seat) -> None:
    """Let what the browser's session proves have been proved sixteen minutes ago."""
    cookie = next(one for one in seat.page.context.cookies() if one["name"] == "sessionid")
    client = Client()
    client.cookies["sessionid"] = cookie["value"]
    proved_ago(client, minutes=16)
    assert SessionStore(cookie["value"]).exists(cookie["value"])


def readable(seat: Seat, name: str) -> None:
    """Everyone can read the page at both widths and in both schemes, and it stays inside the window."""
    for width, scheme in SIZES:
        seat.page.set_viewport_size({"width": width, "height": 900})
        seat.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        found = Axe().run(seat.page).response["violations"]
        assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == [], name
        assert seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
        if SHOTS:
            seat.page.screenshot(path=Path(SHOTS) / f"{name}-{width}-{scheme}.png", full_page=True)
    seat.page.set_viewport_size({"width": 1440, "height": 900})


def test_from_a_link_to_a_password_an_app_and_a_door_that_asks_again(stranger: Seat, mira: User, made: Any):
    seat, page = stranger, stranger.page
    seat.goes(reverse("sign_in"))
    readable(seat, "sign-in")
    seat.goes(link_of(mira))
    readable(seat, "link")
    page.get_by_role("button", name="Sign in").click()
    readable(seat, "first-password")
    page.get_by_label("New password").fill(PHRASE)
    page.get_by_label("The same again").fill(PHRASE)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("The password is set.")).to_be_visible()

    page.get_by_role("link", name="mira").click()
    readable(seat, "account")
    page.get_by_role("link", name="Set it up").click()
    readable(seat, "app")
    assert page.evaluate("document.querySelector('img.code').naturalWidth") > 0
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Six digits").fill(code_of(secret))
    page.get_by_role("button", name="Ask for it from now on").click()
    readable(seat, "recovery-codes")
    recovery = page.locator(".codes code").all_inner_texts()
    assert len(recovery) == 10
    page.get_by_role("link", name="I kept them").click()
    readable(seat, "account-with-app")

    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("User name").fill("mira")
    page.get_by_label("Password").fill(PHRASE)
    page.get_by_role("button", name="Sign in", exact=True).click()
    readable(seat, "second-factor")
    page.get_by_label("Code of your authenticator app").fill(recovery[0])
    page.get_by_role("button", name="Sign in", exact=True).click()

    make_stale(seat)
    seat.goes(reverse("protected_repeat", args=[made.number]))
    expect(page.get_by_text("You will be asked for your second factor first.")).to_be_visible()
    readable(seat, "door-stale")
    page.get_by_label("The agent").check()
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    readable(seat, "prove-by-code")
    page.get_by_label("Code of your authenticator app").fill(recovery[1])
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("Nothing was decided yet")).to_be_visible()
    assert page.get_by_label("The agent").is_checked()
    assert not ProtectedRepeat.objects.exists()
    readable(seat, "door-proved")
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    expect(page.get_by_text("The agent may send it once").first).to_be_visible()
    assert ProtectedRepeat.objects.get().decision.content["proved"]["by"] == "recovery code"


def test_a_passkey_signs_in_alone_and_proves(stranger: Seat, mira: User, made: Any):
    seat, page = stranger, stranger.page
    mira.set_password(PHRASE)
    mira.save()
    keys = page.context.new_cdp_session(page)
    keys.send("WebAuthn.enable")
    device = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    keys.send("WebAuthn.addVirtualAuthenticator", {"options": {**device, "isUserVerified": True}})

    seat.goes(reverse("sign_in"))
    page.get_by_label("User name").fill("mira")
    page.get_by_label("Password").fill(PHRASE)
    page.get_by_role("button", name="Sign in", exact=True).click()
    seat.goes(reverse("mfa_add_webauthn"))
    readable(seat, "add-passkey")
    page.get_by_label("Its name").fill("Laptop")
    page.get_by_role("button", name="Add it").click()
    page.get_by_text("The passkey is added.").wait_for()
    assert Authenticator.objects.filter(user=mira, type="webauthn").count() == 1
    seat.goes(reverse("account"))
    expect(page.get_by_text("Laptop").first).to_be_visible()
    readable(seat, "account-with-passkey")

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_role("link", name="mira").click()
    expect(page.get_by_text("by passkey. It counts still.")).to_be_visible()

    make_stale(seat)
    door = reverse("protected_repeat", args=[made.number])
    seat.goes(door)
    page.get_by_label("The agent").check()
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    readable(seat, "prove-by-passkey")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("Nothing was decided yet").wait_for()
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    assert ProtectedRepeat.objects.get().decision.content["proved"]["by"] == "passkey"


def test_a_password_proves_without_scripts(chromium: Browser, live_server: Any, mira: User, made: Any):
    mira.set_password(PHRASE)
    mira.save()
    opened = chromium.new_context(java_script_enabled=False)
    seat = Seat(opened.new_page(), str(live_server))
    page = seat.page
    door = reverse("protected_repeat", args=[made.number])
    seat.goes(door)
    page.get_by_label("User name").fill("mira")
    page.get_by_label("Password").fill(PHRASE)
    page.get_by_role("button", name="Sign in", exact=True).click()
    assert page.url.endswith(door)
    make_stale(seat)
    page.get_by_label("The agent").check()
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    page.get_by_label("Password of mira").fill(PHRASE)
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("I know that").check()
    page.get_by_role("button", name="Repeat the same request").click()
    assert ProtectedRepeat.objects.count() == 1
    opened.close()
