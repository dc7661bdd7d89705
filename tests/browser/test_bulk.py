"""One thing done about many rows, views that are kept, and rows together, in a real browser: readable, quiet, inside it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import Case, SavedView, User
from escalation.policy import Role
from operations.recording import calling
from tests.browser.conftest import Seat, sit_down
from tests.browser.test_people import HOSTILE, LONG, looked_at, readable
from tests.browser.test_screens import SIZES
from tests.escalation.building import HOUR, contract_of, operation
from tests.escalation.people import with_role

MINUTE = timedelta(minutes=1)
EVIL = "?recipient=evil"


def waiting(person: User, *, now: datetime) -> None:
    """Rows of two recipients, calm and hostile, and views of everybody's and of one's own."""
    evil = contract_of(key="evil", name=HOSTILE)
    for at, (contract, effect) in enumerate([(None, ""), (evil, HOSTILE), (evil, "W" * 200), (evil, "")]):
        made = operation(f"order-{at}", parcel=f"P{at}x", contract=contract, effect=effect, now=now - 2 * HOUR)
        made.timed_out(now=now - 2 * HOUR + MINUTE)
    issued = operation("order-9", parcel="Birch", now=now - 2 * HOUR)
    issued.issued("T-1", now=now - HOUR)
    calling.call(now=now, most=10)
    theirs = with_role(LONG, Role.REVIEWER)
    kept = {"saved_at": now, "query": EVIL}
    SavedView.objects.create(owner=theirs, name="W" * 60, shared=True, **kept)
    SavedView.objects.create(owner=person, name=HOSTILE[:60], **kept)


def bulk(seat: Seat) -> None:
    """Everything that is open on the queue; rows that are ticked and something is done about, and what is refused."""
    page = seat.page
    seat.goes(reverse("queue") + EVIL)
    if page.locator(".menu[open]").count() == 0:
        page.locator(".menu > summary").click()
    page.locator("#keep-view > summary").click()
    page.locator("#many-acts > summary").click()
    readable(seat, "queue-open")
    page.get_by_role("button", name="Write it down").click()
    readable(seat, "refused")
    seat.complaints.clear()  # the browser tells of the answer 422
    seat.goes(reverse("queue"))
    for tick in page.locator("input[name=row]").all():
        tick.check()
    page.locator("#many-acts > summary").click()
    readable(seat, "queue-ticked")
    page.get_by_role("button", name="I look after them").click()
    assert "Not for this one: 1" in page.inner_text("main")
    readable(seat, "did")


def keeps(seat: Seat) -> None:
    """What the queue is narrowed to, kept under a name and found again."""
    page = seat.page
    seat.goes(reverse("queue") + EVIL)
    if page.locator(".menu[open]").count() == 0:
        page.locator(".menu > summary").click()
    page.locator("#keep-view > summary").click()
    page.get_by_label("Name", exact=True).fill("x" * 60)
    page.get_by_role("button", name="Keep it").click()
    assert SavedView.objects.filter(name="x" * 60).exists()
    readable(seat, "kept")


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_what_is_done_about_many_rows_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    size = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    seat = sit_down(chromium, str(live_server), person, **size)
    looked_at(seat, {"empty-grouped": reverse("queue_grouped"), "empty-all": reverse("queue_all")})
    waiting(person, now=datetime.now(UTC))
    looked_at(seat, {"grouped": reverse("queue_grouped"), "grouped-evil": reverse("queue_grouped") + EVIL})
    looked_at(seat, {"all": reverse("queue_all") + EVIL})
    bulk(seat)
    keeps(seat)
    seat.page.context.close()
    assert seat.complaints == []


def test_the_field_of_whom_many_rows_are_handed_to_names_who_may_look_after_them_and_they_get_them(seat: Seat):
    mira, now = with_role("mira", Role.REVIEWER), datetime.now(UTC)
    with_role("vic", Role.VIEWER)
    for at in range(2):
        operation(f"order-{at}", now=now - HOUR).timed_out(now=now - HOUR + MINUTE)
    calling.call(now=now, most=10)
    page = seat.page
    seat.goes(reverse("queue"))
    named = page.locator("#many-people option")
    expect(named).to_have_count(0)
    page.locator("#many-acts > summary").click()
    expect(named).to_have_count(2)
    assert [one.get_attribute("value") for one in named.all()] == ["m.okafor", "mira"]
    for tick in page.locator("input[name=row]").all():
        tick.check()
    page.get_by_label("Who looks after them").fill("mira")
    page.get_by_role("button", name="Hand them over").click()
    expect(page.locator("main")).to_contain_text("Done: 2")
    assert list(Case.objects.values_list("owner", flat=True)) == [mira.pk] * 2
