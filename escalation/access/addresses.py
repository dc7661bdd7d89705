"""Where people, teams and chains are told, and quiet hours: added and ended, never changed.

Everybody looks after their own; an administrator after those of teams and of webhooks that chains call by their name.
"""

from collections.abc import Mapping
from datetime import datetime, time
from typing import Final

from django.db import IntegrityError, models, transaction

from escalation.access import confirming
from escalation.access.changing import By, NotChanged, changing
from escalation.access.teams import team_called, told
from escalation.models import NoticeAddress, QuietHours, Team, Telling, User
from escalation.models.notice import Kind, Waits
from escalation.models.notice_address import Way
from escalation.models.team_change import TeamAct
from escalation.proof import require_fresh

MOST: Final = 10
_THERE: Final = "It is there already."
_TOO_MANY: Final = f"{MOST} addresses are the most; remove one first."
_GONE: Final = "There is no such address any more."


def add_own(by: By, *, way: Way, to: str) -> NoticeAddress:
    """Have somebody told at an address of their own, mail once it is confirmed; raises `NotChanged`, and `proof.NotFresh`.

    It takes a fresh proof: at an unwatched browser nobody has this desk's notices sent to themselves from then on.
    """
    person = by.person
    require_fresh(by.proof, person=person, now=by.now)
    if NoticeAddress.objects.filter(person=person, ended_at=None).count() >= MOST:
        raise NotChanged(_TOO_MANY)
    return _added(person=person, team=None, way=way, to=to, by=person, now=by.now)


def end_own(pk: int, *, person: User, now: datetime) -> None:
    """Have somebody told at one of their addresses no more; raises `NotChanged`."""
    _end(NoticeAddress.objects.filter(pk=pk, person=person), by=person, now=now)


def add_shared(team: Team | None, *, way: Way, to: str, by: By) -> NoticeAddress:
    """Have a team told at an address, or, without a team, let chains call a webhook by its name; raises `NotChanged`."""
    with changing(by) as who:
        return _added(person=None, team=team, way=way, to=to, by=who, now=by.now)


def end_shared(pk: int, *, by: By) -> None:
    """Have a team or a webhook told at an address no more; raises `NotChanged`."""
    with changing(by) as who:
        _end(NoticeAddress.objects.filter(pk=pk, person=None), by=who, now=by.now)


def set_quiet(person: User, *, zone: str, begins: time, ends: time, now: datetime) -> QuietHours:
    """Set somebody's own quiet hours, in place of those they had."""
    with transaction.atomic():
        end_quiet(person, now=now)
        return QuietHours.objects.create(
            person=person, zone=zone, begins=begins, ends=ends, made_at=now, made_by=person
        )


def end_quiet(person: User, *, now: datetime) -> None:
    """Have somebody told at any hour; what waits for the end of their quiet hours is sorted anew."""
    _end_quiet({"person": person}, by=person, now=now)


def set_team_quiet(pk: int, *, zone: str, begins: time, ends: time, by: By) -> Team:
    """Set the quiet hours of a team's own addresses (row id), in place of those it had; raises as `changing` does."""
    with changing(by) as who:
        team = team_called(pk)
        _end_quiet({"team": team}, by=who, now=by.now)
        hours = QuietHours.objects.create(team=team, zone=zone, begins=begins, ends=ends, made_at=by.now, made_by=who)
        told(TeamAct.QUIET_SET, team, f"It is quiet there from {hours}.", by=by, who=who)
        return team


def end_team_quiet(pk: int, *, by: By) -> Team:
    """Have a team told at its own addresses at any hour; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        if not _end_quiet({"team": team}, by=who, now=by.now):
            raise NotChanged("It has no quiet hours.")
        told(TeamAct.QUIET_ENDED, team, "", by=by, who=who)
        return team


def _end_quiet(whose: Mapping[str, User | Team], *, by: User, now: datetime) -> int:
    """End quiet hours; what waits for their end is sorted anew. Return how many there were."""
    ended = QuietHours.objects.filter(**whose, ended_at=None).update(ended_at=now, ended_by=by)
    theirs = {f"address__{name}": one for name, one in whose.items()}
    Telling.objects.filter(**theirs, waits_for=Waits.QUIET, due_at__gt=now).update(due_at=now)
    return ended


def ask_for_test(address: NoticeAddress, *, now: datetime) -> None:
    """Have a test sent to an address with the next sweep; one that is on its way already is enough.

    Raises `NotChanged` where nothing is sent there yet.
    """
    if not address.is_confirmed:
        raise NotChanged("It is not confirmed: nothing is sent there but the link to confirm it by.")
    test = Telling(kind=Kind.TEST, address=address, made_at=now, due_at=now)
    Telling.objects.bulk_create([test], ignore_conflicts=True)


def _added(*, person: User | None, team: Team | None, way: Way, to: str, by: User, now: datetime) -> NoticeAddress:
    try:
        with transaction.atomic():
            made = NoticeAddress.objects.create(person=person, team=team, way=way, to=to, made_at=now, made_by=by)
            if not made.is_confirmed:
                confirming.ask(made, now=now)
            return made
    except IntegrityError:
        raise NotChanged(_THERE) from None


def _end(found: models.QuerySet[NoticeAddress], *, by: User, now: datetime) -> None:
    if not found.filter(ended_at=None).update(ended_at=now, ended_by=by):
        raise NotChanged(_GONE)
