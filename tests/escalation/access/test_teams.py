"""Teams, chains and rotas are set by administrators alone, one owner of each thing, all of it on record; refusals first."""

from datetime import date, time, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from escalation.access import By, NotChanged
from escalation.access.chains import Step, end_chain, set_chain
from escalation.access.rotas import NewCover, NewShift, end_cover, end_rota, end_shift, make_rota, set_cover, set_shift
from escalation.access.teams import Owning, add_member, end_team, make_team, own, own_no_more, remove_member
from escalation.decisions import NotAllowed
from escalation.models import Chain, ChainStep, Rota, RotaCover, RotaShift, Team, TeamChange, TeamMember, TeamOwns, User
from escalation.policy import Role
from escalation.proof import NotFresh
from tests.escalation.building import HOUR, T0, contract_of
from tests.escalation.people import by, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR


@pytest.fixture
def root() -> User:
    return with_role("root", Role.ADMINISTRATOR)


@pytest.fixture
def admin(root: User) -> By:
    return by(root, at=NOW)


@pytest.fixture
def ada() -> User:
    return with_role("ada", Role.REVIEWER)


def shift(*people: User, name: str = "Week") -> NewShift:
    return NewShift(
        name=name,
        days=range(7),
        begins=time(9),
        ends=time(9),
        first_day=date(2026, 11, 30),
        weeks=1,
        people=people,
    )


def done() -> list[tuple[str, str]]:
    return list(TeamChange.objects.order_by("pk").values_list("act", "said"))


def every_change(team: Team, rota: Rota, ada: User) -> dict[str, Any]:
    """Everything that can be done to teams and rotas."""
    return {
        "make a team": lambda who: make_team("New", by=who),
        "end a team": lambda who: end_team(team.pk, by=who),
        "add a member": lambda who: add_member(team.pk, ada, by=who),
        "remove a member": lambda who: remove_member(team.pk, 1, by=who),
        "own": lambda who: own(team.pk, Owning(), by=who),
        "own no more": lambda who: own_no_more(team.pk, 1, by=who),
        "set a chain": lambda who: set_chain(team.pk, [Step(ada, 5)], by=who),
        "end a chain": lambda who: end_chain(team.pk, by=who),
        "make a rota": lambda who: make_rota("New", "UTC", by=who),
        "end a rota": lambda who: end_rota(rota.pk, by=who),
        "set a shift": lambda who: set_shift(rota.pk, shift(ada), by=who),
        "end a shift": lambda who: end_shift(rota.pk, 1, by=who),
        "set a cover": lambda who: set_cover(rota.pk, NewCover(person=ada, since=NOW, until=NOW + HOUR), by=who),
        "end a cover": lambda who: end_cover(rota.pk, 1, by=who),
    }


def test_who_is_no_administrator_changes_nothing(admin, ada):
    team, rota, told = make_team("Desk", by=admin), make_rota("Nights", "UTC", by=admin), len(done())
    for change in every_change(team, rota, ada).values():
        with pytest.raises(NotAllowed, match="administrator"):
            change(by(ada, at=NOW))
    assert (Team.objects.count(), Rota.objects.count(), TeamMember.objects.count(), len(done())) == (1, 1, 0, told)


def test_an_administrator_who_proved_nothing_lately_changes_nothing(root, admin, ada):
    team, rota, told = make_team("Desk", by=admin), make_rota("Nights", "UTC", by=admin), len(done())
    for change in every_change(team, rota, ada).values():
        with pytest.raises(NotFresh):
            change(By(person=root, now=NOW, proof=None))
    assert len(done()) == told


def test_a_name_is_used_once_and_capitals_make_no_difference(admin):
    end_team(make_team("Desk", by=admin).pk, by=admin)
    make_rota("Nights", "UTC", by=admin)
    with pytest.raises(NotChanged, match="used once"):
        make_team("desk", by=admin)
    with pytest.raises(NotChanged, match="used once"):
        make_rota("NIGHTS", "UTC", by=admin)


@pytest.mark.parametrize("what", ["recipient", "effect", "rest"])
def test_what_a_team_owns_no_other_can_own(admin, what):
    recipient = contract_of().recipient
    owning = {"recipient": Owning(recipient=recipient), "effect": Owning(effect="ticket"), "rest": Owning()}[what]
    first, second = make_team("First", by=admin), make_team("Second", by=admin)
    own(first.pk, owning, by=admin)
    with pytest.raises(NotChanged, match="First owns it already"):
        own(second.pk, owning, by=admin)
    with pytest.raises(IntegrityError, match="what_is_owned_has_one_owner"), transaction.atomic():
        TeamOwns.objects.create(
            team=second, recipient=owning.recipient, effect=owning.effect, made_at=NOW, made_by=admin.person
        )
    own_no_more(first.pk, TeamOwns.objects.get().pk, by=admin)
    own(second.pk, owning, by=admin)
    assert TeamOwns.objects.get(ended_at=None).team == second


def test_a_team_that_owns_something_is_not_ended(admin):
    team = make_team("Desk", by=admin)
    own(team.pk, Owning(), by=admin)
    with pytest.raises(NotChanged, match="It owns something"):
        end_team(team.pk, by=admin)


def test_a_team_or_rota_that_a_chain_calls_is_not_ended(admin):
    desk, other, nights = make_team("Desk", by=admin), make_team("Other", by=admin), make_rota("N", "UTC", by=admin)
    set_chain(desk.pk, [Step(other, 5), Step(nights, 5)], by=admin)
    with pytest.raises(NotChanged, match="The chain of Desk calls it"):
        end_team(other.pk, by=admin)
    with pytest.raises(NotChanged, match="The chain of Desk calls it"):
        end_rota(nights.pk, by=admin)


def test_nobody_inactive_is_put_anywhere(admin, ada):
    team, rota = make_team("Desk", by=admin), make_rota("Nights", "UTC", by=admin)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    ada.refresh_from_db()
    for change in (
        lambda: add_member(team.pk, ada, by=admin),
        lambda: set_chain(team.pk, [Step(ada, 5)], by=admin),
        lambda: set_shift(rota.pk, shift(ada), by=admin),
        lambda: set_cover(rota.pk, NewCover(person=ada, since=NOW, until=NOW + HOUR), by=admin),
    ):
        with pytest.raises(NotChanged, match="ada is inactive"):
            change()


def test_a_chain_of_what_was_ended_or_of_nothing_is_not_set(admin):
    team, rota, other = make_team("Desk", by=admin), make_rota("Nights", "UTC", by=admin), make_team("O", by=admin)
    end_rota(rota.pk, by=admin)
    end_team(other.pk, by=admin)
    for steps in ([Step(rota, 5)], [Step(other, 5)], []):
        with pytest.raises(NotChanged, match=r"was ended|a step at least"):
            set_chain(team.pk, steps, by=admin)
    with pytest.raises(NotChanged, match="no chain"):
        end_chain(team.pk, by=admin)
    assert Chain.objects.count() == 0


def test_nobody_belongs_to_a_team_twice_and_what_was_ended_is_not_ended_again(admin, ada):
    team = make_team("Desk", by=admin)
    add_member(team.pk, ada, by=admin)
    with pytest.raises(NotChanged, match="belongs to it already"):
        add_member(team.pk, ada, by=admin)
    member = TeamMember.objects.get()
    remove_member(team.pk, member.pk, by=admin)
    with pytest.raises(NotChanged, match="ended already"):
        remove_member(team.pk, member.pk, by=admin)
    end_team(team.pk, by=admin)
    with pytest.raises(NotChanged, match="no such team"):
        add_member(team.pk, ada, by=admin)


def test_what_belongs_to_another_team_or_rota_is_not_ended_by_this_one(admin, ada):
    first, second = make_team("First", by=admin), make_team("Second", by=admin)
    add_member(first.pk, ada, by=admin)
    own(first.pk, Owning(), by=admin)
    one, other = make_rota("One", "UTC", by=admin), make_rota("Other", "UTC", by=admin)
    set_shift(one.pk, shift(ada), by=admin)
    set_cover(one.pk, NewCover(person=None, since=NOW, until=NOW + HOUR), by=admin)
    for change in (
        lambda: remove_member(second.pk, TeamMember.objects.get().pk, by=admin),
        lambda: own_no_more(second.pk, TeamOwns.objects.get().pk, by=admin),
        lambda: end_shift(other.pk, RotaShift.objects.get().pk, by=admin),
        lambda: end_cover(other.pk, RotaCover.objects.get().pk, by=admin),
    ):
        with pytest.raises(NotChanged, match="ended already, or never set"):
            change()


@pytest.mark.owner
@pytest.mark.parametrize("table", ["team", "teammember", "teamowns", "chain", "rota", "rotashift", "rotacover"])
def test_what_was_set_is_kept_as_it_was(admin, ada, table):
    team, rota = make_team("Desk", by=admin), make_rota("Nights", "UTC", by=admin)
    add_member(team.pk, ada, by=admin)
    own(team.pk, Owning(), by=admin)
    set_chain(team.pk, [Step(ada, 5)], by=admin)
    set_shift(rota.pk, shift(ada), by=admin)
    set_cover(rota.pk, NewCover(person=ada, since=NOW, until=NOW + HOUR), by=admin)
    for statement in ("DELETE FROM escalation_{}", "UPDATE escalation_{} SET made_at = made_at - interval '1 day'"):
        with pytest.raises(DatabaseError, match="pgtrigger"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(table))


def test_every_change_of_a_team_is_told(admin, ada):
    recipient = contract_of().recipient
    team = make_team("Desk", by=admin)
    add_member(team.pk, ada, by=admin)
    own(team.pk, Owning(recipient=recipient), by=admin)
    set_chain(team.pk, [Step(ada, 5), Step(team, 10), Step("pager", 60)], by=admin)
    set_chain(team.pk, [Step(ada, 5)], by=admin)
    end_chain(team.pk, by=admin)
    own_no_more(team.pk, TeamOwns.objects.get().pk, by=admin)
    remove_member(team.pk, TeamMember.objects.get().pk, by=admin)
    end_team(team.pk, by=admin)
    assert done() == [
        ("team_made", ""),
        ("member_added", "ada belongs to it."),
        ("owns", "It owns the recipient Collection desk."),
        ("chain_set", "1. person ada, 5 min; 2. team Desk, 10 min; 3. webhook pager, 60 min."),
        ("chain_set", "1. person ada, 5 min."),
        ("chain_ended", ""),
        ("owns_no_more", "It owns the recipient Collection desk no more."),
        ("member_removed", "ada belongs to it no more."),
        ("team_ended", ""),
    ]
    assert set(TeamChange.objects.values_list("by__username", "at")) == {("root", NOW)}
    assert (Chain.objects.filter(ended_at=None).count(), ChainStep.objects.count()) == (0, 4)


def test_every_change_of_a_rota_is_told(admin, ada):
    rota = make_rota("Nights", "Europe/Berlin", by=admin)
    set_shift(rota.pk, shift(ada), by=admin)
    set_cover(rota.pk, NewCover(person=None, since=NOW, until=NOW + timedelta(hours=8)), by=admin)
    end_cover(rota.pk, RotaCover.objects.get().pk, by=admin)
    end_shift(rota.pk, RotaShift.objects.get().pk, by=admin)
    end_rota(rota.pk, by=admin)
    assert done() == [
        ("rota_made", "Its times are those of Europe/Berlin."),
        ("shift_set", "Week: ada."),
        ("cover_set", "nobody, from 2026-11-30 13:00 to 2026-11-30 21:00 UTC."),
        ("cover_ended", "nobody, from 2026-11-30 13:00 to 2026-11-30 21:00 UTC."),
        ("shift_ended", "Week."),
        ("rota_ended", ""),
    ]
