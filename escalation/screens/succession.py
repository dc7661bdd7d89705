"""Whom an operation carries on from, and who carries it on: linked, never merged."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from escalation.models import NewOperation
from escalation.screens.sight import Sight
from operations.core.facts import SuccessorState
from operations.core.standing import Evidence

if TYPE_CHECKING:
    from operations import models


@dataclass(frozen=True, slots=True)
class Carried:
    """One link as its page shows it. `other` is the operation at its other end, `said` how that stands."""

    row: NewOperation
    other: "models.Operation"
    said: str


def successors(sight: Sight) -> list[Carried]:
    """Return the new operations in place of this one, the newest first."""
    rows = NewOperation.objects.filter(operation=sight.operation).select_related("decision__successor", "successor")
    return list(_carried(rows.order_by("-decision__position")))


def _carried(rows: Iterable[NewOperation]) -> Iterator[Carried]:
    for row in rows:
        state = row.decision.successor.state
        ended = state is SuccessorState.NO_EFFECT
        yield Carried(row, row.successor, "It ended without effect." if ended else "It is still open.")


def predecessor(sight: Sight) -> Carried | None:
    """Return what this operation was authorised in place of, None where it is nobody's successor."""
    row = NewOperation.objects.filter(successor=sight.operation).select_related("decision", "operation").first()
    if row is None:
        return None
    said = "" if sight.attempts else "Nothing was sent of it yet."
    if row.operation.evidence == Evidence.APPLIED:
        said = f"{said} The original happened after all.".strip()
    return Carried(row, row.operation, said)
