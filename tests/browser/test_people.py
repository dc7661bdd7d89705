"""People, roles and keys in a real browser: readable by everyone, quiet on the console, inside the policy, without scripts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from escalation.access.people import deactivate, make_link
from escalation.access.roles import end_role, give_role
from escalation.models import RoleGrant, User
from escalation.policy import Role
from operations.keys import create_key
from operations.recording.keys import end_key
from tests.browser.conftest import sit_down
from tests.browser.test_screens import SIZES, complaints_of
from tests.escalation.building import contract_of
from tests.escalation.people import by, with_role

HOSTILE = "<script>alert(1)</script>\u202egnp." + "W" * 110
LONG = "a.very-long.name.of-somebody-who.works-here" * 3
DAY = timedelta(days=1)
# Tables of which a part is only seen by moving it; in a wide window there are none.
CUT = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1).length"


def filled(person: User) -> dict[str, str]:
    """Every page about people by name: many, long, hostile, inactive, with and without roles; keys of each state."""
    now = datetime.now(UTC)
    one, other = contract_of(), contract_of(key="evil", name=HOSTILE)
    people = User.objects.bulk_create([User(username=f"person{number:03}") for number in range(60)])
    RoleGrant.objects.bulk_create([RoleGrant(person=row, role="viewer", given_at=now) for row in people[:40]])
    long, hostile, gone = (
        User.objects.create(username=LONG),
        User.objects.create(username=HOSTILE),
        User(username="gone"),
    )
    gone.save()
    for role in Role:
        give_role(long.pk, role, recipient=one.recipient.pk, by=by(person, at=now))
        give_role(hostile.pk, role, recipient=other.recipient.pk, by=by(person, at=now))
    for grant in long.roles.all()[:3]:
        end_role(grant.pk, person=long.pk, by=by(person, at=now))
    give_role(gone.pk, Role.REVIEWER, recipient=None, by=by(person, at=now))
    make_link(gone.pk, by=by(person, at=now))
    deactivate(gone.pk, by=by(person, at=now))
    names = {"Front counter": ["collection-desk"], HOSTILE: ["evil", "collection-desk"], "Ended": ["evil"]}
    made = {
        name: create_key(name, scopes=["read", "transport"], recipients=keys, now=now - DAY, lasts=9 * DAY)
        for name, keys in names.items()
    }
    create_key("Expired", scopes=["agent"], recipients=["evil"], now=now - 2 * DAY, lasts=DAY)
    end_key(made["Ended"][4:20], now=now)
    return {
        "people-many": reverse("people"),
        "people-found": reverse("people") + "?name=very",
        "people-nobody": reverse("people") + "?name=nobody-of-this-name",
        "person-own": reverse("person", args=[person.pk]),
        "person-long": reverse("person", args=[long.pk]),
        "person-hostile": reverse("person", args=[hostile.pk]),
        "person-gone": reverse("person", args=[gone.pk]),
        "person-idle": reverse("person", args=[people[50].pk]),
        "keys": reverse("keys"),
    }


def looked_at(seat: Any, shown: dict[str, str]) -> None:
    for name, address in shown.items():
        seat.goes(address)
        readable(seat, name)


def readable(seat: Any, name: str) -> None:
    """The page before this person is readable by everyone, no wider than the window, and nothing on it turns letters."""
    assert complaints_of(seat) == [], name
    wide = seat.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{name} is {wide} px wider than the window"
    assert seat.page.evaluate("window.innerWidth") < 1000 or seat.page.evaluate(CUT) == 0, (
        f"{name}: columns out of sight"
    )
    assert "\u202e" not in seat.page.inner_text("body"), name


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_people_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    size = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    seat = sit_down(chromium, str(live_server), person, **size)
    looked_at(seat, {"people-one": reverse("people"), "keys-none": reverse("keys")})
    looked_at(seat, filled(person))
    seat.page.get_by_role("link", name="Keys for programs").or_(
        seat.page.get_by_role("link", name="People")
    ).first.click()
    seat.goes(reverse("person", args=[User.objects.get(username=LONG).pk]))
    seat.page.get_by_role("button", name="Make a sign-in link").click()
    assert complaints_of(seat) == []
    seat.page.context.close()
    reader = sit_down(chromium, str(live_server), with_role("reader", Role.VIEWER), **size)
    looked_at(reader, {"reader-people": reverse("people"), "reader-keys": reverse("keys")})
    reader.page.context.close()
    nobody = sit_down(chromium, str(live_server), User.objects.create_user("nobody"), **size)
    nobody.goes(reverse("queue"))
    assert "You have no role on this desk" in nobody.page.inner_text("main")
    assert complaints_of(nobody) == []
    nobody.page.context.close()
    assert seat.complaints == reader.complaints == []


def test_somebody_is_let_in_given_a_role_and_let_in_no_more_without_scripts(
    chromium: Any, live_server: Any, person: User
):
    contract_of()
    seat = sit_down(chromium, str(live_server), person, java_script_enabled=False)
    seat.goes(reverse("queue"))
    page = seat.page
    page.get_by_role("link", name="People").click()
    page.get_by_label("Name to sign in with").fill("new.one")
    page.get_by_role("button", name="Make this person").click()
    link = page.get_by_label("The link").input_value()
    page.get_by_role("link", name="Give new.one a role").click()
    page.get_by_label("Role", exact=True).select_option("reviewer")
    page.get_by_label("For one recipient").check()
    page.get_by_label("Its key").fill("collection-desk")
    page.get_by_role("button", name="Give this role").click()
    assert "new.one holds the role “reviewer” for Collection desk from now on." in page.inner_text("main")
    opened = chromium.new_context(java_script_enabled=False)
    theirs = opened.new_page()
    theirs.goto(link)
    theirs.get_by_role("button").last.click()
    theirs.goto(f"{live_server}{reverse('queue')}")
    assert "Nothing waits for a person." in theirs.inner_text("main")
    page.get_by_role("button", name="Make inactive").click()
    assert "new.one is inactive" in page.inner_text("main")
    theirs.goto(f"{live_server}{reverse('queue')}")
    assert reverse("sign_in") in theirs.url
    opened.close()
    seat.page.context.close()
