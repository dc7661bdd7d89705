"""Second signatures in a real browser: readable by everyone, quiet on the console, inside the policy, without scripts."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from escalation.decisions.second_signature import decline
from escalation.models import RecordRepair, SecondSignature, User
from escalation.policy import May, Role
from operations import models
from tests.browser.conftest import sit_down
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import HOUR, Made, operation
from tests.escalation.decisions.two_people import rule
from tests.escalation.people import with_role

MINUTE = timedelta(minutes=1)
HOSTILE = "<script>alert(1)</script>\u202e" + "W" * 150
DOORS = {"repair": "repair_record", "leave": "leave_unresolved", "repeat": "protected_repeat", "new": "new_operation"}


def made(now: datetime, name: str, kind: str) -> Made:
    """An operation at which one door is open."""
    found = operation(f"order-{name}", now=now - HOUR, parcel=name)
    if kind == "repair":
        found.issued(f"T-{name}", now=now - HOUR)
    elif kind == "new":
        found.recorded("closed", now=now - 30 * MINUTE)
    else:
        found.timed_out(now=now - 30 * MINUTE)
    return found


def typed(kind: str, one: Made, client: Client, *, words: str) -> dict[str, str]:
    """What the door's form is sent with."""
    carried = {"revision": str(one.row.revision), "once": str(uuid4())}
    if kind == "repair":
        return {**carried, "receipt": str(one.row.observations.get().id), "remark": words, "compared": "on"}
    if kind == "leave":
        later = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
        return {**carried, "fact": "whether_it_happened", "told": words[:250], "look_again_at": later, "remark": words}
    if kind == "repeat":
        return {**carried, "executor": "agent", "understood": "on"}
    request = {
        **carried,
        "identity": f"{one.identity}-b",
        "target": "/desks/West/tickets",
        "scope": "desk-west",
        "body": bytes(one.row.body or b"").decode(),
        "authority": words[:150],
        "because": words,
        "reference": "order 5512",
        "what_1": "West is open",
        "by_1": "Ada",
        "checked_1": "on",
        "compare": "1",
    }
    page = client.post(reverse("new_operation", args=[one.number]), request)
    del request["compare"]
    return {**request, "compared": page.context["compared"].digest}


def proposed(kind: str, one: Made, person: User, *, words: str = "The counter closes at four.") -> SecondSignature:
    """What a person proposed on the door's page."""
    client = Client()
    client.force_login(person)
    form = {**typed(kind, one, client, words=words), "propose": "1"}
    answer = client.post(reverse(DOORS[kind], args=[one.number]), form)
    assert answer.status_code == 302, answer.text
    return SecondSignature.objects.latest("id")


def pages(person: User) -> dict[str, str]:
    """Every page about second signatures by name: at the door, waiting, one's own, void, ended, hostile, none."""
    now = datetime.now(UTC)
    if not SecondSignature.objects.exists():
        filled(now, person)
    rows = {row.operation.identity.removeprefix("order-"): row for row in SecondSignature.objects.all()}
    at_doors = {
        f"door-{kind}": reverse(page, args=[rows[kind].operation.number])
        for kind, page in DOORS.items()
        if kind != "new"
    }
    return {
        "list": reverse("second_signatures"),
        "queue": reverse("queue"),
        "audit": reverse("audit"),
        "rules": reverse("rules"),
        **at_doors,
        "operation": reverse("operation", args=[rows["leave"].operation.number]),
        "record": reverse("record", args=[rows["declined"].operation.number]),
        **{f"sign-{name}": reverse("second_signature", args=[row.pk]) for name, row in rows.items()},
    }


def filled(now: datetime, person: User) -> None:
    """Fill the desk."""
    asha = with_role("a.rao", Role.OPERATOR, Role.AUTHORISER)
    for door in (May.REPAIR_RECORD, May.LEAVE_UNRESOLVED, May.REPEAT, May.AUTHORISE_NEW):
        rule(door)
    for kind in DOORS:
        proposed(kind, made(now, kind, kind), asha)
    proposed("leave", made(now, "hostile", "leave"), asha, words=HOSTILE)
    proposed("repair", made(now, "own", "repair"), person)
    void = made(now, "void", "leave")
    proposed("leave", void, asha)
    void.recorded("pending", now=now)
    declined = proposed("repair", made(now, "declined", "repair"), asha)
    decline(declined.pk, person=person, reason=HOSTILE, now=datetime.now(UTC))


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_second_signatures_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    seat.goes(reverse("second_signatures"))
    assert complaints_of(seat) == []
    for name, address in pages(person).items():
        seat.goes(address)
        assert complaints_of(seat) == [], name
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
    seat.page.context.close()
    assert seat.complaints == []


def test_one_proposes_and_another_signs_without_scripts(chromium: Any, live_server: Any, transactional_db: None):
    one = made(datetime.now(UTC), "Cedar", "repair")
    rule(May.REPAIR_RECORD)
    first, second = with_role("a.rao", Role.REVIEWER), with_role("b.lund", Role.REVIEWER)
    seat = sit_down(chromium, str(live_server), first, java_script_enabled=False)
    seat.goes(reverse("repair_record", args=[one.number]))
    page = seat.page
    page.locator("input[name=receipt]").check()
    page.get_by_label("I compared the lines above").check()
    page.get_by_role("button", name="Propose: Repair our record").click()
    expect(page.get_by_text("Repair our record: waits for a second signature.")).to_be_visible()
    page.get_by_role("link", name="Look at what was proposed").click()
    expect(page.get_by_role("button", name="Sign it")).to_have_count(0)
    expect(page.get_by_role("button", name="Take it back")).to_be_visible()
    page.context.close()
    assert not models.Decision.objects.exists()

    seat = sit_down(chromium, str(live_server), second, java_script_enabled=False)
    seat.goes(reverse("queue"))
    page = seat.page
    page.get_by_role("link", name="Look at what was proposed").click()
    page.get_by_role("link", name=f"Signature {SecondSignature.objects.get().pk}").click()
    expect(
        page.get_by_role("group", name="Filled in; it can't be changed here").locator("input:enabled")
    ).to_have_count(0)
    page.get_by_label("as it stands now").check()
    page.get_by_role("button", name="Sign it: Repair our record").click()
    expect(page.get_by_text("Signed. Our record is repaired.")).to_be_visible()
    page.context.close()
    row = SecondSignature.objects.get()
    assert (row.proposed_by, row.ended_by, row.ended_as) == (first, second, "signed")
    assert RecordRepair.objects.get().decided_by == second
