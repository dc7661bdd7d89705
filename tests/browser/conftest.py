"""A real browser on the real pages: Chromium as installed, its own profile each time, nothing but loopback."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from escalation.models import User

expect.set_options(timeout=30_000)  # as long as any other wait: a machine at work is slow, not wrong
CHROMIUM = "/usr/bin/chromium"
# As root it has to run without its sandbox; nothing in it may call home.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Seat:
    """One person before one page; `complaints` are what the browser's console said."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def goes(self, path: str) -> None:
        """Open a path of the desk."""
        answer = self.page.goto(self.address + path)
        assert answer is not None


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser; Playwright starts it with a fresh user-data folder.

    It ends with this folder's tests: Playwright's loop runs in this thread as long, and no other can run beside it.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread; our database calls don't
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


class _Asked:
    """What the live server was asked and has not ended yet."""

    def __init__(self) -> None:
        self._open, self._changed = 0, Condition()

    def begins(self, **_signal: object) -> None:
        with self._changed:
            self._open += 1

    def ends(self, **_signal: object) -> None:
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def wait(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._open <= 0, timeout=30)


@pytest.fixture(autouse=True)
def answered(transactional_db: None) -> Iterator[None]:
    """What a page asked for as it was closed is still answered: let it end before the tables are emptied."""
    asked = _Asked()
    request_started.connect(asked.begins, weak=False)
    request_finished.connect(asked.ends, weak=False)
    yield
    asked.wait()
    request_started.disconnect(asked.begins)
    request_finished.disconnect(asked.ends)


@pytest.fixture
def person(transactional_db: None) -> User:
    """An administrator, who may do everything."""
    return User.objects.create_superuser("m.okafor")


def sit_down(chromium: Browser, address: str, person: User, **context: Any) -> Seat:
    """A page at which `person` is signed in."""
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    opened = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, **context})
    opened.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": address}])
    seat = Seat(opened.new_page(), address)
    seat.page.on("console", lambda said: seat.complaints.append(f"{said.type}: {said.text}"))
    seat.page.on("pageerror", lambda error: seat.complaints.append(str(error)))
    return seat


@pytest.fixture
def seat(chromium: Browser, live_server: object, person: User) -> Iterator[Seat]:
    """Somebody signed in before an open browser; nothing may be said on its console."""
    taken = sit_down(chromium, str(live_server), person)
    yield taken
    taken.page.context.close()
    assert taken.complaints == []
