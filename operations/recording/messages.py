"""Messages are stored before anything is made of them, once each; where one belongs is a pointer that is set once.

How much one recipient may have stored is bounded by the minute, by the day and in orphans (Limits), so that no flood
fills the disk; one row a recipient, locked as a message is stored, keeps the count for all workers.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from psycopg.errors import LockNotAvailable

from operations import models
from operations.models.identifiers import uuid7

Row = TypeVar("Row", models.Message, models.Hearing)

MINUTE: Final = timedelta(minutes=1)
DAY: Final = timedelta(days=1)
# Whoever hears for the desk agrees on the time about as closely.
CLOCKS_APART: Final = timedelta(seconds=30)
NOTED_EVERY: Final = timedelta(seconds=1)
SENTENCE: Final = 300
# How long whoever judges waits for an operation that somebody else writes; the sweep comes again.
LOCK_WAIT: Final = "2s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is stored for one recipient at most: messages a minute, bytes a day, orphans at a time."""

    messages_a_minute: int
    bytes_a_day: int
    orphans: int


class TooMany(Exception):
    """Nothing more is stored for this recipient now; `wait` are the seconds until it may try again."""

    def __init__(self, sentence: str, *, wait: int) -> None:
        super().__init__(sentence)
        self.wait = wait


class AlreadyLinked(Exception):
    """The message belongs to an operation already; a link is set once."""


class NoSuchMessage(Exception):
    """No message has this id."""


class Busy(Exception):
    """Somebody else is writing to the message or its operation; nothing was written, and it can be tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One proven message on its way into its row; `signed` are the lines among `headers` that its signature covers."""

    recipient_id: int
    contract_id: int
    channel: str
    event: str
    digest: str
    headers: tuple[tuple[str, str], ...]
    signed: tuple[tuple[str, str], ...]
    payload: bytes
    verified_by: str


def store(told: Told, *, belongs: Callable[[], bool], limits: Limits, now: datetime) -> tuple[UUID, bool]:
    """Store a message and return its id, and whether it is new: the same one again is on record already.

    `belongs` says whether it names an operation on record: those are stored however many orphans wait. Raises
    `TooMany`; then nothing is stored. It is durable when this returns outside of a transaction.
    """
    known = _known(told)
    if known is not None:
        return known, False
    try:
        with transaction.atomic():
            _count(told, limits=limits, now=now)
            if _is_full(told.recipient_id, limits) and not belongs():
                raise TooMany("Too many messages wait for an operation to belong to.", wait=int(MINUTE.total_seconds()))
            row = models.Message.objects.create(
                id=uuid7(now),
                recipient_id=told.recipient_id,
                contract_id=told.contract_id,
                channel=told.channel,
                event=told.event,
                digest=told.digest,
                headers=[list(line) for line in told.headers],
                signed=[list(line) for line in told.signed],
                payload=told.payload,
                verified_by=told.verified_by,
                received_at=now,
            )
    except IntegrityError:
        known = _known(told)  # another worker stored it in between
        if known is None:
            raise
        return known, False
    return row.id, True


def _known(told: Told) -> UUID | None:
    same = models.Message.objects.filter(
        recipient_id=told.recipient_id, channel=told.channel, event=told.event, digest=told.digest
    )
    return same.values_list("id", flat=True).first()


def _hearing(recipient_id: int) -> models.Hearing:
    models.Hearing.objects.bulk_create([models.Hearing(recipient_id=recipient_id)], ignore_conflicts=True)
    return models.Hearing.objects.select_for_update().get(recipient_id=recipient_id)


def _count(told: Told, *, limits: Limits, now: datetime) -> None:
    row = _hearing(told.recipient_id)
    if row.minute_at is None or not _within(MINUTE, row.minute_at, now):
        row.minute_at, row.messages = now, 0
    if row.day_at is None or not _within(DAY, row.day_at, now):
        row.day_at, row.bytes = now, 0
    row.messages += 1
    row.bytes += len(told.payload)
    if row.messages > limits.messages_a_minute:
        raise TooMany("More messages came in this minute than are kept.", wait=_left(row.minute_at + MINUTE, now))
    if row.bytes > limits.bytes_a_day:
        raise TooMany("More came today than is kept in a day.", wait=_left(row.day_at + DAY, now))
    row.save(update_fields=("minute_at", "messages", "day_at", "bytes"))


def _within(span: timedelta, since: datetime, now: datetime) -> bool:
    """Say whether a span goes on; one of a clock that ran ahead has not begun, and would shut us up until it does."""
    return since <= now + CLOCKS_APART and now - since < span


def _is_full(recipient_id: int, limits: Limits) -> bool:
    return orphans_of(recipient_id).order_by()[: limits.orphans].count() >= limits.orphans


def _left(until: datetime, now: datetime) -> int:
    return max(1, int((until - now).total_seconds()) + 1)


def note_refused(recipient_id: int, *, because: str, now: datetime) -> None:
    """Count a message that was not kept, at most one a second; of the message itself nothing is kept."""
    just_now = models.Hearing.objects.filter(recipient_id=recipient_id, refused_at__gt=now - NOTED_EVERY)
    if just_now.exists():
        return  # a flood of refusals waits for no lock
    with transaction.atomic():
        row = _hearing(recipient_id)
        row.refused, row.refused_at, row.refused_because = row.refused + 1, now, because[:SENTENCE]
        row.save(update_fields=("refused", "refused_at", "refused_because"))


def orphans_of(*recipients: int) -> QuerySet[models.Message]:
    """Return the messages of these recipients (row ids), or of all, that belong to no operation yet."""
    rows = models.Message.objects.filter(operation=None)
    return rows.filter(recipient_id__in=recipients) if recipients else rows


@contextmanager
def _soon() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise Busy from error
        raise


@contextmanager
def holding(message_id: UUID) -> Iterator[models.Message]:
    """Lock one message that belongs to no operation yet; raises `NoSuchMessage`, `AlreadyLinked` and `Busy`."""
    with _soon(), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_WAIT}'")
        row = models.Message.objects.select_for_update().filter(id=message_id).first()
        if row is None:
            raise NoSuchMessage(str(message_id))
        if row.operation_id is not None:
            raise AlreadyLinked(str(message_id))
        yield row


def link(message: models.Message, operation_id: UUID, *, by: str, now: datetime) -> None:
    """Point a message that is held at its operation, once its observation is written."""
    message.operation_id = operation_id
    message.linked_at = message.judged_at = message.looked_at = now
    message.linked_by, message.failure = by[:200], ""
    message.save(update_fields=("operation", "linked_at", "linked_by", "judged_at", "looked_at", "failure"))


def mark_looked(message_id: UUID, *, now: datetime, failure: str = "") -> None:
    """Note when an operation was last looked for, and why the message could not be judged."""
    rows = models.Message.objects.filter(id=message_id, operation=None)
    rows.update(looked_at=now, failure=failure[:SENTENCE])


def dismiss(message_id: UUID, *, by: str, remark: str, now: datetime) -> None:
    """Take an orphan out of people's sight; raises `NoSuchMessage` and `AlreadyLinked`."""
    with holding(message_id) as row:
        if row.dismissed_at is None:
            row.dismissed_at, row.dismissed_by, row.remark = now, by[:200], remark
            row.save(update_fields=("dismissed_at", "dismissed_by", "remark"))


def unjudged(*, looked_before: datetime, most: int) -> list[UUID]:
    """Return messages without an operation for which none was looked for since then, the longest ago first."""
    rows = models.Message.objects.filter(Q(looked_at=None) | Q(looked_at__lte=looked_before), operation=None)
    return list(rows.order_by(F("looked_at").asc(nulls_first=True), "id").values_list("id", flat=True)[:most])


def named_by(references: Collection[str], *, recipient_id: int) -> list[UUID]:
    """Return up to two operations of a recipient to which a counting answer has tied one of these references."""
    rows = models.Reading.objects.filter(
        ~Q(effect_refs=[]), effect_refs__overlap=list(references), counts=True, operation__recipient_id=recipient_id
    )
    return list(rows.order_by().values_list("operation_id", flat=True).distinct()[:2])


def _of(rows: QuerySet[Row], recipients: Collection[int] | None) -> QuerySet[Row]:
    return rows if recipients is None else rows.filter(recipient_id__in=recipients)


def orphan(message_id: UUID, *, among: Collection[int] | None) -> models.Message:
    """Return one orphan of these recipients (row ids; None: all); raises `NoSuchMessage` and `AlreadyLinked`."""
    row = _of(models.Message.objects.select_related("recipient"), among).filter(id=message_id).first()
    if row is None:
        raise NoSuchMessage(str(message_id))
    if row.operation_id is not None:
        raise AlreadyLinked(str(message_id))
    return row


def orphans(*, dismissed: bool, before: UUID | None, limit: int, among: Collection[int] | None) -> list[models.Message]:
    """Return up to `limit` orphans of these recipients (row ids; None: all), the newest first, older than `before`."""
    rows = _of(orphans_of(), among).filter(dismissed_at__isnull=not dismissed).select_related("recipient")
    if before is not None:
        rows = rows.filter(id__lt=before)
    return list(rows.order_by("-id")[:limit])


def refusals(*, among: Collection[int] | None) -> list[models.Hearing]:
    """Return those of these recipients of whom messages were refused, the newest refusal first, at most 50."""
    rows = _of(models.Hearing.objects.filter(refused__gt=0), among).select_related("recipient")
    return list(rows.order_by("-refused_at")[:50])
