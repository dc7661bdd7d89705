"""How a batch of asks ended is written in one transaction: what was learnt, the plans, and the recipients' pace.

An ask without an answer teaches nothing of the operation: it leaves no observation, only a line on the plan. An answer
that comes after its lease lapsed is evidence all the same; its event is made of the lease, so that it is stored once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import DataError, IntegrityError, transaction

from operations import models
from operations.recording import held, pacing, planning
from operations.recording.held import Held
from operations.recording.observing import EventDiffers, Observed, Report
from operations.recording.pacing import SENTENCE, Heard
from operations.recording.pen import Pen

# What a single answer can bring about, as against what befalls the database.
_OF_ONE_ANSWER = (
    DataError,
    IntegrityError,
    EventDiffers,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)


LONGEST_TAG: Final = 260


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How one ask ended: with a `report`, or without one.

    `failure`: why there was no answer, a sentence. `cannot`: why the question can't be put together; nothing was sent.
    None of the three: the recipient answered that nothing has changed. `not_before`: its Retry-After as a time.
    """

    operation_id: UUID
    recipient_id: int
    channel: str
    at: datetime
    ended_at: datetime
    report: Report | None = None
    failure: str = ""
    cannot: str = ""
    not_before: datetime | None = None
    status: int | None = None
    etag: str = ""


def event_of(lease: UUID) -> str:
    """Return the id under which an answer is stored: one ask of an operation a lease."""
    return f"ask-{lease.hex}"


def record(
    asked: Sequence[Asked], *, lease: UUID, report_with: Callable[[Pen, Report], Observed], now: datetime
) -> None:
    """Write how these asks ended; an answer that can't be stored is told as a failed ask and stops no other."""
    held.catch_up([one.operation_id for one in asked if one.report is not None], now=now)
    try:
        _write(asked, lease=lease, report_with=report_with, now=now)
    except _OF_ONE_ANSWER as error:
        if len(asked) == 1:
            sentence = f"The answer could not be stored: {type(error).__name__}."
            _write([replace(asked[0], report=None, failure=sentence)], lease=lease, report_with=report_with, now=now)
            return
        for one in asked:
            record([one], lease=lease, report_with=report_with, now=now)


def _write(
    asked: Sequence[Asked], *, lease: UUID, report_with: Callable[[Pen, Report], Observed], now: datetime
) -> None:
    heard: dict[int, list[Heard]] = {}
    with transaction.atomic():
        batch = held.hold([one.operation_id for one in asked], events=[event_of(lease)], now=now)
        for one in sorted(asked, key=lambda one: one.ended_at):
            _ended(batch, one, lease=lease, report_with=report_with)
            if not one.cannot:
                heard.setdefault(one.recipient_id, []).append(_heard(one))
        batch.save()
        pacing.note(heard)


def _ended(batch: Held, one: Asked, *, lease: UUID, report_with: Callable[[Pen, Report], Observed]) -> None:
    due = batch.due.get(one.operation_id)
    if due is not None:
        _mark(due, one, lease=lease)
    if one.report is not None:
        report_with(batch.pen(one.operation_id), one.report)
    if due is not None and one.operation_id not in batch.planned:
        going_on = planning.planned(batch.operations[one.operation_id], due, now=batch.now)
        batch.planned[one.operation_id] = due if going_on else None


def _mark(due: models.Due, one: Asked, *, lease: UUID) -> None:
    if due.lease == lease:
        due.lease = due.leased_until = None
    if one.cannot:
        due.asked = {**due.asked, one.channel: {**due.asked.get(one.channel, {}), planning.CANNOT: one.cannot}}
        return
    due.asks_made += 1
    planning.mark_asked(due, one.channel, at=one.at, not_before=one.not_before, etag=one.etag[:LONGEST_TAG])
    if one.failure:
        due.failed_at, due.failure = one.ended_at, one.failure[:SENTENCE]


def _heard(one: Asked) -> Heard:
    leave_alone = one.not_before if one.status in {429, 503} else None
    return Heard(at=one.ended_at, failure=one.failure, not_before=leave_alone, status=one.status)
