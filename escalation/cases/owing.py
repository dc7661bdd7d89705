"""When a result is owed to an agent that waits, and nothing shows in time that it arrived, its case says so.

Right after any outage: the time is a column (`Owing.call_at`), and whatever came due meanwhile is found at once. Two
sweeps at the same time say it once, since each looks again under the operation's lock. Where nobody waits nothing is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.conf import settings

from escalation.models import Owing
from operations.reading.owed import owed_to_somebody
from operations.recording import watching, writing
from operations.recording.planning import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from operations.models import Operation

logger: Final = logging.getLogger(__name__)


def within(recipient: int) -> timedelta:
    """Return how long a result of this recipient (row id) may be owed before a person is called."""
    named: dict[str, float] = settings.OWED_WITHIN_FOR
    seconds = named.get(key_of(recipient)) if named else None
    return timedelta(seconds=settings.OWED_WITHIN if seconds is None else seconds)


def owed_too_long(operations: Sequence[Operation], *, now: datetime) -> frozenset[UUID]:
    """Return those of these locked operations whose result is owed for too long, and keep when the others will be."""
    if not operations:
        return frozenset()
    since = owed_to_somebody([one.id for one in operations])
    kept = {row.pk: row for row in Owing.objects.filter(pk__in=[one.id for one in operations])}
    rows = [_row(one, since[one.id], now=now) for one in operations if one.id in since]
    _write([row for row in rows if not _is_same(row, kept.get(row.pk))])
    _forget(kept.keys() - since.keys())
    return frozenset([row.pk for row in rows if row.call_at is None])


def _row(operation: Operation, since: datetime, *, now: datetime) -> Owing:
    late = since + within(operation.recipient_id)
    return Owing(operation_id=operation.id, since=since, call_at=None if late <= now else late)


def _is_same(row: Owing, kept: Owing | None) -> bool:
    return kept is not None and (row.since, row.call_at) == (kept.since, kept.call_at)


def _write(rows: Sequence[Owing]) -> None:
    if rows:
        Owing.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["operation"], update_fields=["since", "call_at"]
        )


def _forget(operations: Collection[UUID]) -> None:
    if operations:
        Owing.objects.filter(pk__in=operations).delete()


def call(*, now: datetime, most: int) -> int:
    """Have up to `most` cases say that a result is owed for too long; return how many there were."""
    due = Owing.objects.filter(call_at__lte=now).order_by("call_at").values_list("pk", flat=True)
    return sum([_called(one, now=now) for one in list(due[:most])])


def _called(operation_id: UUID, *, now: datetime) -> bool:
    """Have one case brought in line, in a transaction of its own; one that goes wrong keeps no other waiting."""
    try:
        with writing(operation_id, now=now) as pen:
            if not Owing.objects.filter(pk=operation_id, call_at__lte=now).exists():
                return False
            watching.tell_as_it_is(pen.operation, now=now)
    except Exception:
        logger.exception("nobody could be called for the result of operation %s", operation_id)
        return False
    return True
