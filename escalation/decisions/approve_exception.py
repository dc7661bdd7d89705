"""A second person accepts a risk, or declines it: never who proposed it, and only on the standing it was proposed on."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from escalation.decisions.business_exception import in_words
from escalation.decisions.refused import NotAllowed
from escalation.decisions.taking import Door, Taker, take
from escalation.models import BusinessException
from escalation.models.business_exception import Excuses, State
from escalation.policy import May, above_limit, not_the_second
from operations import recording
from operations.core.actions import Action
from operations.core.facts import Attempt
from operations.core.scenario import answer

if TYPE_CHECKING:
    from datetime import datetime

    from operations.models import Decision
    from operations.reading import Read

APPROVE = "approve_exception"
DECLINE = "decline_exception"
# The parts of the answer of semantics.md that are the standing; pacing and what does not count are no part of it.
STANDING = (
    "evidence",
    "finality",
    "protection",
    "protection_until",
    "protection_reason",
    "conflict_kind",
    "duplicate_effect",
    "further_effect",
)


class NoSuchException(Exception):
    """No exception has this number."""


class NotWaiting(Exception):
    """It waits for nobody any more; the message says why."""


class ChangedSinceProposed(Exception):
    """What was known when it was proposed is not what is known now."""


def operation_of(exception_id: int) -> UUID:
    """Return the id of the operation that an exception is about; raises `NoSuchException`."""
    found = BusinessException.objects.filter(pk=exception_id).values_list("operation_id", flat=True).first()
    if found is None:
        raise NoSuchException(str(exception_id))
    return found


def changed(exception: BusinessException, read: Read, *, now: datetime) -> bool:
    """Whether anything that an exception was proposed on is otherwise now: the standing, or what was sent.

    A revision alone would say both too much and too little: an answer that settles nothing is a new one, and a window
    that ran out is none.
    """
    then, here = exception.decision.standing, answer(read.standing(now=now))
    if any(then[part] != here[part] for part in STANDING):
        return True
    rows = zip(read.rows, read.facts.events, strict=True)
    return any(isinstance(event, Attempt) and row.position > exception.decision.position for row, event in rows)


def _held(exception_id: int, *, now: datetime) -> BusinessException:
    rows = BusinessException.objects.select_for_update(of=("self",)).select_related("decision", "proposed_by")
    row = rows.with_state(now).get(pk=exception_id)
    if row.state != State.WAITING:
        raise NotWaiting(f"It waits for nobody any more: {in_words(row.state)}.")
    waiting: BusinessException = row
    return waiting


def _require_second(row: BusinessException, taker: Taker) -> None:
    recipient = row.operation.recipient_id
    refused = not_the_second(taker.person, first=row.proposed_by)
    refused = refused or above_limit(taker.person, recipient=recipient, exposure=row.money)
    if refused is not None:
        raise NotAllowed(refused)


def approve(exception_id: int, taker: Taker, *, remark: str) -> BusinessException:
    """Accept a risk that another person proposed; what it excuses is excused from now on, once.

    Raises what `take` raises, `NoSuchException`, `NotWaiting` and `ChangedSinceProposed`; then nothing is written.
    """

    def write(pen: recording.Pen, decision: Decision) -> BusinessException:
        row = _held(exception_id, now=taker.now)
        _require_second(row, taker)
        if changed(row, pen.read(), now=taker.now):
            raise ChangedSinceProposed("It changed since it was proposed; propose anew.")
        row.approved_at, row.approved_by = taker.now, taker.person
        row.judgement, row.remark = decision, remark
        if row.excuses == Excuses.STOPPING:  # it is stopped by this, and nothing else will ever use it
            row.used_at, row.used_by = taker.now, taker.person
        row.save(update_fields=("approved_at", "approved_by", "judgement", "remark", "used_at", "used_by"))
        return row

    door = Door(name=APPROVE, action=Action.EXCEPT, may=May.APPROVE_EXCEPTION)
    return take(
        operation_of(exception_id),
        taker,
        door=door,
        content={"exception": exception_id, "remark": remark},
        write=write,
        again=lambda decision: BusinessException.objects.get(judgement=decision),
    )


def decline(exception_id: int, taker: Taker, *, remark: str) -> BusinessException:
    """Decline a risk, for a reason; whoever proposed it may take it back so, if they hold the role.

    Raises what `take` raises, `NoSuchException` and `NotWaiting`; then nothing is written.
    """

    def write(_: recording.Pen, decision: Decision) -> BusinessException:
        row = _held(exception_id, now=taker.now)
        row.declined_at, row.declined_by = taker.now, taker.person
        row.judgement, row.remark = decision, remark
        row.save(update_fields=("declined_at", "declined_by", "judgement", "remark"))
        return row

    door = Door(name=DECLINE, action=Action.EXCEPT, may=May.APPROVE_EXCEPTION, refrains=True)
    return take(
        operation_of(exception_id),
        taker,
        door=door,
        content={"exception": exception_id, "remark": remark},
        write=write,
        again=lambda decision: BusinessException.objects.get(judgement=decision),
    )
