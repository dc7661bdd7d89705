"""Teams are made and ended, people belong to them, and they own recipients and effects: set by administrators alone.

What was set is ended, never changed; each change is a line of `TeamChange`, written with it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Model

from escalation.access.changing import By, NotChanged, changing
from escalation.cases.pacing import look_now
from escalation.models import ChainStep, Rota, Team, TeamChange, TeamMember, TeamOwns, User
from escalation.models.team_change import TeamAct

if TYPE_CHECKING:
    from operations.models import Recipient


def told(act: TeamAct, of: Team | Rota, said: str, *, by: By, who: User, recipient: int | None = None) -> None:
    """Write down what was done to a team or a rota."""
    place = {"team": of} if isinstance(of, Team) else {"rota": of}
    TeamChange.objects.create(act=act.value, said=said, at=by.now, by=who, recipient_id=recipient, **place)


def end_row(row: Any, *, by: By, who: User) -> None:
    """End what was set, by whoever does it now."""
    row.ended_at, row.ended_by = by.now, who
    row.save(update_fields=["ended_at", "ended_by"])


def team_called(pk: int) -> Team:
    """Return the team with this row id that was not ended; raises `NotChanged`."""
    found = Team.objects.filter(pk=pk, ended_at=None).first()
    if found is None:
        raise NotChanged("There is no such team any more.")
    return found


def standing(kind: type[Model], pk: int, **of: Any) -> Any:
    """Return what was set and not ended (row id), of this team or rota; raises `NotChanged`."""
    found = kind._default_manager.filter(pk=pk, ended_at=None, **of).first()  # noqa: SLF001  # public in all but name
    if found is None:
        raise NotChanged("That was ended already, or never set.")
    return found


def make_team(name: str, *, by: By) -> Team:
    """Make a team, which has no members, owns nothing and calls nobody yet; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        if Team.objects.filter(name__iexact=name).exists():
            raise NotChanged("There is a team of this name, or was one; a name is used once.")
        team = Team.objects.create(name=name, made_at=by.now, made_by=who)
        told(TeamAct.TEAM_MADE, team, "", by=by, who=who)
        return team


def end_team(pk: int, *, by: By) -> Team:
    """End a team with its chain, its quiet hours and memberships; raises as `changing` does, and `NotChanged`.

    Not while it owns anything, or while a chain calls it: that would then be nobody's.
    """
    with changing(by) as who:
        team = team_called(pk)
        if TeamOwns.objects.filter(team=team, ended_at=None).exists():
            raise NotChanged(
                "It owns something; end that first, or nobody would own it without anybody having said so."
            )
        steps = ChainStep.objects.filter(team=team, chain__ended_at=None).exclude(chain__team=team)
        calling = steps.select_related("chain__team").first()
        if calling is not None:
            raise NotChanged(f"The chain of {calling.chain.team.name} calls it; change that first.")
        members, chains = team.members.filter(ended_at=None), team.chains.filter(ended_at=None)
        for row in [*members, *chains, *team.quiet_hours.filter(ended_at=None), team]:
            end_row(row, by=by, who=who)
        told(TeamAct.TEAM_ENDED, team, "", by=by, who=who)
        return team


def add_member(pk: int, person: User, *, by: By) -> Team:
    """Let somebody belong to a team; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        if not person.is_active:
            raise NotChanged(f"{person.username} is inactive; make them active first.")
        if team.members.filter(person=person, ended_at=None).exists():
            raise NotChanged(f"{person.username} belongs to it already.")
        TeamMember.objects.create(team=team, person=person, made_at=by.now, made_by=who)
        told(TeamAct.MEMBER_ADDED, team, f"{person.username} belongs to it.", by=by, who=who)
        return team


def remove_member(pk: int, member: int, *, by: By) -> Team:
    """Let somebody belong to a team no more (row ids); raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        row = standing(TeamMember, member, team=team)
        end_row(row, by=by, who=who)
        told(TeamAct.MEMBER_REMOVED, team, f"{row.person.username} belongs to it no more.", by=by, who=who)
        return team


@dataclass(frozen=True, slots=True, kw_only=True)
class Owning:
    """What a team is to own: a recipient, or an effect by its word; with neither, whatever no other team owns."""

    recipient: "Recipient | None" = None
    effect: str = ""

    def __str__(self) -> str:
        if self.recipient is not None:
            return f"the recipient {self.recipient.name}"
        return f"the effect “{self.effect}”" if self.effect else "whatever no other team owns"


def own(pk: int, what: Owning, *, by: By) -> Team:
    """Let a team own something that no team owns; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        owner = TeamOwns.objects.filter(recipient=what.recipient, effect=what.effect, ended_at=None).first()
        if owner is not None:
            raise NotChanged(f"{owner.team.name} owns it already; end that first.")
        TeamOwns.objects.create(team=team, recipient=what.recipient, effect=what.effect, made_at=by.now, made_by=who)
        here = None if what.recipient is None else what.recipient.pk
        told(TeamAct.OWNS, team, f"It owns {what}.", by=by, who=who, recipient=here)
        look_now(now=by.now)
        return team


def own_no_more(pk: int, owned: int, *, by: By) -> Team:
    """Let a team own something no more (row ids); raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        row = standing(TeamOwns, owned, team=team)
        end_row(row, by=by, who=who)
        what = Owning(recipient=row.recipient, effect=row.effect)
        told(TeamAct.OWNS_NO_MORE, team, f"It owns {what} no more.", by=by, who=who, recipient=row.recipient_id)
        return team
