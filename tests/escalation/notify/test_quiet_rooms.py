"""A team has quiet hours at its own addresses; what presses through any is measured by its recipient's lead time."""

from datetime import time, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from escalation.access import NotChanged
from escalation.access.addresses import end_team_quiet, set_team_quiet
from escalation.access.teams import end_team
from escalation.decisions import NotAllowed
from escalation.models import Notice, QuietHours, Team, TeamChange, Telling
from escalation.models.notice_address import Way
from escalation.notify.claiming import Rules
from escalation.policy import Role
from tests.escalation.building import HOUR, T0
from tests.escalation.notify.chains import CALLED, Post, address, ann, called_for, calls, quiet, team, told
from tests.escalation.people import by, with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
QUIET: dict[str, Any] = {"zone": "Europe/Berlin", "begins": time(11), "ends": time(20)}
ENDS = T0.replace(hour=19)  # of those hours, in UTC
# Half an hour to act in at this recipient, four minutes everywhere else.
SLOW = Rules(
    above=3,
    apart=timedelta(seconds=60),
    ahead=timedelta(minutes=4),
    ahead_for={"collection-desk": timedelta(minutes=30)},
)


@pytest.fixture
def room() -> Team:
    """A team with a room that it shares."""
    made = team("Cedar", ann())
    address(made, "CEDAR_ROOM", way=Way.SLACK)
    return made


def test_nobody_but_an_administrator_sets_a_teams_quiet_hours(room):
    with pytest.raises(NotAllowed):
        set_team_quiet(room.pk, **QUIET, by=by(ann("ben"), at=T0))
    quiet(room)
    with pytest.raises(NotAllowed):
        end_team_quiet(room.pk, by=by(ann("cleo"), at=T0))
    assert QuietHours.objects.get().ended_at is None


def test_quiet_hours_are_a_persons_or_a_teams(room):
    own = {**QUIET, "made_at": T0, "made_by": ann("ben")}
    for whose in ({}, {"person": ann("cleo"), "team": room}):
        with pytest.raises(IntegrityError), transaction.atomic():
            QuietHours.objects.create(**own, **whose)


def test_what_falls_into_a_teams_quiet_hours_waits_at_its_own_addresses_and_says_whose_they_are(room):
    quiet(room, begins=time(11), ends=time(20))
    calls(called_for(), room)
    post = Post()
    assert told(post) == 0
    assert Telling.objects.get().due_at == ENDS
    assert told(post, at=ENDS) == 1
    assert "It came up inside the team's quiet hours and waited for their end." in post.sent[0][1].lead
    assert "Europe/Berlin" in post.sent[0][1].subject


def test_what_would_be_lost_in_a_teams_quiet_hours_is_told_inside_them(room):
    quiet(room, begins=time(11), ends=time(20))
    calls(called_for(deadline=CALLED + HOUR), room)
    post = Post()
    assert told(post) == 1
    assert "You get this inside the team's quiet hours: after them it would be too late." in post.sent[0][1].lead
    assert Notice.objects.get().anyway


def test_a_persons_quiet_hours_are_not_the_teams_nor_the_teams_a_persons(room):
    person = room.members.get().person
    address(person)
    other = team("Fir", person)
    address(other, "FIR_ROOM", way=Way.SLACK)
    quiet(person, begins=time(11), ends=time(20))
    quiet(room, begins=time(11), ends=time(20))
    case = called_for()
    calls(case, room)
    calls(case, other, step=2)
    post = Post()
    told(post)
    assert [to for to, _ in post.sent] == ["FIR_ROOM"]


def test_set_anew_a_teams_quiet_hours_take_the_place_of_those_it_had_and_each_change_is_on_record(room):
    admin = by(with_role("root", Role.ADMINISTRATOR), at=CALLED)
    set_team_quiet(room.pk, **QUIET, by=admin)
    set_team_quiet(room.pk, **{**QUIET, "begins": time(12)}, by=admin)
    calls(called_for(), room)
    assert told(Post()) == 0
    end_team_quiet(room.pk, by=admin)
    assert told(Post()) == 1
    said = list(TeamChange.objects.order_by("pk").values_list("act", "said"))
    assert said == [
        ("quiet_set", "It is quiet there from 11:00 to 20:00 Europe/Berlin."),
        ("quiet_set", "It is quiet there from 12:00 to 20:00 Europe/Berlin."),
        ("quiet_ended", ""),
    ]
    with pytest.raises(NotChanged, match="no quiet hours"):
        end_team_quiet(room.pk, by=admin)


def test_a_teams_quiet_hours_end_with_it(room):
    quiet(room)
    end_team(room.pk, by=by(with_role("root", Role.ADMINISTRATOR), at=CALLED))
    assert QuietHours.objects.get().ended_at == CALLED


@pytest.mark.parametrize(
    ("minutes", "rules", "sent"),
    [(4, None, 1), (5, None, 0), (30, None, 0), (5, SLOW, 1), (30, SLOW, 1), (31, SLOW, 0)],
)
def test_how_soon_after_quiet_hours_an_end_presses_is_what_the_recipient_needs(room, minutes, rules, sent):
    quiet(room, begins=time(11), ends=time(20))
    calls(called_for(deadline=ENDS + minutes * MINUTE), room)
    assert told(Post(), **({} if rules is None else {"rules": rules})) == sent


@pytest.mark.parametrize(("minutes", "sent"), [(30, 1), (31, 0)])
def test_an_end_that_is_known_later_presses_by_what_the_recipient_needs_too(room, minutes, sent):
    quiet(room, begins=time(11), ends=time(20))
    case = called_for()
    calls(case, room)
    assert told(Post(), rules=SLOW) == 0
    row = case.operation
    type(row).objects.filter(pk=row.pk).update(protection_until=ENDS + minutes * MINUTE)
    assert told(Post(), at=CALLED + MINUTE, rules=SLOW) == sent
