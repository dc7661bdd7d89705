"""What is owed to agents: what is settled or decided, and not evidenced as delivered. Read off the rows; no flag says it.

The position of a link in an operation's chain says what came after what: a delivery names how many links the record had
when the result was given out, and whatever settled or was decided behind them is owed still. What the agent's own side
reported is not owed to it: it was there.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, Exists, IntegerField, Max, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Least

from operations import models
from operations.core.facts import Claim
from operations.core.standing import Evidence, Finality
from operations.core.worded import Worded
from operations.models.delivery import ARRIVED as ARRIVED
from operations.models.delivery import Delivery
from operations.models.delivery import Step as Step
from operations.models.operation import Operation

# Doors whose decision changes nothing for the agent: a risk that somebody else still has to accept, or that nobody took.
TELLS_NOTHING: Final = ("business_exception", "decline_exception")
_SETTLES: Final = (Claim.APPLIED.value, Claim.CLOSED.value, Claim.ATTEMPT_REFUSED.value)
_SETTLED: Final = (Finality.SETTLED.value, Finality.EXCLUDED.value)
_ORDER: Final = tuple([step.value for step in Step])
_KEY: Final = "key unr_"  # how a program signs what it reports (operations/keys.py)


class Why(Worded):
    """Why a result is owed; `sentence` says it to people."""

    SETTLED = "settled", "It is settled, and the agent did not learn that by itself."
    DECIDED = "decided", "A person decided about it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """One operation of which something is owed: `since` when, `why`, and when it was last given out without an answer.

    `sent_at`: since when a record shows that it was sent to a model, None where none shows that. It is owed still: no
    reply is on record.
    """

    operation: Operation
    since: datetime
    why: tuple[Why, ...]
    collected_at: datetime | None
    sent_at: datetime | None


def _after(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    return rows.filter(operation=OuterRef("pk"), position__gte=OuterRef("told"))


def _earliest(rows: "QuerySet[Any]", column: str) -> Subquery:
    found = _after(rows).order_by().values("operation").annotate(first=Min(column))
    return Subquery(found.values("first")[:1])


def _asked(among: Collection[int] | None) -> "QuerySet[Operation]":
    arrived = models.Delivery.objects.filter(operation=OuterRef("pk"), step__in=ARRIVED).order_by().values("operation")
    told = Subquery(arrived.annotate(most=Max("links")).values("most")[:1], output_field=IntegerField())
    rows = models.Operation.objects.annotate(told=Coalesce(told, Value(0)))
    rows = rows if among is None else rows.filter(recipient_id__in=among)
    return rows.filter(~Q(Exists(models.Closing.objects.filter(closing=OuterRef("pk")))))


def _is_news(readings: "QuerySet[Any]", elsewhere: "QuerySet[Any]") -> Q:
    """Return whether what settled it is news to the agent: it neither reported nor was told of it; a second reading is none."""
    happened = Q(evidence=Evidence.APPLIED.value)
    by_agent = readings.filter(operation=OuterRef("pk"), observation__source__startswith=_KEY)
    told = readings.filter(operation=OuterRef("pk"), position__lt=OuterRef("told"))
    known = [
        condition & (Q(Exists(by_agent.filter(says=claim))) | Q(Exists(told.filter(says=claim))))
        for condition, claim in ((happened, Claim.APPLIED.value), (~happened, Claim.CLOSED.value))
    ]
    return Q(Exists(_after(elsewhere))) & ~known[0] & ~known[1]


def owed(*, among: Collection[int] | None) -> "QuerySet[Any]":
    """Return the operations of these recipients (row ids; None: all) of which something is owed, with `since`.

    `decided_since` and `settled_since` say why, None where it isn't for that. One that only closes another owes nothing:
    what it comes to is the other's.
    """
    decisions = models.Decision.objects.exclude(door__in=TELLS_NOTHING)
    readings = models.Reading.objects.filter(says__in=_SETTLES, counts=True)
    elsewhere = readings.exclude(observation__source__startswith=_KEY)
    settled = Q(finality__in=_SETTLED) & _is_news(readings, elsewhere)
    rows = _asked(among).filter(Q(Exists(_after(decisions))) | settled)
    rows = rows.annotate(
        decided_since=_earliest(decisions, "decided_at"),
        settled_since=Case(When(settled, then=_earliest(elsewhere, "read_at")), default=None),
    )
    return rows.annotate(since=Least("decided_since", "settled_since"))


def owed_to_somebody(operations: Collection[UUID]) -> dict[UUID, datetime]:
    """Return, of these operations, since when something is owed where somebody waits for it.

    Somebody does where the request names its agent, run or call, where a call of a run is bound to it, or where a result
    of it was fetched once.
    """
    fetched = models.Delivery.objects.filter(operation=OuterRef("pk"), step=Step.COLLECTED.value)
    called = models.CallBinding.objects.filter(operation=OuterRef("pk"))
    waits = ~Q(agent="", run="", call="") | Q(Exists(called)) | Q(Exists(fetched))
    return dict(owed(among=None).filter(waits, pk__in=operations).values_list("pk", "since"))


def results_owed(
    *, among: Collection[int] | None, limit: int, since_before: datetime | None = None, operation: UUID | None = None
) -> list[Owed]:
    """Return up to `limit` results that are owed, those owed longest first.

    `among` are recipients (row ids; None: all). `since_before`: those alone that are owed since before then. `operation`:
    that one alone.
    """
    rows = owed(among=among)
    rows = rows if operation is None else rows.filter(pk=operation)
    rows = rows if since_before is None else rows.filter(since__lt=since_before)
    found = rows.annotate(collected_at=_last(Step.COLLECTED), sent_at=_last(Step.SENT)).select_related("recipient")
    return [_owed(row) for row in found.defer("headers", "body", "arguments").order_by("since", "pk")[:limit]]


def _last(step: Step) -> Subquery:
    """Return when a step was last told of what has not arrived since."""
    found = models.Delivery.objects.filter(operation=OuterRef("pk"), step=step.value, links__gt=OuterRef("told"))
    return Subquery(found.order_by("-recorded_at").values("recorded_at")[:1])


def _owed(row: Any) -> Owed:
    why = [(Why.SETTLED, row.settled_since), (Why.DECIDED, row.decided_since)]
    return Owed(
        operation=row,
        since=row.since,
        why=tuple([word for word, since in why if since is not None]),
        collected_at=row.collected_at,
        sent_at=row.sent_at,
    )


def count(*, among: Collection[int] | None, most: int) -> int:
    """Return how many results are owed, counting no further than `most`."""
    return owed(among=among)[:most].count()


def deliveries(operation_id: UUID) -> list[Delivery]:
    """Return every step of the hand-over of an operation's results, in the order in which they were told."""
    rows = models.Delivery.objects.filter(operation_id=operation_id).select_related("transcript")
    found = list(rows.defer("transcript__content").order_by("recorded_at", "pk"))
    return sorted(found, key=lambda row: (row.recorded_at, _ORDER.index(row.step)))


def newest_decisions(operation_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return, by operation, the door of the newest decision that tells its agent something."""
    rows = models.Decision.objects.filter(operation__in=operation_ids).exclude(door__in=TELLS_NOTHING)
    return dict(rows.order_by("position").values_list("operation", "door"))


def settled_or_decided(operation_id: UUID) -> list[tuple[int, str, datetime]]:
    """Return the links of an operation's record that settled or decided something: position, what, and when."""
    decisions = models.Decision.objects.filter(operation=operation_id).exclude(door__in=TELLS_NOTHING)
    settling = models.Reading.objects.filter(
        operation=operation_id, counts=True, says__in=_SETTLES, operation__finality__in=_SETTLED
    )
    found = [*decisions.values_list("position", "door", "decided_at")]
    found += settling.values_list("position", "says", "read_at")
    return sorted([(position, what.replace("_", " "), at) for position, what, at in found])
