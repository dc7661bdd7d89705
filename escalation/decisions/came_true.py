"""Later evidence is joined to an accepted risk: whether it came true is read off what is established, never assigned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db.models import Case, CharField, Q, Value, When

from escalation.models.business_exception import Annotated, Loss
from operations.core.standing import Evidence, Finality, FurtherEffect
from operations.core.worded import Worded


class Score(Worded):
    """What became of an accepted risk."""

    NOT_TAKEN = "not_taken", "No risk was taken"
    CAME_TRUE = "came_true", "Came true"
    DID_NOT = "did_not", "Did not come true"
    UNKNOWN = "unknown", "Still unknown"


_TWICE: Final = {"loss": Loss.TWICE}
_HAPPENED: Final = {"operation__evidence": Evidence.APPLIED}
_EXCLUDED: Final = {"operation__finality": Finality.EXCLUDED}
_NOT_AGAIN: Final = {"operation__further_effect": FurtherEffect.EXCLUDED}
_NO_SUCCESSOR: Final = {"successor__isnull": True}
Row = tuple[Score, Mapping[str, object]]
RULE: Final[tuple[Row, ...]] = (
    (Score.NOT_TAKEN, {"used_at__isnull": True}),
    # Loss: that it happens twice.
    (Score.CAME_TRUE, {**_TWICE, **_HAPPENED, "operation__duplicate_effect": True}),
    (Score.CAME_TRUE, {**_TWICE, **_HAPPENED, "successor__evidence": Evidence.APPLIED}),
    (Score.DID_NOT, {**_TWICE, **_EXCLUDED}),
    (Score.DID_NOT, {**_TWICE, **_HAPPENED, **_NOT_AGAIN, "successor__finality": Finality.EXCLUDED}),
    (Score.DID_NOT, {**_TWICE, **_HAPPENED, **_NOT_AGAIN, **_NO_SUCCESSOR}),
    # Loss: that it never happened.
    (Score.CAME_TRUE, {"loss": Loss.MISSING, **_EXCLUDED}),
    (Score.DID_NOT, {"loss": Loss.MISSING, **_HAPPENED}),
    # Loss: that it happened, or still will.
    (Score.CAME_TRUE, {"loss": Loss.HAPPENED, **_HAPPENED}),
    (Score.DID_NOT, {"loss": Loss.HAPPENED, **_EXCLUDED}),
)


def score(known: Mapping[str, object]) -> Score:
    """Return what became of a risk, from the columns that `RULE` names: the first row that holds, else still unknown.

    The rule, in words. Nothing was risked until what the exception excuses was done: the second operation created, or
    the stop approved. From then on, by what was feared:

    - *that it happens twice*: it came true if it happened and the recipient names two effects of it, or if both the
      original and the second operation happened. It did not if the original is ruled out for good; or if the original
      happened, can't happen again, and the second operation is ruled out (or there is none, after a stop).
    - *that it never happened*: it came true if it is ruled out for good, and did not if it happened.
    - *that it happened, or still will*: the other way round.

    Anything else is still unknown: nothing established, something that may still act, or a recipient that contradicts
    itself, in which case nothing is established by the law (semantics.md, Conflict). "Not there when read" rules
    nothing out.
    """
    for found, columns in RULE:
        if all(known[column] == value for column, value in columns.items()):
            return found
    return Score.UNKNOWN


def scored(rows: Annotated) -> Annotated:
    """Annotate each exception with its `score`: the same rule, read by the database off what is inferred in the rows.

    Those columns are inferred at every write; none that the rule looks at changes by the passing of time alone.
    """
    whens = [When(Q(**columns), then=Value(found.value)) for found, columns in RULE]
    joined: Annotated = rows.annotate(score=Case(*whens, default=Value(Score.UNKNOWN.value), output_field=CharField()))
    return joined
