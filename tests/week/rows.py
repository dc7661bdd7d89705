"""The desk of the week, set up by the ways in which administrators and people set it up."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from escalation.access import By, addresses, chains, confirming, people, rotas, teams
from escalation.models import NoticeAddress, Rota, Team, User
from escalation.models.notice_address import Way
from escalation.policy import Role
from operations import models
from operations.contracts.loading import library_text
from tests.escalation.people import by, with_role
from tests.week import world


def set_up(*, now: datetime) -> None:
    """Recipients with their contracts, people with addresses, and three teams with chains and rotas."""
    admin = with_role("root", Role.ADMINISTRATOR)
    given = by(admin, at=now)
    for key in world.RECIPIENTS:
        _recipient(key, now=now)
    for name in world.PEOPLE:
        _person(name, now=now)
    for name, members in world.TEAMS.items():
        team = teams.make_team(name, by=given)
        for member in members:
            teams.add_member(team.pk, person(member), by=given)
    _owned(given)
    _rotas(given)
    for name, steps in world.CHAINS.items():
        chains.set_chain(_team(name).pk, _steps(steps), by=given)
    room = addresses.add_shared(_team("Counter"), way=Way.MAIL, to=world.ADDRESSES["Counter"][0], by=given)
    _confirmed(room, admin, now)
    addresses.add_shared(None, way=Way.WEBHOOK, to=world.WEBHOOK, by=given)


def later() -> list[tuple[datetime, Callable[[datetime], object]]]:
    """What administrators change in the week, and when."""
    at, team, steps = world.LATER
    leaves, who = world.LEAVES
    found: list[tuple[datetime, Callable[[datetime], object]]] = [
        (world.T0 + at, lambda now: chains.set_chain(_team(team).pk, _steps(steps), by=_root(now))),
        (world.T0 + leaves, lambda now: people.deactivate(person(who).pk, by=_root(now))),
    ]
    for name, rota in world.ROTAS.items():
        found += [(world.T0 + one.made, _covering(name, one)) for one in rota.covers]
    return sorted(found, key=lambda one: one[0])


def _root(now: datetime) -> By:
    return by(person("root"), at=now)


def person(name: str) -> User:
    """Somebody by name."""
    return User.objects.get(username=name)


def _team(name: str) -> Team:
    return Team.objects.get(name=name)


def _recipient(key: str, *, now: datetime) -> None:
    row = models.Recipient.objects.create(key=key, name=key, created_at=now)
    models.Contract.objects.create(
        recipient=row,
        version=1,
        document=library_text(key),
        digest="0" * 64,
        created_at=now,
        published_at=now,
    )


def _person(name: str, *, now: datetime) -> None:
    row = with_role(name, Role.OPERATOR)
    for to in world.ADDRESSES.get(name, ()):
        _confirmed(addresses.add_own(by(row, at=now), way=Way.MAIL, to=to), row, now)
    if name in world.QUIET:
        quiet = world.QUIET[name]
        addresses.set_quiet(row, zone=quiet.zone.key, begins=quiet.begins, ends=quiet.ends, now=now)


def _confirmed(address: NoticeAddress, person: User, now: datetime) -> None:
    """By its link, before the week begins: what is still to be sent of it is then needed no more."""
    confirming.confirm(confirming.link_token(address, now=now), person=person, now=now)


def _owned(given: By) -> None:
    recipients = {row.key: row for row in models.Recipient.objects.all()}
    for what, team in world.OWNS.items():
        owning = teams.Owning(recipient=recipients.get(what), effect="" if what in recipients else what)
        teams.own(_team(team).pk, owning, by=given)


def _rotas(given: By) -> None:
    for name, rota in world.ROTAS.items():
        row = rotas.make_rota(name, rota.zone.key, by=given)
        for shift in rota.shifts:
            new = rotas.NewShift(
                name=shift.name,
                days=shift.days,
                begins=shift.begins,
                ends=shift.ends,
                first_day=shift.first_day,
                weeks=1,
                people=[person(one) for one in shift.people],
            )
            rotas.set_shift(row.pk, new, by=given)


def _covering(name: str, cover: world.Cover) -> Callable[[datetime], object]:
    def set_it(now: datetime) -> object:
        new = rotas.NewCover(
            person=None if cover.person is None else person(cover.person),
            since=world.T0 + cover.since,
            until=world.T0 + cover.until,
        )
        return rotas.set_cover(Rota.objects.get(name=name).pk, new, by=_root(now))

    return set_it


def _steps(steps: tuple[world.Step, ...]) -> list[chains.Step]:
    kinds: dict[str, Callable[[str], Any]] = {
        "person": person,
        "team": _team,
        "rota": lambda name: Rota.objects.get(name=name),
        "webhook": str,
    }
    return [chains.Step(kinds[one.kind](one.name), round(one.wait.total_seconds() / 60)) for one in steps]
