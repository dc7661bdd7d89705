"""The contracts in a real browser: readable by everyone, quiet on the console, inside the policy, without scripts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.urls import reverse
from playwright.sync_api import expect

from escalation.decisions.contract_draft import begin_contract_draft
from escalation.models import User
from operations import models, versions
from operations.contracts.loading import library, library_text
from operations.recording.publishing import publish
from tests.browser.conftest import sit_down
from tests.contracts.documents import text
from tests.escalation.building import HOUR, operation

SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]
DESK = library_text("collection-desk")
AN_HOUR = DESK.replace("guaranteed_for: {is: 86400,", "guaranteed_for: {is: 3600,")
HOSTILE = "<script>alert(1)</script>\u202e" + "W" * 120


def begun(key: str, name: str, told: str, person: User) -> None:
    """A draft for a recipient, once."""
    row = models.Recipient.objects.filter(key=key).first()
    if row is None or versions.draft_of(row.id) is None:
        begin_contract_draft(
            key,
            name=name,
            text=told,
            begun_from="",
            person=person,
            known=None if row is None else row.id,
            now=datetime.now(UTC),
        )


def pages(person: User) -> dict[str, str]:
    """Every page about contracts by name, each with something on it."""
    now = datetime.now(UTC)
    publish("collection-desk", name="Collection desk", text=DESK, now=now - 3 * HOUR)
    for number in range(3):
        if not models.Operation.objects.filter(identity=f"order-{number}").exists():
            made = operation(
                f"order-{number}",
                now=now - 2 * HOUR,
                parcel=f"Cedar {number}",
                contract=models.Contract.objects.first(),
            )
            made.timed_out(now=now - 2 * HOUR + timedelta(minutes=1))
    begun("collection-desk", "", AN_HOUR, person)
    begun("broken", HOSTILE, text({"/title": HOSTILE, "/channels/record/authority": "all", "/readings": []}), person)
    begun("blank", "Nothing answered", "format: 1\n", person)
    begun("no-yaml", "No YAML", "a: [", person)
    for name in library():
        if (
            "twilio" not in name
            and name != "collection-desk"
            and not models.Recipient.objects.filter(key=name).exists()
        ):
            models.Contract.objects.create(
                recipient=models.Recipient.objects.create(key=name, name=name.replace("-", " "), created_at=now),
                version=1,
                document=library_text(name),
                digest="0" * 64,
                created_at=now,
                published_at=now,
            )
    at = {key: [key] for key in ("collection-desk", "broken", "blank", "no-yaml")}
    return {
        "list": reverse("contracts"),
        "list-behind": reverse("contracts") + "?after=zzz",
        "new": reverse("new_contract"),
        "recipient": reverse("recipient_contracts", args=at["collection-desk"]),
        "recipient-new": reverse("recipient_contracts", args=at["blank"]),
        "contract": reverse("contract", args=["collection-desk", 1]),
        "contract-broken": reverse("contract", args=["broken", 1]),
        "differences": reverse("contract_differences", args=at["collection-desk"]) + "?from=1&to=2",
        "differences-none": reverse("contract_differences", args=at["collection-desk"]) + "?from=1&to=1",
        "draft": reverse("contract_draft", args=at["collection-desk"]),
        "draft-blank": reverse("contract_draft", args=at["blank"]),
        "draft-broken": reverse("contract_draft", args=at["broken"]),
        "draft-no-yaml": reverse("contract_draft", args=at["no-yaml"]),
        "rules": reverse("contract_draft_rules", args=at["collection-desk"]),
        "rules-blank": reverse("contract_draft_rules", args=at["blank"]),
        "rules-no-yaml": reverse("contract_draft_rules", args=at["no-yaml"]),
        "rule": reverse("contract_draft_rule", args=[*at["collection-desk"], 0]),
        "rule-new": reverse("contract_draft_rule", args=[*at["blank"], 0]),
        "text": reverse("contract_draft_text", args=at["collection-desk"]),
        "text-broken": reverse("contract_draft_text", args=at["broken"]),
        "publish": reverse("publish_contract", args=at["collection-desk"]),
        "publish-broken": reverse("publish_contract", args=at["broken"]),
    }


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_contracts_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in pages(person).items():
        seat.goes(address)
        found = Axe().run(seat.page).response["violations"]
        assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == [], name
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
    assert seat.complaints == []
    seat.page.context.close()


def test_a_contract_is_written_and_published_without_scripts(chromium: Any, live_server: Any, person: User):
    pages(person)
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("contracts"))
    page = seat.page
    page.get_by_role("link", name="draft of version 2").click()
    page.get_by_label("Our margin (seconds)").fill("120")
    page.get_by_role("button", name="Save, and see what it would change").click()
    expect(page.get_by_role("heading", name="3 of 3 open operations would stand otherwise")).to_be_visible()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Publish version 2").click()
    expect(page).to_have_url(seat.address + reverse("contract", args=["collection-desk", 2]))
    expect(page.get_by_text("Version 2 is in force.")).to_be_visible()
    page.context.close()
    row = models.Contract.objects.get(recipient__key="collection-desk", version=2)
    assert row.published_at is not None
    assert "margin: 120" in row.document
