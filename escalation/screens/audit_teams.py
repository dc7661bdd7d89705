"""What was changed about teams, their chains and rotas, as lines of the audit list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from escalation.models import TeamChange
from escalation.models.team_change import TeamAct
from escalation.screens.audit_line import OF_A_TEAM, Line, place
from operations.auditing.acts import Asked

NAMES: Final[Mapping[str, str]] = {
    TeamAct.TEAM_MADE: "Made a team",
    TeamAct.TEAM_ENDED: "Ended a team",
    TeamAct.MEMBER_ADDED: "Added somebody to a team",
    TeamAct.MEMBER_REMOVED: "Removed somebody from a team",
    TeamAct.OWNS: "Let a team own something",
    TeamAct.OWNS_NO_MORE: "Ended what a team owned",
    TeamAct.CHAIN_SET: "Set a team's chain",
    TeamAct.CHAIN_ENDED: "Ended a team's chain",
    TeamAct.QUIET_SET: "Set a team's quiet hours",
    TeamAct.QUIET_ENDED: "Ended a team's quiet hours",
    TeamAct.ROTA_MADE: "Made a rota",
    TeamAct.ROTA_ENDED: "Ended a rota",
    TeamAct.SHIFT_SET: "Set a shift of a rota",
    TeamAct.SHIFT_ENDED: "Ended a shift of a rota",
    TeamAct.COVER_SET: "Set a cover in a rota",
    TeamAct.COVER_ENDED: "Ended a cover in a rota",
}


def _line(row: TeamChange) -> Line:
    return Line(
        key=place(row.at, row.pk, kind=OF_A_TEAM),
        at=row.at,
        by=row.by.username,
        act=row.act,
        name=NAMES[row.act],
        result=f"{row.team or row.rota}. {row.said}".strip(),
    )


def lines(asked: Asked, *, before: int | None) -> list[Line]:
    """Return the changes behind `before` that fit; there are as many as administrators make.

    Whoever reads some recipients alone sees those alone that are about one of them.
    """
    stated = {
        "act": asked.act or None,
        "by__username": asked.person or None,
        "recipient__key": asked.recipient or None,
        "recipient__in": asked.among,
        "at__gte": asked.since,
        "at__lt": asked.until,
    }
    rows = TeamChange.objects.filter(**{name: value for name, value in stated.items() if value is not None})
    found = map(_line, rows.select_related("team", "rota", "by").order_by("-id"))
    return [line for line in found if before is None or line.key < before]
