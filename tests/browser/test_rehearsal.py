"""The page of rehearsals in a real browser: readable by everyone, quiet, inside the window, on paper, without scripts."""

from datetime import UTC, datetime
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse
from playwright.sync_api import expect

from escalation.celery import app
from escalation.models import Rehearsal
from escalation.rehearsing.keeping import _kept, rehearse_and_keep
from escalation.rehearsing.result import rehearse
from operations.contracts.loading import document_of
from tests.browser.conftest import sit_down
from tests.escalation.building import contract_of

SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


def pages() -> dict[str, str]:
    """Addresses by name: never rehearsed, awaited beside a clean one, and gone wrong under a hostile name."""
    now = datetime.now(UTC)
    contract_of(key="desk", name="Collection desk")
    hostile = contract_of(key="hostile", name="<script>alert(1)</script>\u202e" + "W" * 120)
    new = contract_of(key="new", name="Never rehearsed")
    rehearse_and_keep("desk", by=None, now=now)
    wrong = rehearse(document_of(hostile.document), breaking={"concurrent_use": "unprotected", "keeps_for": 3600})
    _kept(wrong, contract_id=hostile.id, digest="another", number=1, by=None, now=now)
    return {
        "awaited": reverse("rehearsal", args=["desk", 1]) + "?awaited=2",
        "new": reverse("rehearsal", args=["new", new.version]),
        "wrong": reverse("rehearsal", args=["hostile", 1]),
    }


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_rehearsal_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium: Any, live_server: Any, person: Any, width: int, scheme: str
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in pages().items():
        seat.goes(address)
        found = Axe().run(seat.page).response["violations"]
        assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == [], name
        assert seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
    assert seat.complaints == []
    seat.page.context.close()


def test_on_paper_every_cell_is_seen_and_nothing_that_is_for_hands(chromium, live_server, person):
    address = pages()["wrong"]
    seat = sit_down(chromium, str(live_server), person, viewport={"width": 700, "height": 990})
    seat.goes(address)
    seat.page.emulate_media(media="print")
    expect(seat.page.get_by_text("tests our reading of this contract and not the recipient")).to_be_visible()
    expect(seat.page.get_by_role("button", name="Rehearse again")).to_have_count(0)
    expect(seat.page.locator("header.top")).to_be_hidden()
    wide = seat.page.evaluate("Math.max(...[...document.querySelectorAll('table')].map(one => one.scrollWidth))")
    assert wide <= 700
    seat.page.context.close()


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def test_a_contract_is_rehearsed_without_scripts(chromium, live_server, person, at_once):
    contract_of()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("rehearsal", args=["collection-desk", 1]))
    seat.page.get_by_role("button", name="Rehearse this version").click()
    expect(seat.page.get_by_text("No permitted action led to a second effect")).to_be_visible()
    seat.page.context.close()
    assert Rehearsal.objects.get().ran_by == person


def test_what_is_awaited_appears_by_itself(seat):
    contract_of()
    seat.goes(reverse("rehearsal", args=["collection-desk", 1]) + "?awaited=1")
    expect(seat.page.get_by_text("Rehearsal 1 was asked for.")).to_be_visible()
    rehearse_and_keep("collection-desk", by=None, now=datetime.now(UTC))
    seat.page.get_by_text("No permitted action led to a second effect").wait_for(timeout=20_000)
