"""Looking after a case in a real browser, and its page read by everyone."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import Case
from operations.recording import calling
from tests.browser.conftest import sit_down
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import HOUR, Made, operation


def overdue(identity: str = "order-1001", parcel: str = "Cedar") -> Made:
    """An operation that has been unknown for too long, so that a person is called."""
    now = datetime.now(UTC)
    made = operation(identity, parcel=parcel, now=now - HOUR)
    made.timed_out(now=now - HOUR + timedelta(seconds=10))
    calling.call(now=now, most=10)
    return made


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_case_is_readable_by_everyone_and_says_nothing_on_the_console(chromium, live_server, person, width, scheme):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    made, ended, never = overdue(), overdue("order-2", "W" * 60), operation("order-3", now=datetime.now(UTC))
    ended.issued("T-1", now=datetime.now(UTC))
    for address in (
        *[reverse("case", args=[one.number]) for one in (made, ended, never)],
        reverse("operation", args=[made.number]),
        reverse("queue"),
    ):
        seat.goes(address)
        assert complaints_of(seat) == [], address
        assert seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, address
    seat.page.context.close()
    assert seat.complaints == []


def test_a_case_is_taken_noted_and_put_off_without_scripts(chromium, live_server, person):
    made = overdue()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    page = seat.page
    seat.goes(reverse("operation", args=[made.number]))
    expect(page.locator("#case").get_by_text("Nobody looks after it")).to_be_visible()
    page.get_by_role("button", name="I look after it").click()
    expect(page.locator("#case").get_by_text("looks after it").first).to_be_visible()
    page.get_by_role("link", name="Hand over, put off, note").click()
    page.get_by_label("For whoever looks after it").fill("Rang the counter, no answer.")
    page.get_by_role("button", name="Write it down").click()
    expect(page.get_by_text("Rang the counter, no answer.")).to_be_visible()
    page.get_by_label("Until, in UTC").fill(f"{datetime.now(UTC) + HOUR:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Put it off").click()
    expect(page.get_by_text("Put off until").first).to_be_visible()
    page.context.close()
    case = Case.objects.get(operation=made.id)
    assert case.owner == person
    assert case.snoozed_until is not None
