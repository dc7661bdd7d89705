"""What people did, the newest first: decisions and completions, as whoever audits asks for them.

Both carry ids that sort by the time they were written (identifiers.py), so that one number is order and place in the
list: a page goes on behind the last act of the one before, and neither skips nor repeats one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from operations import models

COMPLETION: Final = "completion"
_UNUSED: Final = ("operation__body", "operation__arguments", "operation__headers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked for: empty words and None narrow nothing; times are aware, `until` is exclusive.

    `among` are the recipients (row ids) whose acts may be told.
    """

    person: str = ""
    act: str = ""
    recipient: str = ""
    since: datetime | None = None
    until: datetime | None = None
    among: Collection[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that somebody did: `act` is a door's name or `completion`, `standing` what it stood on.

    `outcome` and `effect_ref` are what our record says by it, empty where it says nothing.
    """

    key: int
    at: datetime
    by: str
    act: str
    operation: models.Operation
    position: int
    digest: bytes
    standing: Mapping[str, Any]
    content: Mapping[str, Any]
    outcome: str = ""
    effect_ref: str = ""


def _narrowed(rows: QuerySet[Any], asked: Asked, *, at: str, by: str, before: int | None) -> QuerySet[Any]:
    if before is not None:
        rows = rows.filter(id__lt=UUID(int=before))
    stated = {
        by: asked.person or None,
        "operation__recipient__key": asked.recipient or None,
        f"{at}__gte": asked.since,
        f"{at}__lt": asked.until,
        "operation__recipient_id__in": asked.among,
    }
    rows = rows.filter(**{name: value for name, value in stated.items() if value is not None})
    return rows.select_related("operation__recipient").defer(*_UNUSED).order_by("-id")


def _written(rows: list[models.Decision]) -> dict[tuple[UUID, int], models.Completion]:
    """Return the completion that each decision led to, which is the next link, by the decision's place."""
    found = models.Completion.objects.filter(operation__in={row.operation_id for row in rows})
    return {(row.operation_id, row.position - 1): row for row in found}


def _decisions(asked: Asked, *, before: int | None, limit: int) -> Iterator[Act]:
    rows = _narrowed(models.Decision.objects.all(), asked, at="decided_at", by="decided_by", before=before)
    taken = list((rows.filter(door=asked.act) if asked.act else rows)[:limit])
    written = _written(taken)
    for row in taken:
        completion = written.get((row.operation_id, row.position))
        yield Act(
            key=row.id.int,
            at=row.decided_at,
            by=row.decided_by,
            act=row.door,
            operation=row.operation,
            position=row.position,
            digest=bytes(row.digest),
            standing=row.standing,
            content=row.content,
            outcome="" if completion is None else completion.outcome,
            effect_ref="" if completion is None else completion.effect_ref,
        )


def _completions(asked: Asked, *, before: int | None, limit: int) -> Iterator[Act]:
    rows = _narrowed(models.Completion.objects.all(), asked, at="completed_at", by="completed_by", before=before)
    for row in rows[:limit]:
        yield Act(
            key=row.id.int,
            at=row.completed_at,
            by=row.completed_by,
            act=COMPLETION,
            operation=row.operation,
            position=row.position,
            digest=bytes(row.digest),
            standing=row.standing,
            content={"receipt": None if row.receipt_id is None else str(row.receipt_id)},
            outcome=row.outcome,
            effect_ref=row.effect_ref,
        )


def acts(asked: Asked, *, before: int | None, limit: int) -> list[Act]:
    """Return up to `limit` acts, the newest first, all behind `before` (the key of another)."""
    found: list[Act] = []
    if asked.act != COMPLETION:
        found += _decisions(asked, before=before, limit=limit)
    if asked.act in ("", COMPLETION):
        found += _completions(asked, before=before, limit=limit)
    return list(islice(sorted(found, key=lambda act: act.key, reverse=True), limit))


def doors() -> list[str]:
    """Return the name of every door through which a decision was taken."""
    return list(models.Decision.objects.order_by("door").values_list("door", flat=True).distinct())
