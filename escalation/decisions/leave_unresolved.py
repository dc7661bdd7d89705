"""Stopping here, outcome unknown: one person names what is missing, who was told and when to look again; nothing is sent.

semantics.md, Permitted actions: it ends an investigation, not the uncertainty.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

from escalation.decisions.taking import Door, Taker, take
from escalation.models import LeftUnresolved
from escalation.policy import May
from operations import recording
from operations.core.actions import Action
from operations.core.missing import Fact, missing

if TYPE_CHECKING:
    from operations.models import Decision

NAME = "leave_unresolved"


class NotMissing(Exception):
    """The fact that was named is not what is missing here."""


class NotLater(Exception):
    """The time to look again is not to come."""


def _require_missing(pen: recording.Pen, fact: Fact) -> None:
    if fact not in [gap.fact for gap in missing(pen.read().standing(now=pen.now))]:
        raise NotMissing("What you named is not missing any more; choose again.")


def leave_unresolved(
    operation_id: UUID, taker: Taker, *, fact: Fact, told: str, look_again_at: datetime, remark: str
) -> LeftUnresolved:
    """Complete the investigation with an unresolved outcome, until `look_again_at` or until anything moves.

    Raises what `take` raises, `NotMissing` and `NotLater`; then nothing is written.
    """

    def write(pen: recording.Pen, decision: "Decision") -> LeftUnresolved:
        _require_missing(pen, fact)
        if look_again_at <= taker.now:
            raise NotLater("The time to look again has passed meanwhile; choose a later one.")
        return LeftUnresolved.objects.create(
            operation=pen.operation,
            decision=decision,
            fact=fact.value,
            told=told,
            look_again_at=look_again_at,
            remark=remark,
            evidence=decision.standing["evidence"],
            finality=decision.standing["finality"],
            conflict=decision.standing["conflict_kind"] or "",
            decided_at=taker.now,
            decided_by=taker.person,
        )

    def again(decision: "Decision") -> LeftUnresolved:
        return LeftUnresolved.objects.get(decision=decision)

    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Action.LEAVE_UNRESOLVED, may=May.LEAVE_UNRESOLVED),
        content={
            "fact": fact.value,
            "told": told,
            "look_again_at": look_again_at.astimezone(UTC).isoformat(),
            "remark": remark,
        },
        write=write,
        again=again,
    )
