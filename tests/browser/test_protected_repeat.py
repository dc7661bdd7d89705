"""The page of a repeat in a real browser: readable by everyone, quiet, inside the window, without scripts."""

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse
from playwright.sync_api import expect

from escalation.celery import app
from operations import dispatch, models
from operations.recording import Report
from operations.reporting import report
from tests.browser.conftest import sit_down
from tests.escalation.closings import attempt_of
from tests.escalation.repeats import repeated as decided
from tests.operations.dispatching import KEY, lost, may_send, now, sent
from tests.operations.rows import BY
from tests.recipients.fixtures import collection_desk

__all__ = ["collection_desk"]
SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture
def desk(collection_desk, monkeypatch, transactional_db):
    """The recipient, which this desk may send to."""
    may_send(collection_desk, monkeypatch)
    return collection_desk


def number(made):
    return models.Operation.objects.get(id=made).number


def unsent(key):
    made = lost(key=key)
    told = Report(event="w", channel="wire", received_at=now(), authentic=True, attempt="a1", fact="not_sent")
    report(made, told, now=now(), source=BY)
    return made


def pages(person):
    """Addresses by name: open, another scope, a first send, shut, waiting, granted, answered, died on the way."""
    found = {"open": lost(), "scope": lost(key="order-2", scope="account two"), "first": unsent("order-3")}
    found["shut"] = lost(key="order-4", sealed=False)
    for name, key, executor in (
        ("waiting", "order-5", "desk"),
        ("granted", "order-6", "agent"),
        ("answered", "order-7", "desk"),
        ("died", "order-8", "desk"),
    ):
        found[name] = lost(key=key)
        row = decided(found[name], person, executor=executor)
        if name == "answered":
            sent(attempt_of(row))
        if name == "died":
            dispatch.claim(attempt_of(row), by="worker", now=now())
            dispatch.sweep(now=now() + timedelta(seconds=dispatch.LEASED_FOR + 1))
    return {name: reverse("protected_repeat", args=[number(made)]) for name, made in found.items()}


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_a_repeat_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium, live_server, person, desk, width, scheme
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in pages(person).items():
        seat.goes(address)
        found = Axe().run(seat.page).response["violations"]
        assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == [], name
        assert seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
    assert seat.complaints == []
    seat.page.context.close()


@pytest.fixture
def at_once():
    """The worker's work is done where it is asked for."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def test_a_lost_reply_is_repeated_without_scripts_and_there_is_one_ticket(chromium, live_server, person, desk, at_once):
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("operation", args=[number(made)]))
    seat.page.get_by_role("link", name="See the exact bytes").click()
    seat.page.get_by_label("This desk").check()
    seat.page.get_by_label("I know that").check()
    seat.page.get_by_role("button", name="Repeat the same request").click()
    expect(seat.page.get_by_text("Sent once, and answered.")).to_be_visible()
    expect(seat.page.get_by_text("It happened; there is nothing left to send.").first).to_be_visible()
    seat.page.context.close()
    assert len(desk.control.tickets(KEY)) == 1


def test_how_far_it_has_come_appears_by_itself(seat, desk, person):
    made = lost()
    decided(made, person, executor="desk")
    seat.goes(reverse("protected_repeat", args=[number(made)]))
    expect(seat.page.get_by_text("Authorised, not sent yet")).to_be_visible()
    sent(models.Dispatch.objects.get().attempt_id)
    seat.page.get_by_text("Sent once, and answered.").wait_for(timeout=20_000)
    expect(seat.page.locator("[hx-get*='repeat/progress']")).to_have_count(0)
