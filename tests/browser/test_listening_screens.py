"""Unmatched messages and what people take down, in a real browser: readable by everyone, usable by keys, quiet."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.decisions.inspection import Taken, reject, take_down
from escalation.models import Inspection, User
from escalation.policy import Role
from operations import inspecting, listening, models
from operations.recording import messages
from tests.browser.conftest import Seat, sit_down
from tests.browser.test_screens import SIZES, complaints_of, lost
from tests.escalation.building import Made, contract_of, operation
from tests.escalation.people import with_role
from tests.operations.told import may_tell, told

HOSTILE = "<script>alert(1)</script>\u202e" + "W" * 200
# Where pictures go when somebody wants to look at them.
PICTURES = os.environ.get("PICTURES", "")


@pytest.fixture(autouse=True)
def _signs(monkeypatch):
    may_tell(monkeypatch)


def orphan(now: datetime, **data: object) -> models.Message:
    contract_of()
    body = json.dumps({"type": "operation.issued", "data": data}).encode()
    return models.Message.objects.get(id=told(body, now=now, event_id=f"msg_{uuid4().hex}").message_id)


def taken(now: datetime, **more: object) -> Taken:
    typed = {"/body/state": "issued", "/body/ticket": "T-1001", "/body/key": "order-1001"}
    typed |= {"/body/place": "East", "/body/parcel": "Cedar"}
    said = [("State", "issued"), ("Ticket number", "T-1001"), ("Request number", "order-1001"), ("Place", None)]
    given = {"channel": "counter", "typed": typed, "said": said, "read_at": now, "notes": "", "once": uuid4()}
    return Taken(**{**given, **more})  # type: ignore[arg-type]


def taken_down(made: Made, person: User, now: datetime, **more: object) -> Inspection:
    return take_down(made.id, taken(now, **more), person=person, now=now)


def screens() -> list[tuple[str, str]]:
    """Every screen of these, by name and address, each with something on it."""
    now = datetime.now(UTC)
    plain, other = orphan(now, key="order-7707"), orphan(now, key=HOSTILE, ticket={"number": HOSTILE})
    aside = orphan(now, key="order-1")
    listening.dismiss(aside.id, by="m.okafor", remark=f"Of another system. {HOSTILE}", now=now)
    messages.note_refused(
        plain.recipient_id, because="No signature was made with the secret of this recipient.", now=now
    )
    made, mira = lost(now), with_role("mira.long-name-of-a-reviewer", Role.REVIEWER)
    picture = inspecting.Attachment(content=b"x", name="ledger page.png", type="image/png")
    waiting = taken_down(made, mira, now, notes="Read out by the clerk at the counter.", attachment=picture)
    rejected = taken_down(made, mira, now, said=[("State", HOSTILE)])
    reject(rejected.id, person=mira, because=HOSTILE, now=now)
    return [
        ("orphans", reverse("orphans")),
        ("orphans-aside", reverse("orphans") + "?dismissed=1"),
        ("orphan", reverse("orphan", args=[plain.id])),
        ("orphan-hostile", reverse("orphan", args=[other.id])),
        ("inspect", reverse("inspect", args=[made.number])),
        ("observe", reverse("observe", args=[made.number])),
        ("inspection-waits", reverse("inspection", args=[made.number, waiting.id])),
        ("inspection-aside", reverse("inspection", args=[made.number, rejected.id])),
        ("operation", reverse("operation", args=[made.number])),
    ]


def looked_at(seat: Seat, name: str) -> None:
    """Keep a picture of the page, if somebody asked for pictures."""
    if PICTURES:
        seat.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_every_screen_is_readable_by_everyone_and_says_nothing_on_the_console(
    chromium, live_server, person, width, scheme
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in screens():
        seat.goes(address)
        looked_at(seat, f"{name}-{width}-{scheme}")
        assert complaints_of(seat) == [], address
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{address} is {wide} px wider than the window"
    seat.page.context.close()
    assert seat.complaints == []


@pytest.mark.parametrize(("rows", "name"), [(0, "none"), (60, "many")])
def test_the_list_of_unmatched_messages_is_readable_with_no_row_and_with_many(seat, rows, name):
    now = datetime.now(UTC)
    contract_of()
    for number in range(rows):
        orphan(now, key=f"order-{number}")
    seat.goes(reverse("orphans"))
    looked_at(seat, f"orphans-{name}")
    expect(seat.page.locator("tbody tr")).to_have_count(min(rows, 50))
    assert complaints_of(seat) == []


def filled(seat: Seat, *, press: Callable[[], None]) -> None:
    """What is shown at the counter, typed by keys alone."""
    page = seat.page
    page.get_by_label("issued", exact=True).focus()
    page.keyboard.press("Space")
    for label, value in (
        ("Ticket number", "T-1001"),
        ("Request number", "order-1001"),
        ("Place", "East"),
        ("Parcel", "Cedar"),
    ):
        page.locator("main").get_by_label(label).focus()
        page.keyboard.type(value)
    earlier = datetime.now(UTC) - timedelta(minutes=1)
    page.get_by_label("When you read it").fill(f"{earlier:%Y-%m-%dT%H:%M:%S}")
    with page.expect_navigation():
        press()


def test_one_person_takes_down_and_another_confirms(seat, chromium, live_server):
    made = operation(now=datetime.now(UTC) - timedelta(hours=1))
    seat.goes(reverse("observe", args=[made.number]))
    seat.page.get_by_role("link", name="Take down what was read").click()
    seat.page.wait_for_url("**/inspect")
    expect(seat.page.locator("input:checked")).to_have_count(0)
    filled(seat, press=lambda: seat.page.get_by_role("button", name="Take it down").press("Enter"))
    expect(seat.page.get_by_text("waits for a second person. Until then")).to_be_visible()
    expect(seat.page.get_by_role("button", name="Confirm it")).to_have_count(0)
    other = sit_down(chromium, str(live_server), with_role("omar", Role.REVIEWER))
    other.goes(reverse("inspection", args=[made.number, Inspection.objects.get().id]))
    other.page.get_by_label("I looked there myself").check()
    with other.page.expect_navigation():
        other.page.get_by_role("button", name="Confirm it").click()
    expect(other.page.locator("#panels").get_by_text("Yes, not in our books")).to_be_visible()
    other.page.context.close()
    assert other.complaints == []
    assert made.row.evidence == "applied"


def test_what_was_typed_wrong_stays_typed(seat):
    made = operation(now=datetime.now(UTC) - timedelta(hours=1))
    seat.goes(reverse("inspect", args=[made.number]))
    page = seat.page
    page.get_by_label("something else", exact=True).check()
    page.locator("main").get_by_label("Request number").fill("order-9")
    page.get_by_label("When you read it").fill("2999-01-01T00:00:00")
    with page.expect_navigation():
        page.get_by_role("button", name="Take it down").click()
    expect(page.get_by_text("That time is still to come.")).to_be_visible()
    expect(page.get_by_text("State: type what is shown there instead.")).to_be_visible()
    assert page.locator("main").get_by_label("Request number").input_value() == "order-9"
    assert page.get_by_label("something else", exact=True).is_checked()
    assert complaints_of(seat) == []
    looked_at(seat, "inspect-refused")
    seat.complaints.clear()  # the browser tells of the 422


def test_on_a_telephone_every_cell_is_wide_enough_for_words(chromium, live_server, person):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": 390, "height": 900})
    orphan(datetime.now(UTC), key=HOSTILE, ticket={"number": "T-1"})
    seat.goes(reverse("orphans"))
    looked_at(seat, "orphans-telephone")
    widths = seat.page.evaluate(
        "[...document.querySelectorAll('.orphans td > *')].map(one => one.parentElement.offsetWidth)"
    )
    assert min(widths) > 250, widths
    seat.page.context.close()
    assert seat.complaints == []
