"""Authorising a new operation, in a real browser: open, compared, wrong, excused, locked, and both pages after it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import NewOperation, User
from tests.browser.conftest import Seat, sit_down
from tests.browser.leaving import lost
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import HOUR, Made
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.successors import authorised, closed

MINUTE = timedelta(minutes=1)


def screens(person: User) -> dict[str, str]:
    """The addresses of the door, open, excused and shut, and of both operations after it."""
    now = datetime.now(UTC)
    open_one = closed(now=now - HOUR)
    excused, shut = lost(now, "order-3003", parcel="Ash"), lost(now, "order-4004", parcel="Elm")
    accepted(excused, User.objects.create_user("mira", is_superuser=True), owner(), now=now - MINUTE)
    done = closed("order-5005", now=now - HOUR, parcel="W" * 120)
    row = authorised(done, person, "order-6006", now=now)
    return {
        "open": reverse("new_operation", args=[open_one.number]),
        "excused": reverse("new_operation", args=[excused.number]),
        "locked": reverse("new_operation", args=[shut.number]),
        "shut by a successor": reverse("new_operation", args=[done.number]),
        "original": reverse("operation", args=[done.number]),
        "successor": reverse("operation", args=[row.successor.number]),
        "excused original": reverse("operation", args=[excused.number]),
    }


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_every_screen_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium, live_server, person, width, scheme
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in screens(person).items():
        seat.goes(address)
        assert complaints_of(seat) == [], name
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
    made = closed("order-7007", now=datetime.now(UTC) - HOUR, parcel="Yew")
    compares(seat, made)
    assert complaints_of(seat) == [], "compared"
    wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"compared is {wide} px wider than the window"
    seat.page.context.close()
    assert seat.complaints == []


def compares(seat: Seat, made: Made) -> None:
    """A person types a new request for another parcel and compares it."""
    page = seat.page
    seat.goes(reverse("operation", args=[made.number]))
    page.get_by_role("link", name="Compare and authorise").click()
    page.get_by_label("Its own request number").fill("order-9009")
    page.get_by_label("Body (").fill('{"parcel": "Birch"}')
    page.get_by_label("Who allowed it").fill("Ada Brandt, counter lead")
    page.get_by_role("button", name="Compare with the original").click()


def test_a_new_request_is_compared_and_authorised_without_scripts(chromium, live_server, person):
    made = closed(now=datetime.now(UTC) - HOUR)
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    compares(seat, made)
    page = seat.page
    table = page.get_by_role("region", name="What differs from the original")
    for said in ("order-1001", "order-9009", '"Cedar"', '"Birch"'):
        expect(table.get_by_text(said).first).to_be_visible()
    assert page.get_by_label("Who allowed it").input_value() == "Ada Brandt, counter lead"
    assert not NewOperation.objects.exists()
    page.get_by_label("Why another one is wanted").fill("The customer still waits.")
    page.get_by_label("Reference (").fill("order 5512")
    page.get_by_label("Condition 1", exact=True).fill("No ticket for Birch is open")
    page.get_by_label("Checked by").first.fill("Mira")
    page.get_by_label("condition 1 holds").check()
    page.get_by_role("button", name="Authorise the new request").click()
    expect(page).to_have_url(seat.address + reverse("operation", args=[made.number]))
    row = NewOperation.objects.get()
    page.locator("#banner").get_by_role("link", name=f"operation {row.successor.number}").click()
    expect(page.get_by_text("It was authorised, and nothing was sent of it yet.")).to_be_visible()
    page.locator("#banner").get_by_role("link", name=f"operation {made.number}").click()
    expect(page.locator("#banner").get_by_text("It is still open.").first).to_be_visible()
    page.context.close()
    assert bytes(row.successor.body or b"") == b'{"parcel": "Birch"}'
