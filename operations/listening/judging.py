"""A stored message is given to its operation in a transaction of its own, once; an orphan is looked at again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import DatabaseError

from operations.listening.finding import operation_of
from operations.recording import EventDiffers, Report, messages, writing
from operations.recording.messages import AlreadyLinked, Busy
from operations.reporting import report_with

if TYPE_CHECKING:
    from operations.models import Message

DESK: Final = "desk"
LOOK_AGAIN_AFTER: Final = timedelta(seconds=30)
MOST_A_SWEEP: Final = 200
# What one message can bring about, and what befalls the database while it does.
FAILS: Final = (DatabaseError, Busy, EventDiffers, ValueError, TypeError, LookupError, ArithmeticError, RecursionError)


class AnotherRecipient(Exception):
    """The operation is at another recipient than the one that sent the message."""


def judge(message_id: UUID, *, now: datetime) -> bool:
    """Give a message to the operation that it names, if one is on record; say whether it was given to one just now.

    Nobody's message stays an orphan, to be looked at again. Raises `NoSuchMessage`, `Busy`, and what the database raises.
    """
    try:
        with messages.holding(message_id) as message:
            found = operation_of(message)
            if found is not None:
                _give(message, found, by=DESK, now=now)
                return True
    except AlreadyLinked:
        return False
    messages.mark_looked(message_id, now=now)
    return False


def _give(message: Message, operation_id: UUID, *, by: str, now: datetime) -> None:
    report = Report(
        event=f"hook-{message.id.hex}",
        channel=message.channel,
        received_at=message.received_at,
        authentic=True,
        headers=tuple([(name, value) for name, value in message.signed]),
        payload=bytes(message.payload),
    )
    with writing(operation_id, now=now) as pen:
        if pen.operation.recipient_id != message.recipient_id:
            raise AnotherRecipient(str(operation_id))
        linked = "" if by == DESK else f", linked by {by}"
        report_with(pen, report, source=f"webhook, signed with {message.verified_by}{linked}"[:200])
        messages.link(message, operation_id, by=by, now=now)


def link(message_id: UUID, operation_id: UUID, *, by: str, now: datetime) -> None:
    """Give an orphan to an operation by a person's word; whose it is, the contract reads all the same.

    Raises `NoSuchMessage`, `AlreadyLinked`, `AnotherRecipient`, `Busy` and `reading.NoSuchOperation`; then nothing is
    written.
    """
    with messages.holding(message_id) as message:
        _give(message, operation_id, by=by, now=now)


def dismiss(message_id: UUID, *, by: str, remark: str, now: datetime) -> None:
    """Take an orphan out of people's sight, with a remark; an operation that it names still finds it.

    Raises `NoSuchMessage`, `AlreadyLinked` and `Busy`.
    """
    messages.dismiss(message_id, by=by, remark=remark, now=now)


def sweep(*, now: datetime, most: int = MOST_A_SWEEP) -> int:
    """Judge what was stored and not judged, and look again for the operations of orphans; return how many were given.

    One message that can't be judged stops no other: why, is kept with it.
    """
    given = 0
    for message_id in messages.unjudged(looked_before=now - LOOK_AGAIN_AFTER, most=most):
        try:
            given += judge(message_id, now=now)
        except FAILS as error:
            failure = f"It could not be judged: {type(error).__name__}."
            messages.mark_looked(message_id, now=now, failure=failure)
    return given
