"""Teams, rotas and notices in a real browser, empty, full and hostile: readable by everyone, quiet, inside the window."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.urls import reverse

from escalation.access.chains import Step, set_chain
from escalation.access.confirming import link_token
from escalation.access.people import deactivate
from escalation.access.rotas import NewCover, NewShift, end_rota, make_rota, set_cover, set_shift
from escalation.access.teams import Owning, add_member, end_team, make_team, own
from escalation.models import NoticeAddress, Rota, Team, User
from escalation.models.notice import End
from escalation.models.notice_address import Way
from escalation.notify.outcome import Outcome
from escalation.policy import Role
from tests.browser.conftest import Seat, sit_down
from tests.browser.test_people import HOSTILE, LONG, looked_at, readable
from tests.browser.test_screens import SIZES
from tests.escalation.building import contract_of
from tests.escalation.notify.chains import TAKEN, Post, address, called_for, calls, quiet, told
from tests.escalation.people import by, with_role

NAME = HOSTILE[:80]  # the longest name of a team or a rota
PLACE = "a.very-long.name.of-a-room-where-nobody.reads" * 4 + "@desk.example"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
EMPTY = {"teams": "/teams", "notices": "/notices", "addresses": "/notices/addresses", "own": "/account/notices"}


def teams_and_rotas(person: User, *, now: datetime) -> dict[str, str]:
    """Teams and rotas by name: with every kind of step and of what is owned, hostile, with nothing, and ended."""
    admin = by(person, at=now)
    one, other = contract_of(), contract_of(key="evil", name=HOSTILE)
    people = [with_role(name, Role.REVIEWER) for name in (LONG, HOSTILE, "gone")]
    desk, bare = make_team(NAME, by=admin), make_team("Bare", by=admin)
    nights, nobody = make_rota(NAME, "America/Argentina/ComodRivadavia", by=admin), make_rota("No", "UTC", by=admin)
    for whom in people:
        add_member(desk.pk, whom, by=admin)
    for what in (Owning(recipient=one.recipient), Owning(recipient=other.recipient), Owning(effect=HOSTILE), Owning()):
        own(desk.pk, what, by=admin)
    steps: list[User | Team | Rota | str] = [*people, nights, bare, "W" * 40]
    set_chain(desk.pk, [Step(whom=whom, wait=10_080) for whom in steps], by=admin)
    nine, monday = time(9), now.date() - (now.weekday() + 7) * DAY
    week = NewShift(name=NAME, days=range(7), begins=nine, ends=nine, first_day=monday, weeks=1, people=people)
    set_shift(nights.pk, week, by=admin)
    covers: list[tuple[User | None, str]] = [(people[0], HOSTILE + "W" * 50), (None, "")]
    for at, (standing_in, why) in enumerate(covers, start=1):
        cover = NewCover(person=standing_in, since=now + at * DAY, until=now + (at + 1) * DAY, why=why)
        set_cover(nights.pk, cover, by=admin)
    deactivate(people[2].pk, by=admin)
    over, past = make_team("Over", by=admin), make_rota("Past", "UTC", by=admin)
    end_team(over.pk, by=admin)
    end_rota(past.pk, by=admin)
    return {
        "teams": reverse("teams"),
        "team": reverse("team", args=[desk.pk]),
        "team-bare": reverse("team", args=[bare.pk]),
        "team-over": reverse("team", args=[over.pk]),
        "rota": reverse("rota", args=[nights.pk]),
        "rota-empty": reverse("rota", args=[nobody.pk]),
        "rota-past": reverse("rota", args=[past.pk]),
    }


def notices(person: User, *, now: datetime) -> dict[str, str]:
    """What was told, with every end of it; what waits, and whom nobody could tell; addresses with and without a notice."""
    admin, reader = by(person, at=now), User.objects.get(username=HOSTILE)
    room = make_team("R" + NAME[:70], by=admin)
    address(person, PLACE)
    address(person, "n" + PLACE, confirmed=False)
    address(reader, PLACE)
    address(room, "r" + PLACE, confirmed=False)
    quiet(room, zone="America/Argentina/ComodRivadavia")
    address(room, "W" * 60, way=Way.SLACK)
    address(None, way=Way.SLACK)
    quiet(person, begins=time(0), ends=time(0, 1), zone="America/Argentina/ComodRivadavia")
    ends = [End.NOT_SENT, End.MAY_HAVE_ARRIVED, End.REFUSED]
    post = Post([TAKEN, *[Outcome(end=end, detail="The server said: " + "W" * 120) for end in ends], TAKEN])
    called: list[User | Team | str] = [person, reader, room, reader, "OPS_ROOM", "W" * 40]
    for at, whom in enumerate(called, start=1):
        case = called_for(f"order-{at}", at=now - 10 * MINUTE, parcel=HOSTILE if at % 2 else "Cedar")
        calls(case, whom, at=now - 9 * MINUTE)
        told(post, at=now - (8 - at) * MINUTE)
    calls(called_for("order-9", at=now - MINUTE, parcel="Elm"), person, at=now)
    link = link_token(NoticeAddress.objects.get(to="n" + PLACE), now=now)
    pages = {"link": reverse("confirm_address", args=[link]), "team-with-room": reverse("team", args=[room.pk])}
    return pages | {name: path for name, path in EMPTY.items() if name != "teams"}


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_teams_and_notices_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    size = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    seat, now = sit_down(chromium, str(live_server), person, **size), datetime.now(UTC)
    looked_at(seat, {f"empty-{name}": path for name, path in EMPTY.items()})
    shown = teams_and_rotas(person, now=now)
    looked_at(seat, shown | notices(person, now=now))
    wrongly_typed(seat, shown)
    seat.page.context.close()
    reader = sit_down(chromium, str(live_server), with_role("reader", Role.VIEWER), **size)
    theirs = {**EMPTY, "team": shown["team"], "rota": shown["rota"]}
    looked_at(reader, {f"reader-{name}": path for name, path in theirs.items()})
    reader.page.context.close()
    assert seat.complaints == reader.complaints == []


def wrongly_typed(seat: Seat, shown: dict[str, str]) -> None:
    """A row of a chain that names nobody: what is wrong stands above the rows."""
    seat.goes(shown["team-bare"])
    seat.page.get_by_label("Name of what row 1 calls").fill(HOSTILE)
    seat.page.get_by_role("button", name="Use this chain").click()
    assert "Row 1: Say what it calls and how long it waits" in seat.page.inner_text("#chain [role=alert]")
    readable(seat, "team-wrong")
    seat.complaints.clear()  # the browser tells of the answer 422
