"""How a batch of asks ended is written in one transaction: what was learnt, the plans, and the recipients' pace.

An ask without an answer teaches nothing of the operation: it leaves no observation, only a line on the plan. An answer
that comes after its lease lapsed is evidence all the same; its event is made of the lease, so that it is stored once.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias
from uuid import UUID

from django.db import DataError, IntegrityError, transaction

from operations import models
from operations.reading import judging
from operations.recording import heeding, held, pacing, planning, tallying
from operations.recording.heeding import Said
from operations.recording.held import Answer, Held, Loaded
from operations.recording.observing import EventDiffers, Observed, Report
from operations.recording.pacing import SENTENCE, Heard
from operations.recording.pen import Pen

logger: Final = logging.getLogger(__name__)

# What a single answer can bring about, as against what befalls the database.
OF_ONE_ANSWER = (
    DataError,
    IntegrityError,
    EventDiffers,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)

ReportWith: TypeAlias = Callable[[Pen, Report], Observed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How one ask ended: with a `report`, or without one.

    `failure`: why there was no answer, a sentence. `cannot`: why the question can't be put together; nothing was sent.
    None of the three: the recipient answered that nothing has changed. `headers`: of the answer, whatever it was.
    """

    operation_id: UUID
    recipient_id: int
    channel: str
    at: datetime
    ended_at: datetime
    report: Report | None = None
    failure: str = ""
    cannot: str = ""
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


def event_of(lease: UUID) -> str:
    """Return the id under which an answer is stored: one ask of an operation a lease."""
    return f"ask-{lease.hex}"


class Recording:
    """One batch of asks being recorded: lock, then judge, then save; one transaction, on one thread's connection.

    Judging asks nothing of the database: it may run elsewhere than the thread that locked, while others wait for it.
    """

    def __init__(self, asked: Sequence[Asked], *, lease: UUID, before: Mapping[UUID, Loaded], now: datetime) -> None:
        self.asked = sorted(asked, key=lambda one: one.ended_at)
        self.lease = lease
        self.before = before
        self.now = now
        self._transaction = transaction.atomic()
        self._batch: Held | None = None
        self._settled: set[int] = set()

    def lock(self) -> None:
        """Begin the transaction with all that is needed to judge."""
        told = [one for one in self.asked if one.report is not None]
        held.catch_up([self.before[one.operation_id].operation for one in told], now=self.now)
        self._transaction.__enter__()
        try:
            self._batch = held.hold(
                self.before,
                operations=[one.operation_id for one in self.asked],
                lease=self.lease,
                event=event_of(self.lease),
                answers=[_answer(one) for one in told],
                now=self.now,
            )
        except BaseException as error:
            self.abandon(error)
            raise

    def judge(self, report_with: ReportWith) -> Iterator[None]:
        """Judge one ask after the other."""
        assert self._batch is not None  # noqa: S101  # locked before
        for index, one in enumerate(self.asked):
            operation = self._batch.loaded[one.operation_id].operation
            was_open = tallying.is_open(operation)
            _ended(self._batch, one, lease=self.lease, report_with=report_with)
            if was_open and not tallying.is_open(operation):
                self._settled.add(index)
            yield

    def save(self) -> None:
        """Write it all and end the transaction."""
        assert self._batch is not None  # noqa: S101  # likewise
        heard: dict[int, list[Heard]] = {}
        for one in self.asked:
            if not one.cannot:
                heard.setdefault(one.recipient_id, []).append(_heard(one))
        try:
            self._batch.save()
            pacing.note(heard)
            tallying.tally(self._tallied())
        except BaseException as error:
            self.abandon(error)
            raise
        self._transaction.__exit__(None, None, None)

    def _tallied(self) -> Iterator[tallying.Ended]:
        for index, one in enumerate(self.asked):
            if not one.cannot:
                answered = one.report is not None
                yield tallying.Ended(
                    recipient_id=one.recipient_id,
                    at=one.ended_at,
                    answered=answered,
                    unchanged=not answered and not one.failure,
                    settled=answered and index in self._settled,
                )

    def abandon(self, error: BaseException) -> None:
        """Nothing of it was written."""
        self._transaction.__exit__(type(error), error, error.__traceback__)


def record(
    asked: Sequence[Asked],
    *,
    lease: UUID,
    report_with: ReportWith,
    now: datetime,
    before: Mapping[UUID, Loaded] | None = None,
) -> None:
    """Write how these asks ended; an answer that can't be stored is told as a failed ask and stops no other."""
    try:
        _write(asked, lease=lease, report_with=report_with, before=before, now=now)
    except OF_ONE_ANSWER as error:
        _one_by_one(asked, error, lease=lease, report_with=report_with, now=now)


def _one_by_one(
    asked: Sequence[Asked], error: BaseException, *, lease: UUID, report_with: ReportWith, now: datetime
) -> None:
    if len(asked) > 1:
        for one in asked:
            record([one], lease=lease, report_with=report_with, now=now)
        return
    logger.error("the answer for operation %s could not be stored", asked[0].operation_id, exc_info=error)
    sentence = f"The answer could not be stored: {type(error).__name__}."
    failed = replace(asked[0], report=None, failure=sentence)
    _write([failed], lease=lease, report_with=report_with, before=None, now=now)


def _write(
    asked: Sequence[Asked],
    *,
    lease: UUID,
    report_with: ReportWith,
    before: Mapping[UUID, Loaded] | None,
    now: datetime,
) -> None:
    before = held.load([one.operation_id for one in asked]) if before is None else before
    recording = Recording(asked, lease=lease, before=before, now=now)
    recording.lock()
    try:
        for _ in recording.judge(report_with):
            pass
    except BaseException as error:
        recording.abandon(error)
        raise
    recording.save()


def _answer(one: Asked) -> Answer:
    assert one.report is not None  # noqa: S101  # asked for those alone
    return one.operation_id, one.report.channel, one.report.status, one.report.payload


def _ended(batch: Held, one: Asked, *, lease: UUID, report_with: ReportWith) -> None:
    loaded = batch.loaded[one.operation_id]
    if loaded.due is not None:
        _mark(loaded, loaded.due, one, lease=lease, now=batch.now)
    if one.report is not None:
        report_with(batch.pen(one.operation_id), one.report)
    if loaded.due is not None and one.operation_id not in batch.planned:
        going_on = planning.planned(loaded.operation, loaded.due, now=batch.now)
        batch.planned[one.operation_id] = loaded.due if going_on else None


def _mark(loaded: Loaded, due: models.Due, one: Asked, *, lease: UUID, now: datetime) -> None:
    if due.lease == lease:
        due.lease = due.leased_until = None
    if one.cannot:
        due.asked = {**due.asked, one.channel: {**due.asked.get(one.channel, {}), planning.CANNOT: one.cannot}}
        return
    due.asks_made += 1
    if one.failure:
        due.failed_at, due.failure = one.ended_at, one.failure[:SENTENCE]
    answered_at = None if one.status is None else one.ended_at
    kept = one.report is not None
    said = Said(channel=one.channel, asked_at=one.at, answered_at=answered_at, headers=one.headers, kept=kept)
    heeding.heed(due, said, text=judging(loaded.operation).document, now=now)


def _heard(one: Asked) -> Heard:
    return pacing.as_heard(at=one.ended_at, failure=one.failure, status=one.status, headers=one.headers)
