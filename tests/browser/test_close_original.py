"""The page on which an original is closed, in a real browser: readable by everyone, quiet, inside the window, without scripts."""

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse
from playwright.sync_api import expect

from escalation.celery import app
from operations import dispatch, models
from operations.contracts.loading import library_text
from operations.recording import writing
from tests.browser.conftest import sit_down
from tests.escalation.building import contract_of
from tests.escalation.closings import attempt_of, decided, may_close, state, told
from tests.operations.dispatching import KEY, lost, now, sent
from tests.recipients.fixtures import collection_desk

__all__ = ["collection_desk"]
SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture
def desk(collection_desk, monkeypatch, transactional_db):
    """The recipient, whose closing request is documented."""
    may_close(collection_desk, monkeypatch)
    return collection_desk


def number(made):
    return models.Operation.objects.get(id=made).number


def warned(made):
    """Another version of the contract, which does not say what becomes of what happened."""
    text = library_text("collection-desk")
    contract_of(text.replace("after_effect: {is: refused,", "after_effect: {is: undocumented,"))
    with writing(made, now=now()):
        pass


def pages(person, desk):
    """Addresses by name: open, another scope, waiting, granted, answered, lost, died on the way, shut, and a warning."""
    found = {"open": lost(), "scope": lost(key="order-2", scope="account two")}
    addresses = {}
    for name, key, executor in (
        ("waiting", "order-5", "desk"),
        ("granted", "order-6", "agent"),
        ("answered", "order-7", "desk"),
        ("lost", "order-8", "desk"),
        ("died", "order-9", "desk"),
    ):
        found[name] = lost(key=key)
        row = decided(found[name], person, executor=executor)
        addresses[f"closing, {name}"] = reverse("operation", args=[row.closing.number])
        if name == "lost":
            desk.control.tell(door="close", key=key, reply="lost")
        if name in ("answered", "lost"):
            sent(attempt_of(row))
        if name == "died":
            dispatch.claim(row.attempt_id, by="worker", now=now())
            dispatch.sweep(now=now() + timedelta(seconds=dispatch.LEASED_FOR + 1))
    found["shut"] = lost(key="order-10")
    told(found["shut"], channel="record", status=200, body=state("issued", ticket="T-1", key="order-10"))
    addresses |= {name: reverse("close_original", args=[number(made)]) for name, made in found.items()}
    addresses |= {f"original, {name}": reverse("operation", args=[number(made)]) for name, made in found.items()}
    return addresses


def look(seat, name, address):
    seat.goes(address)
    found = Axe().run(seat.page).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == [], name
    assert seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_closing_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium, live_server, person, desk, width, scheme
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in pages(person, desk).items():
        look(seat, name, address)
    made = lost(key="order-11")
    warned(made)
    look(seat, "warned", reverse("close_original", args=[number(made)]))
    look(seat, "original, warned", reverse("operation", args=[number(made)]))
    assert seat.complaints == []
    seat.page.context.close()


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def test_a_lost_request_is_closed_without_scripts_and_no_ticket_comes(chromium, live_server, person, desk, at_once):
    desk.control.tell(request="lost")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("operation", args=[number(made)]))
    seat.page.get_by_role("link", name="See what is sent").click()
    seat.page.get_by_label("This desk").check()
    seat.page.get_by_label("I know that").check()
    seat.page.get_by_role("button", name="Close the original").click()
    expect(seat.page.get_by_text("Sent once, and answered.")).to_be_visible()
    expect(seat.page.get_by_text("It ended without effect, for good; there is nothing left to close.")).to_be_visible()
    seat.page.get_by_role("link", name="its own page").click()
    expect(seat.page.get_by_text("it ended without effect, for good.")).to_be_visible()
    seat.page.context.close()
    desk.control.copy("p1")  # what was lost arrives after all
    assert desk.control.tickets(KEY) == []


def test_how_far_it_has_come_appears_by_itself(seat, desk, person):
    made = lost()
    row = decided(made, person)
    seat.goes(reverse("close_original", args=[number(made)]))
    expect(seat.page.get_by_text("Authorised, not sent yet")).to_be_visible()
    sent(attempt_of(row))
    seat.page.get_by_text("Sent once, and answered.").wait_for(timeout=20_000)
    expect(seat.page.locator("[hx-get*='close/progress']")).to_have_count(0)
