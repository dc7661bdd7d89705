"""Which team owns an operation, and by which chain its case is called: the recipient's, else the effect's, else the rest's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q

from escalation.models import Chain, Team, TeamOwns
from operations.contracts.loading import document_of
from operations.reading import judging, published

if TYPE_CHECKING:
    from operations.models import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """The team that owns an operation, None where there is none; and the chain that is called, None where there is none.

    Where the team has no chain it is that of the next team which would own it, so that a team without one loses nothing.
    """

    team: Team | None
    chain: Chain | None


def effect_of(operation: "Operation") -> str:
    """Return what the contract by which an operation is read calls one of its effects."""
    return document_of(judging(operation).document).effect.word


def effect_by(contract: int) -> str:
    """Return what a published contract (row id) calls one of its effects."""
    return document_of(published(contract).document).effect.word


def owned(operation: "Operation") -> Owned:
    """Return who owns an operation now: the owner of its recipient, else of its effect, else the fallback."""
    here = Q(recipient=operation.recipient_id) | Q(recipient=None, effect__in=["", effect_of(operation)])
    rows = TeamOwns.objects.filter(here, ended_at=None).select_related("team")
    teams = [row.team for row in sorted(rows, key=_precedence)]
    chains = {one.team_id: one for one in Chain.objects.filter(team__in=teams, ended_at=None)} if teams else {}
    called = [chains[team.pk] for team in teams if team.pk in chains]
    return Owned(team=teams[0] if teams else None, chain=called[0] if called else None)


def owners() -> Callable[[int, str], Team | None]:
    """Return what says which team owns a recipient's (row id) operations of an effect now, as `owned` does of one."""
    rows = sorted(TeamOwns.objects.filter(ended_at=None).select_related("team"), key=_precedence)

    def owner(recipient: int, effect: str) -> Team | None:
        here = [
            row
            for row in rows
            if row.recipient_id == recipient or (not row.recipient_id and row.effect in ("", effect))
        ]
        return here[0].team if here else None

    return owner


def _precedence(row: TeamOwns) -> int:
    return 0 if row.recipient_id is not None else 1 if row.effect else 2
