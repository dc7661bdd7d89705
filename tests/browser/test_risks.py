"""Accepting risks in a real browser: readable by everyone, quiet on the console, inside the policy, without scripts."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from escalation.decisions.approve_exception import decline
from escalation.decisions.business_exception import use
from escalation.models import BusinessException, FourEyesRule, RoleGrant, User
from escalation.models.business_exception import Excuses, Loss
from escalation.models.money import Money
from escalation.policy import Role
from operations import models, recording
from tests.browser.conftest import sit_down
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import HOUR, Made, operation
from tests.escalation.decisions.risks import DAY, accepted, limit, owner, proposed, taker
from tests.escalation.people import with_role

MINUTE = timedelta(minutes=1)
HOSTILE = "<script>alert(1)</script>\u202e" + "W" * 150


def lost(now: datetime, parcel: str, *, ago: timedelta = 2 * HOUR, effect: str = "") -> Made:
    """An operation whose reply was lost."""
    made = operation(f"order-{parcel}", now=now - ago, parcel=parcel, effect=effect)
    made.timed_out(now=now - ago + MINUTE)
    return made


def people() -> tuple[User, User]:
    """One who proposes and one whose limit reaches."""
    second = owner("i.lund", "5000")
    limit(second, None)
    limit(Role.RISK_OWNER, "250")
    return with_role("m.adeyemi", Role.REVIEWER), second


def pages(person: User) -> dict[str, str]:
    """Every page about risks by name, each with something on it: open, shut, waiting, changed, taken, due, hostile."""
    now = datetime.now(UTC)
    shown = {"list-none": reverse("exceptions") + "?state=lapsed", "rules-none": reverse("rules")}
    if BusinessException.objects.exists():
        return filled(shown)
    first, second = people()
    FourEyesRule.objects.create(door="repeat", from_amount=100, currency="EUR", set_at=now, set_by=second)
    FourEyesRule.objects.create(door="authorise_new", set_at=now - DAY, set_by=second, ended_at=now, ended_by=second)
    lost(now, "Cedar")
    done = operation("order-done", now=now - HOUR, parcel="Done")
    done.issued("T-1", now=now - HOUR)
    proposed(lost(now, "Waiting"), first, now=now)
    proposed(lost(now, "Own"), both(person), now=now)
    changed = lost(now, "Changed")
    proposed(changed, first, now=now - MINUTE)
    changed.recorded("pending", now=now)
    accepted(lost(now, "Usable"), first, second, now=now)
    proposed(
        lost(now, "Hostile", effect=HOSTILE), first, now=now, exposure=HOSTILE, reason=HOSTILE, bearer=HOSTILE[:200]
    )
    declined = lost(now, "Declined")
    decline(proposed(declined, first, now=now).pk, taker(declined, second, now=now), remark="Ask the desk first.")
    turned_out(now, first, second)
    return filled(shown)


def both(person: User) -> User:
    """Somebody who proposes, and may accept what others propose."""
    limit(person)
    RoleGrant.objects.create(person=person, role=Role.REVIEWER.value, given_at=datetime.now(UTC))
    return person


def turned_out(now: datetime, first: User, second: User) -> None:
    """Risks that were taken ten days ago, and what was learnt since."""
    then = now - 10 * DAY
    stop: dict[str, Any] = {"excuses": Excuses.STOPPING, "exposure": "Our good name with this customer."}
    came, did_not, due = [lost(now, parcel, ago=11 * DAY) for parcel in ("Came", "DidNot", "Due")]
    accepted(came, first, second, now=then, loss=Loss.HAPPENED, **stop)
    accepted(due, first, second, now=then, loss=Loss.MISSING, **stop)
    row = accepted(did_not, first, second, now=then, exposure=Money(Decimal("1250.50"), "EUR"))
    again = lost(now, "Again", ago=10 * DAY)
    with recording.writing(did_not.id, now=then) as pen:
        use(pen, row, successor=again.id, by=first)
    came.issued("T-2", now=now - DAY)
    did_not.recorded("closed", now=now - DAY)


def filled(shown: dict[str, str]) -> dict[str, str]:
    """The addresses, each by the parcel that it is about."""
    rows = {row.operation.identity.removeprefix("order-"): row for row in BusinessException.objects.all()}
    number = {name: row.operation.number for name, row in rows.items()}
    free = {
        one.identity: one.number for one in models.Operation.objects.filter(identity__in=["order-Cedar", "order-done"])
    }
    return {
        **shown,
        "list-waiting": reverse("exceptions"),
        "list-all": reverse("exceptions") + "?state=all",
        "list-due": reverse("exceptions") + "?due=1",
        "rules": reverse("rules"),
        "door-open": reverse("business_exception", args=[free["order-Cedar"]]),
        "door-shut": reverse("business_exception", args=[free["order-done"]]),
        **{f"risk-{name.lower()}": reverse("approve_exception", args=[row.pk]) for name, row in rows.items()},
        **{
            f"operation-{name.lower()}": reverse("operation", args=[number[name]])
            for name in ("Waiting", "Usable", "Due", "DidNot")
        },
    }


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_risks_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    seat = sit_down(chromium, str(live_server), person, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name, address in pages(person).items():
        seat.goes(address)
        assert complaints_of(seat) == [], name
        wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
    seat.page.context.close()
    assert seat.complaints == []


def test_a_risk_is_stated_by_one_and_accepted_by_another_without_scripts(
    chromium: Any, live_server: Any, transactional_db: None
):
    made = lost(datetime.now(UTC), "Cedar")
    first, second = people()
    seat = sit_down(chromium, str(live_server), first, java_script_enabled=False)
    seat.goes(reverse("operation", args=[made.number]))
    page = seat.page
    page.get_by_role("link", name="State the risk").click()
    page.get_by_label("A second operation is created, once.").check()
    page.get_by_label("Amount").fill("250")
    page.get_by_label("Currency").fill("eur")
    page.get_by_label("Why the risk is worth taking").fill("The counter closes at four.")
    page.get_by_label("Who bears the loss").fill("Cost centre 4711")
    soon = datetime.now(UTC) + DAY
    page.locator("#expires_at").fill(f"{soon:%Y-%m-%dT%H:%M}")
    page.locator("#review").fill(f"{soon + DAY:%Y-%m-%d}")
    page.get_by_role("button", name="Propose to accept this risk").click()
    expect(page.get_by_text("A risk waits for a second person.")).to_be_visible()
    page.context.close()
    seat = sit_down(chromium, str(live_server), second, java_script_enabled=False)
    seat.goes(reverse("exceptions"))
    page = seat.page
    page.get_by_role("link", name=f"Risk {BusinessException.objects.get().pk}").click()
    page.get_by_role("button", name="Accept this risk").click()
    expect(page.get_by_text("Risk accepted by i.lund")).to_be_visible()
    expect(page.get_by_text("Nobody knows yet whether this happened.")).to_be_visible()
    page.context.close()
    row = BusinessException.objects.get()
    assert (row.proposed_by, row.approved_by, str(row.money)) == (first, second, "EUR 250")


def test_a_rule_is_set_and_ended_without_scripts(chromium: Any, live_server: Any, person: User):
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("rules"))
    page = seat.page
    page.get_by_label("For what").select_option("repair_record")
    page.get_by_label("Always").check()
    page.get_by_role("button", name="Set this rule").click()
    page.get_by_role("button", name="End: It takes two people").click()
    expect(page.get_by_text("ended by m.okafor")).to_be_visible()
    page.context.close()
    assert FourEyesRule.objects.get().ended_by == person
