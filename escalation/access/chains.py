"""The chain of a team is set as a whole by an administrator; what was set before stays on record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from escalation.access.changing import By, NotChanged, changing
from escalation.access.teams import end_row, team_called, told
from escalation.cases.pacing import look_now
from escalation.models import Chain, ChainStep, Rota, Team, User
from escalation.models.chain import StepKind
from escalation.models.team_change import TeamAct


@dataclass(frozen=True, slots=True)
class Step:
    """Whom a step calls (a text: the webhook of that name), and for how many minutes it waits."""

    whom: User | Team | Rota | str
    wait: int

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns of its row."""
        return {"kind": self.kind.value, self.kind.value: self.whom, "wait": self.wait}

    @property
    def kind(self) -> StepKind:
        """What it calls."""
        kinds: dict[type, StepKind] = {User: StepKind.PERSON, Team: StepKind.TEAM, Rota: StepKind.ROTA}
        return kinds.get(type(self.whom), StepKind.WEBHOOK)

    def __str__(self) -> str:
        whom = self.whom.username if isinstance(self.whom, User) else str(self.whom)
        return f"{self.kind.value} {whom}, {self.wait} min"


def set_chain(pk: int, steps: Sequence[Step], *, by: By) -> Chain:
    """Let a team's cases call these steps from now on; raises as `changing` does, and `NotChanged`.

    What is under way begins a new round with it at its next call.
    """
    with changing(by) as who:
        team = team_called(pk)
        if not steps:
            raise NotChanged("A chain has a step at least.")
        _require_callable(steps)
        _end(team, by=by, who=who)
        chain = Chain.objects.create(team=team, made_at=by.now, made_by=who)
        for position, step in enumerate(steps, start=1):
            ChainStep.objects.create(chain=chain, position=position, **step.columns)
        said = "; ".join([f"{position}. {step}" for position, step in enumerate(steps, start=1)])
        told(TeamAct.CHAIN_SET, team, f"{said}.", by=by, who=who)
        look_now(now=by.now)
        return chain


def end_chain(pk: int, *, by: By) -> Team:
    """Let a team's cases call nobody of its own; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        team = team_called(pk)
        if not _end(team, by=by, who=who):
            raise NotChanged("It has no chain.")
        told(TeamAct.CHAIN_ENDED, team, "", by=by, who=who)
        return team


def _require_callable(steps: Sequence[Step]) -> None:
    """As they are by now: whoever chose them read the page a while ago."""
    for step in steps:
        whom = step.whom
        if isinstance(whom, User) and not User.objects.filter(pk=whom.pk, is_active=True).exists():
            raise NotChanged(f"{whom.username} is inactive.")
        if isinstance(whom, Team | Rota) and not type(whom).objects.filter(pk=whom.pk, ended_at=None).exists():
            raise NotChanged(f"{whom} was ended.")


def _end(team: Team, *, by: By, who: User) -> bool:
    row = Chain.objects.filter(team=team, ended_at=None).first()
    if row is not None:
        end_row(row, by=by, who=who)
    return row is not None
