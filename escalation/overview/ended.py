"""How operations that needed people ended: what settled them, and what people decided."""

from dataclasses import dataclass
from datetime import datetime

from escalation.models.day_sum import Figure
from escalation.overview.counting import Plan, counted
from escalation.overview.decided import Decided, how_many
from escalation.overview.ranges import Asked
from escalation.overview.settled import Settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How many ended in each way (docs/overview.md, How they ended); one operation may be in several.

    `evidence` and `repeat` are None where they are not known for all of the time; together they are the cases that ended.
    """

    evidence: int | None
    repeat: int | None
    repair: int
    new_operation: int
    exception: int
    left_unresolved: int
    as_of: datetime | None


def ended(asked: Asked, by: Plan) -> Ended:
    """Return how many ended in each way."""
    found = counted(Figure.SETTLED, asked, by)
    ways = found.by_part()
    known = found.parts is not None
    return Ended(
        evidence=ways.get(Settled.EVIDENCE, 0) if known else None,
        repeat=ways.get(Settled.REPEAT, 0) if known else None,
        repair=how_many(Decided.REPAIR, asked),
        new_operation=how_many(Decided.NEW_OPERATION, asked),
        exception=how_many(Decided.EXCEPTION, asked),
        left_unresolved=how_many(Decided.LEFT, asked),
        as_of=found.as_of,
    )
