"""The screens in a real browser: readable by everyone, quiet on the console, inside the policy, usable by keys."""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import RecordRepair
from tests.browser.conftest import Seat, sit_down
from tests.escalation.building import HOUR, Made, operation

MINUTE = timedelta(minutes=1)
# Each width and each scheme once; UNRESOLVED_BROWSER=all has every width in every scheme, which takes twice as long.
SIZES = [(1440, "light"), (390, "dark")]
if os.environ.get("UNRESOLVED_BROWSER") == "all":
    SIZES += [(1440, "dark"), (390, "light")]


def lost(now: datetime, *, identity: str = "order-1001", parcel: str = "Cedar") -> Made:
    """An operation whose reply was lost, two hours ago."""
    made = operation(identity, now=now - 2 * HOUR, parcel=parcel, deadline=now + 3 * HOUR)
    made.timed_out(now=now - 2 * HOUR + MINUTE)
    return made


def done(now: datetime) -> Made:
    """An operation that happened, which our record doesn't show."""
    made = operation("order-2002", now=now - 2 * HOUR, parcel="Birch")
    made.issued("T-1001", now=now - HOUR)
    return made


def screens() -> list[str]:
    """The addresses of every screen, each with something on it."""
    now = datetime.now(UTC)
    first, second = lost(now), done(now)
    torn = operation("order-3003", now=now - 2 * HOUR, parcel="Ash", effect="<script>alert(1)</script>" + "W" * 200)
    torn.issued("T-3", now=now - HOUR)
    torn.recorded("closed", now=now - MINUTE)
    torn.learns("words", now=now, words="\u202eIt \u05d0\u05d1 failed. " * 500, by="agent")
    numbers = [first.number, second.number, torn.number]
    return [
        reverse("queue"),
        reverse("queue") + "?text=nowhere",
        *[reverse("operation", args=[number]) for number in numbers],
        *[reverse("repair_record", args=[number]) for number in numbers],
        *[reverse("observe", args=[number]) for number in numbers],
    ]


def complaints_of(seat: Seat) -> list[str]:
    """What axe finds against WCAG on the page before this person."""
    found: dict[str, Any] = Axe().run(seat.page).response
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_every_screen_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium, live_server, person, width, scheme
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for address in screens():
        seat.goes(address)
        assert complaints_of(seat) == [], address
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{address} is {wide} px wider than the window"
    seat.page.context.close()
    assert seat.complaints == []


def test_the_policy_stops_a_script_that_somebody_got_onto_the_page(seat):
    seat.goes(reverse("queue"))
    seat.page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.ran = 1'; document.body.append(one) }"
    )
    assert seat.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in complaint for complaint in seat.complaints)
    seat.complaints.clear()


def test_keys_lead_through_the_desk(seat):
    now = datetime.now(UTC)
    lost(now)
    lost(now, identity="order-2002", parcel="Birch")
    seat.goes(reverse("queue"))
    page = seat.page
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"
    page.locator("#main").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("a[data-row]").first
    assert first.evaluate("one => one === document.activeElement")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "/operations/" in page.url
    page.keyboard.press("g")
    with page.expect_navigation():
        page.keyboard.press("q")
    expect(page).to_have_url(seat.address + reverse("queue"))


def test_what_is_learnt_meanwhile_appears_and_what_was_opened_stays_open(seat):
    now = datetime.now(UTC)
    made = lost(now)
    seat.goes(reverse("operation", args=[made.number]))
    page = seat.page
    page.locator("#raw-1 > summary").click()
    made.issued("T-1001", now=datetime.now(UTC))
    page.locator("#o2").wait_for(timeout=20_000)
    expect(page.locator("#panels").get_by_text("Yes, not in our books")).to_be_visible()
    expect(page.locator("#doors").get_by_role("link", name="Compare and confirm")).to_be_visible()
    assert page.locator("#raw-1").get_attribute("open") is not None


def test_a_page_that_nobody_looks_at_asks_nothing(seat):
    seat.goes(reverse("operation", args=[lost(datetime.now(UTC)).number]))
    page = seat.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/static/" not in request.url else None)
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    page.wait_for_timeout(7000)
    assert asked == []


def test_a_desk_that_no_longer_answers_is_not_shown_as_fresh(seat):
    seat.goes(reverse("queue"))
    page = seat.page
    page.route("**/queue/revision*", lambda route: route.abort())
    page.get_by_text("The desk does not answer.").wait_for(timeout=20_000)
    seat.complaints.clear()  # the browser tells of the request that failed


def test_who_was_signed_out_meanwhile_is_told_so_and_keeps_what_was_shown(seat):
    made = lost(datetime.now(UTC))
    seat.goes(reverse("operation", args=[made.number]))
    page = seat.page
    page.context.clear_cookies()
    page.get_by_text("You are signed out").wait_for(timeout=20_000)
    expect(page.get_by_label("User name")).to_have_count(0)
    expect(page.locator("#panels").get_by_text("We don't know")).to_be_visible()


def test_what_is_new_is_offered_and_nothing_moves_under_the_cursor(seat):
    made = lost(datetime.now(UTC))
    seat.goes(reverse("queue"))
    page = seat.page
    page.locator("input[name=row]").check()
    page.keyboard.press("j")
    lost(datetime.now(UTC), identity="order-2002", parcel="Birch")
    made.failed(now=datetime.now(UTC))
    page.get_by_text("1 new.").wait_for(timeout=20_000)
    expect(page.locator("tr.changed[data-row-of]")).to_have_count(1)
    expect(page.locator("a[data-row]")).to_have_count(1)
    assert page.evaluate("document.activeElement.id") == f"row-{made.number}"
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("parcel Birch")).to_be_visible()
    expect(page.locator("#newer")).to_be_hidden()


def test_a_record_is_repaired_without_scripts(chromium, live_server, person):
    made = done(datetime.now(UTC))
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("queue"))
    page = seat.page
    page.get_by_role("link", name="Repair our record").click()
    page.get_by_role("radio").check()
    page.get_by_label("Remark").fill("Compared.")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Repair our record").click()
    expect(page).to_have_url(seat.address + reverse("operation", args=[made.number]))
    expect(page.get_by_text("Our record is repaired. Nothing was sent.")).to_be_visible()
    page.context.close()
    assert RecordRepair.objects.get().remark == "Compared."


def test_the_readers_own_time_stands_beside_utc(chromium, live_server, person):
    made = lost(datetime.now(UTC))
    seat = sit_down(chromium, str(live_server), person, timezone_id="Asia/Tokyo", locale="en-GB")
    seat.goes(reverse("operation", args=[made.number]))
    assert "UTC · " in (seat.page.locator("time").first.get_attribute("title") or "")
    seat.page.locator("#raw-1 > summary").click()
    assert "here)" in seat.page.locator("time[data-here]").first.inner_text()
    seat.page.context.close()
