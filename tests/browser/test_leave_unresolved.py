"""Stopping here, outcome unknown, and both statements of a contradiction, in a real browser."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.models import LeftUnresolved, User
from operations.core.missing import Fact
from tests.browser.conftest import Seat, sit_down
from tests.browser.leaving import came_back, contradicted, left, lost, torn
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import HOUR


def screens(person: User) -> dict[str, str]:
    """The addresses of the two doors, open and shut, and of the screens on which they show."""
    now = datetime.now(UTC)
    open_one, kept = lost(now), left(lost(now, "order-2002", parcel="Birch"), person, now=now)
    two, back, again = torn(now), came_back(now, person), contradicted(now)
    long = left(torn(now, "order-6006", parcel="Elm"), person, now=now, fact=Fact.WHICH_STATEMENT_HOLDS, told="W" * 300)
    done = lost(now, "order-7007", parcel="Yew")
    done.issued("T-1007", now=now)
    return {
        "leave open": reverse("leave_unresolved", args=[open_one.number]),
        "leave again": reverse("leave_unresolved", args=[kept.number]),
        "leave a contradiction": reverse("leave_unresolved", args=[two.number]),
        "leave locked": reverse("leave_unresolved", args=[done.number]),
        "conflict": reverse("conflict", args=[two.number]),
        "conflict left": reverse("conflict", args=[long.number]),
        "conflict of our record": reverse("conflict", args=[again.number]),
        "conflict none": reverse("conflict", args=[open_one.number]),
        "operation left": reverse("operation", args=[kept.number]),
        "operation changed since": reverse("operation", args=[back.number]),
        "operation in a contradiction": reverse("operation", args=[two.number]),
        "operation reopened": reverse("operation", args=[again.number]),
        "operation left with long words": reverse("operation", args=[long.number]),
        "queue": reverse("queue"),
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
    seat.page.context.close()
    assert seat.complaints == []


def leaves(seat: Seat, number: int) -> None:
    """A person leaves one operation through the form."""
    page = seat.page
    seat.goes(reverse("operation", args=[number]))
    page.get_by_role("link", name="Say what is missing").click()
    page.get_by_role("radio", name="Whether it happened").check()
    page.get_by_label("Who was told").fill("Ada Brandt")
    page.get_by_label("Look again at").fill(f"{datetime.now(UTC) + 22 * HOUR:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Stop here, outcome unknown").click()


def test_an_outcome_is_left_without_scripts_and_stands_apart_in_the_queue(chromium, live_server, person):
    made = lost(datetime.now(UTC))
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    leaves(seat, made.number)
    page = seat.page
    expect(page).to_have_url(seat.address + reverse("operation", args=[made.number]))
    expect(page.get_by_text("The outcome is still unknown; nothing was sent.")).to_be_visible()
    expect(page.locator("#banner").get_by_text("Left unresolved by m.okafor until")).to_be_visible()
    seat.goes(reverse("queue"))
    expect(
        page.get_by_text("Left unresolved or put off until a time that was set, outcome unknown · 1")
    ).to_be_visible()
    expect(page.get_by_text("need a person")).to_have_count(0)
    page.context.close()
    assert LeftUnresolved.objects.get().told == "Ada Brandt"


def test_what_is_learnt_meanwhile_supersedes_it_before_ones_eyes(seat):
    made = lost(datetime.now(UTC))
    leaves(seat, made.number)
    made.issued("T-1001", now=datetime.now(UTC))
    seat.page.locator("#banner").get_by_text("Changed since m.okafor left it unresolved").wait_for(timeout=20_000)
    expect(seat.page.locator("#doors").get_by_role("link", name="Compare and confirm")).to_be_visible()


def test_a_contradiction_is_followed_from_the_banner_to_the_report(seat, tmp_path):
    made = torn(datetime.now(UTC))
    seat.goes(reverse("operation", args=[made.number]))
    page = seat.page
    page.locator("#banner").get_by_role("link", name="See both statements").click()
    expect(page.get_by_role("article")).to_have_count(2)
    with page.expect_download() as coming:
        page.get_by_role("link", name="Download the report").click()
    coming.value.save_as(tmp_path / "report.json")
    assert coming.value.suggested_filename == f"conflict-{made.number}.json"
    told = json.loads(Path(tmp_path / "report.json").read_text())
    assert [one["says"] for one in told["statements"]] == ["applied", "closed"]


def test_on_paper_the_statements_stand_alone(seat):
    made = torn(datetime.now(UTC))
    seat.goes(reverse("conflict", args=[made.number]))
    page = seat.page
    page.emulate_media(media="print")
    expect(page.get_by_role("article").first).to_be_visible()
    expect(page.get_by_role("link", name="Download the report")).to_have_count(0)
    expect(page.locator("header.top")).not_to_be_visible()
    assert page.pdf().startswith(b"%PDF")
