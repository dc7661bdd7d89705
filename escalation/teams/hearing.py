"""Who of those that would be called is told nowhere: without an address, or at one that is not confirmed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import Q

from escalation.models import ChainStep, NoticeAddress, Team, TeamMember, User
from escalation.policy import May, who_may
from escalation.teams.rotas import called_now

NOT_CONFIRMED: Final = "Not confirmed, so that nothing is sent there: an address of "
NO_ADDRESS: Final = "Called, and told nowhere but on this desk's pages, for want of an address: "


@dataclass(slots=True)
class _Called:
    """Whom steps call: people and teams by row id, webhooks by name."""

    people: dict[int, User] = field(default_factory=dict)
    teams: dict[int, Team] = field(default_factory=dict)
    webhooks: set[str] = field(default_factory=set)


def unheard(
    steps: Iterable[ChainStep],
    *,
    now: datetime,
    people: Iterable[User] = (),
    teams: Iterable[Team] = (),
    recipient: int | None = None,
) -> tuple[str, ...]:
    """Return, as sentences, who of these, and of those whom the steps call now, is told nowhere, or not everywhere.

    For a case of a recipient (row id): of those who may look after its cases, whom alone it calls.
    """
    called = _called(steps, people, teams, now)
    if recipient is not None:
        may = {one.pk for one in who_may(May.MIND, recipient=recipient)}
        called.people = {pk: one for pk, one in called.people.items() if pk in may}
    addresses = _addresses(called)
    unsure = [_whose(one) for some in addresses.values() for one in some if not one.is_confirmed]
    silent = [person.username for person in called.people.values() if person.is_active and person.pk not in addresses]
    silent += [f"the webhook {name}" for name in sorted(called.webhooks) if name not in addresses]
    found = {NOT_CONFIRMED: unsure, NO_ADDRESS: silent}
    return tuple([f"{said}{', '.join(dict.fromkeys(names))}." for said, names in found.items() if names])


def _called(steps: Iterable[ChainStep], people: Iterable[User], teams: Iterable[Team], now: datetime) -> _Called:
    called = _Called({one.pk: one for one in people}, {one.pk: one for one in teams})
    for step in steps:
        person = called_now(step.rota, now=now) if step.rota is not None else step.person
        if person is not None:
            called.people[person.pk] = person
        elif step.team is not None:
            called.teams[step.team.pk] = step.team
        elif step.rota is None:
            called.webhooks.add(step.webhook)
    if called.teams:
        members = TeamMember.objects.filter(team__in=called.teams, ended_at=None, person__is_active=True)
        called.people |= {one.person_id: one.person for one in members.select_related("person")}
    return called


def _addresses(called: _Called) -> Mapping[int | str, list[NoticeAddress]]:
    """Return the addresses in use of each person (row id) and of each webhook (name); those of teams, under "team"."""
    webhooks = Q(person=None, team=None, to__in=called.webhooks)
    theirs = Q(person__in=called.people) | Q(team__in=called.teams) | webhooks
    found: dict[int | str, list[NoticeAddress]] = {}
    rows = NoticeAddress.objects.filter(theirs, ended_at=None).select_related("person", "team", "confirmation")
    for one in rows.order_by("person__username", "team__name", "pk"):
        key = one.person_id or ("team" if one.team_id else one.to)
        found.setdefault(key, []).append(one)
    return found


def _whose(address: NoticeAddress) -> str:
    return f"the team {address.team.name}" if address.team is not None else str(address.person)
