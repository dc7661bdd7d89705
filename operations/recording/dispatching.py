"""A send of this desk is claimed once, by compare-and-set, and its progress is the only thing of it that changes.

design.md, rules 3 and 4: the intent is durable before the first byte, and whoever dies on the way leaves an attempt of
unknown outcome, never a resend. All times are the desk's.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from operations import models
from operations.core.facts import Sends
from operations.models.identifiers import uuid7
from operations.recording.pen import Pen, writing
from operations.recording.registering import Intent, attempt_row

LAPSED: Final = "lapsed"
SENTENCE: Final = 300
_DIED: Final = "Whoever sent it stopped on the way: nobody knows how far it came. Nothing is sent again by itself."


class UnderWay(Exception):
    """This desk is sending for this operation already; one send at a time."""


def authorise_send(
    pen: Pen, *, address: str, credential: str, send_by: datetime, by: str
) -> tuple[models.Attempt, models.Dispatch]:
    """Append the intent to send once, and the dispatch that waits for it, in the caller's transaction.

    Raises `UnderWay`.
    """
    operation = pen.operation
    if under_way(operation.id) is not None:
        raise UnderWay("This desk is sending it already.")
    intent = Intent(attempt=f"desk-{uuid7(pen.now).hex}", sends=Sends.ONE, scope=operation.scope, begun_at=pen.now)
    attempt = attempt_row(operation, intent, number=operation.attempts.count() + 1, now=pen.now, by=by)
    pen.append(attempt)
    dispatch = models.Dispatch(
        attempt=attempt, operation=operation, address=address, credential=credential, send_by=send_by
    )
    dispatch.save(force_insert=True)
    return attempt, dispatch


def under_way(operation_id: UUID) -> models.Dispatch | None:
    """Return the dispatch of an operation that lives, if there is one."""
    return models.Dispatch.objects.filter(operation_id=operation_id, live=True).first()


def operation_of(attempt_id: UUID) -> UUID | None:
    """Return the operation of an attempt (row id) that this desk sends; None where it doesn't."""
    found = models.Dispatch.objects.filter(attempt_id=attempt_id)
    return found.values_list("operation_id", flat=True).first()


def sends(operation_id: UUID, attempt: str) -> bool:
    """Say whether this desk itself sends an attempt (its own id) of an operation, or sent it."""
    return models.Dispatch.objects.filter(operation_id=operation_id, attempt__attempt=attempt).exists()


def unclaimed(pen: Pen, attempt_id: UUID) -> models.Dispatch | None:
    """Return the dispatch of an attempt of the locked operation, locked, if nobody claimed it yet."""
    rows = models.Dispatch.objects.select_for_update(of=("self",)).select_related("attempt")
    return rows.filter(attempt_id=attempt_id, operation=pen.operation, live=True, claimed_by="").first()


def claim(found: models.Dispatch, *, by: str, leased_until: datetime) -> bool:
    """Claim a dispatch for one worker, and say whether it was still free (design.md, rule 4)."""
    free = models.Dispatch.objects.filter(attempt_id=found.attempt_id, live=True, claimed_by="")
    return free.update(claimed_by=by, leased_until=leased_until) == 1


def progress(attempt_id: UUID, facts: Mapping[str, Any]) -> None:
    """Write how far a send has come; after it ended nothing is changed."""
    models.Dispatch.objects.filter(attempt_id=attempt_id, live=True).update(**facts)


def end(attempt_id: UUID, *, ended_as: str, because: str, at: datetime, facts: Mapping[str, Any]) -> None:
    """Write how a send ended. One whose lease lapsed meanwhile keeps that it did, and learns its facts all the same."""
    rows = models.Dispatch.objects.filter(attempt_id=attempt_id)
    ended = {"live": False, "ended_at": at, "ended_as": ended_as, "because": because[:SENTENCE]}
    if not rows.filter(live=True).update(**facts, **ended):
        rows.update(**facts)


def waiting(*, most: int) -> list[UUID]:
    """Return attempts (row ids) whose dispatch nobody claimed, the oldest first: their message may have been lost."""
    rows = models.Dispatch.objects.filter(live=True, claimed_by="").order_by("attempt_id")
    return list(rows.values_list("attempt_id", flat=True)[:most])


def end_lapsed(*, now: datetime, most: int) -> int:
    """End dispatches whose lease ran out, and return how many: attempts of unknown outcome, which block nothing."""
    lapsed = models.Dispatch.objects.filter(live=True, leased_until__lte=now).order_by("leased_until")
    ended = 0
    for attempt_id, operation_id in lapsed.values_list("attempt_id", "operation_id")[:most]:
        with writing(operation_id, now=now) as pen:
            rows = models.Dispatch.objects.filter(attempt_id=attempt_id, live=True, leased_until__lte=now)
            if rows.update(live=False, ended_at=now, ended_as=LAPSED, because=_DIED):
                pen.operation.revision += 1  # readers see it, though no link was added
                pen.finish()
                ended += 1
    return ended


def dispatches(operation: models.Operation) -> list[models.Dispatch]:
    """Return the sends of this desk for an operation, the newest first."""
    return list(operation.dispatches.select_related("attempt").order_by("-attempt__number"))
