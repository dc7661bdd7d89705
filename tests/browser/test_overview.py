"""The overview in a real browser: readable by everyone, quiet on the console, without scripts, and whole on paper."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import User
from operations import models
from operations.recording import calling
from operations.recording.tallying import Ended, tally
from tests.browser.conftest import sit_down
from tests.browser.test_screens import SIZES, complaints_of, lost
from tests.escalation.building import HOUR

MINUTE = timedelta(minutes=1)


def filled() -> None:
    """Cases that ended and that didn't, with a recipient of a long and hostile name."""
    now = datetime.now(UTC)
    for parcel in ("Cedar", "Birch", "Fir"):
        lost(now, identity=f"order-{parcel}", parcel=parcel)
    calling.call(now=now - HOUR, most=10)
    settled = lost(now, identity="order-Ash", parcel="Ash")
    calling.call(now=now - HOUR, most=10)
    settled.issued("T-1", now=now - 30 * MINUTE)
    recipient = models.Recipient.objects.get()
    models.Recipient.objects.update(name="<script>alert(1)</script>\u202e" + "W" * 150)
    tally([Ended(recipient_id=recipient.pk, at=now, answered=True), Ended(recipient_id=recipient.pk, at=now)])


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_overview_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for fill, query in (
        (False, ""),
        (True, ""),
        (True, "?from=30d&recipient=collection-desk"),
        (True, "?from=nonsense"),
    ):
        if fill and not models.Recipient.objects.exists():
            filled()
        seat.goes(reverse("overview") + query)
        seat.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert complaints_of(seat) == [], query
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{query} is {wide} px wider than the window"
    seat.page.context.close()
    # The browser itself tells of the page that was refused.
    assert [one for one in seat.complaints if "422" not in one] == []


def test_figures_are_unfolded_without_scripts_and_stand_on_paper(chromium: Any, live_server: Any, person: User):
    filled()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("overview"))
    page = seat.page
    table = page.get_by_role("region", name="Table: Unresolved, by age")
    expect(table).not_to_be_visible()
    page.emulate_media(media="print")
    expect(table).to_be_visible()
    expect(page.get_by_role("button", name="Show")).not_to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_text("Table: Unresolved, by age").click()
    expect(table.get_by_role("row", name="1 h to 4 h 3")).to_be_visible()
    page.get_by_role("link", name="last 24 h").click()
    assert page.url.endswith("/overview?from=24h")
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV: Time to resolution").click()
    assert file.value.suggested_filename == "overview-took.csv"
    page.context.close()
    assert seat.complaints == []
