"""The queue in a real browser: every row of it is two lines high, and no request is cut off, wide or narrow."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from operations.core.facts import Sends
from tests.browser.conftest import sit_down
from tests.escalation.building import HOUR, operation
from tests.escalation.contradictions import refused

TALLEST = 48
HEIGHTS = "() => [...document.querySelectorAll('table.queue tr:has([data-row])')].map(row => row.offsetHeight)"
CUT = (
    "() => [...document.querySelectorAll('table.queue a[data-row] bdi')].filter("
    "one => one.getBoundingClientRect().right > one.closest('td').getBoundingClientRect().right + 1).length"
)


@pytest.fixture
def rows(person):
    """The longest answers that there are: done and maybe again, not there when last read, under way, ruled out."""
    now = datetime.now(UTC)
    for number, name in enumerate(("happened twice", "not there", "under way", "refused", "contradicted", "lost")):
        identity, parcel, begun = f"order-{number}", f"Juniper {number}", now - 2 * HOUR
        made = operation(identity, parcel=parcel, now=begun, sealed=name != "happened twice", sends=Sends.MANY)
        made.timed_out(now=begun + timedelta(minutes=1))
        at = now - timedelta(minutes=5)
        if name in {"happened twice", "contradicted"}:
            made.issued("T-1", now=at)
        if name == "contradicted":
            made.recorded("closed", now=at + timedelta(minutes=1))
        if name == "under way":
            made.recorded("pending", now=at)
        if name == "refused":
            refused(made, now=at)
        if name == "not there":
            body = {"type": "urn:collection-desk:no-such-record", "state": "absent", "key": identity}
            body |= {"as_of": f"{at:%Y-%m-%dT%H:%M:%S}.000Z"}
            made.learns("record", now=at, asked_at=at - timedelta(seconds=1), status=404, body=body, by="desk")


def test_every_row_is_two_lines_high(rows, seat):
    seat.goes(reverse("queue"))
    heights = seat.page.evaluate(HEIGHTS)
    assert len(heights) == 6
    assert max(heights) <= TALLEST, heights
    assert "Done, may happen again" in seat.page.inner_text("table.queue")
    assert "Not there when last read" in seat.page.inner_text("table.queue")


@pytest.mark.parametrize("width", [1440, 390])
def test_no_request_is_cut_off(rows, chromium, live_server, person, width):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900})
    seat.goes(reverse("queue"))
    assert seat.page.evaluate(CUT) == 0
    assert seat.page.evaluate("() => document.querySelector('table.queue').scrollWidth <= innerWidth")
    seat.page.context.close()
