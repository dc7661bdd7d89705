"""The decision record and the audit list in a real browser: readable by everyone, printable, handed out as files."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.decisions.record_repair import repair_record
from escalation.decisions.taking import Taker
from escalation.models import User
from operations import models
from operations.core.actions import Action
from operations.models.identifiers import uuid7
from tests.browser.conftest import sit_down
from tests.browser.leaving import MINUTE, left, lost, torn
from tests.browser.test_screens import SIZES, complaints_of, done
from tests.escalation.building import HOUR, Made


def repaired(now: datetime, person: User) -> Made:
    """An operation whose record a person repaired."""
    made = done(now)
    taker = Taker(person=person, revision=made.row.revision, once=uuid4(), now=now - MINUTE)
    repair_record(made.id, taker, receipt=made.row.observations.get().id, remark="Read the ticket's number aloud.")
    return made


def hostile(now: datetime, person: User) -> Made:
    """Words that would run, turn around or reach beyond the page."""
    made = left(lost(now, "order-5005", parcel="Elm"), person, now=now, told="W" * 300)
    made.learns("words", now=now, words="\u202e<script>alert(1)</script> " + "V" * 400, by="agent")
    return made


def many(made: Made, *, count: int) -> None:
    """Decisions as rows alone."""
    one = models.Decision.objects.filter(operation=made.id).first()
    assert one is not None
    now = datetime.now(UTC) - 4 * HOUR
    rows = [
        models.Decision(
            id=uuid7(now),
            operation_id=made.id,
            door="leave_unresolved",
            action=Action.LEAVE_UNRESOLVED,
            once=uuid4(),
            revision=1,
            standing=one.standing,
            content=one.content,
            decided_at=now,
            decided_by="m.okafor",
            position=1_000 + number,
            digest=b"\0" * 32,
        )
        for number in range(count)
    ]
    models.Decision.objects.bulk_create(rows)


def screens(person: User) -> dict[str, str]:
    """The addresses, each with something on it."""
    now = datetime.now(UTC)
    kept = left(lost(now), person, now=now)
    numbers = {
        "record of a repair": repaired(now, person),
        "record left": kept,
        "record of a contradiction": torn(now),
        "record with hostile words": hostile(now, person),
    }
    found = {name: reverse("record", args=[made.number]) for name, made in numbers.items()}
    return {**found, "audit": reverse("audit"), "audit narrowed to nothing": reverse("audit") + "?person=nobody"}


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


def test_the_record_is_found_from_the_operation_and_handed_out(seat, person, tmp_path):
    made = repaired(datetime.now(UTC), person)
    seat.goes(reverse("operation", args=[made.number]))
    seat.page.get_by_role("link", name="The whole decision record").click()
    with seat.page.expect_download() as coming:
        seat.page.get_by_role("link", name="Download the record (JSON)").click()
    coming.value.save_as(tmp_path / "record.json")
    told = json.loads(Path(tmp_path / "record.json").read_text())
    assert told["original_operation"]["number"] == made.number
    assert told["unresolved_reason"]["unresolved"] is False


def test_on_paper_the_record_stands_alone(seat, person):
    made = repaired(datetime.now(UTC), person)
    seat.goes(reverse("record", args=[made.number]))
    seat.page.emulate_media(media="print")
    expect(seat.page.locator("header.top")).not_to_be_visible()
    expect(seat.page.get_by_role("link", name="Download the record (JSON)")).to_have_count(0)
    expect(seat.page.get_by_text("Decisions, and what each stood on")).to_be_visible()
    assert seat.page.pdf().startswith(b"%PDF")


def test_the_list_is_narrowed_in_the_address_without_scripts(chromium, live_server, person):
    now = datetime.now(UTC)
    left(lost(now), person, now=now)
    repaired(now, person)
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("audit"))
    expect(seat.page.locator("tbody tr")).to_have_count(3)
    seat.page.get_by_label("What", exact=True).select_option("leave_unresolved")
    seat.page.get_by_role("button", name="Narrow").click()
    assert "door=leave_unresolved" in seat.page.url
    expect(seat.page.locator("tbody tr")).to_have_count(1)
    seat.page.context.close()


def test_ten_thousand_acts_are_read_page_by_page(seat, person):
    now = datetime.now(UTC)
    many(left(lost(now), person, now=now), count=10_000)
    seat.goes(reverse("audit"))
    expect(seat.page.locator("tbody tr")).to_have_count(50)
    seat.page.get_by_role("link", name="Next page").click()
    expect(seat.page.locator("tbody tr")).to_have_count(50)
    expect(seat.page.get_by_role("link", name="Back to the first page")).to_be_visible()
    assert complaints_of(seat) == []
