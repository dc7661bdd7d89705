"""One attempt is sent once by whoever claims it first; a crash anywhere on the way is an unknown outcome, never a resend.

design.md, rules 3 and 4. The steps, each a function so that a fault can be put between any two: claim (the core is asked
again under the lock), send, record. A claim that comes twice exits; what can't arrive in time is not sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import OperationalError, connection

from operations import reading
from operations.channels import sending
from operations.channels.base import Clock
from operations.channels.reading import Ended
from operations.channels.sending import Limits, Sent
from operations.contracts.channel import Kind
from operations.contracts.loading import document_of
from operations.core.actions import Action
from operations.dispatch.preparing import CannotSend, Prepared, prepared
from operations.recording import NotPermitted, Pen, Report, dispatching, pacing, require, writing
from operations.reporting import report_with

__all__ = ["BEGIN_WITHIN", "LEASED_FOR", "LIMITS", "CannotSend", "Prepared", "prepared", "send", "sweep"]

# Seconds: how long after its claim a send may still begin; what it then takes is LIMITS' to bound, and the lease, which
# ends well before Celery ends the task, outlives both.
BEGIN_WITHIN: Final = 10.0
LIMITS: Final = Limits()
LEASED_FOR: Final = 75.0
MOST: Final = 100
_RECORDED_AGAIN: Final = (0.2, 1.0, 3.0)
_SOURCE: Final = "the desk"
_DETAILS: Final = (
    "resolved_at",
    "connected_at",
    "secured_at",
    "first_byte_written_at",
    "last_byte_written_at",
    "first_byte_read_at",
)
Monotonic = Callable[[], float]


def _nothing(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One send that is this worker's alone. `begin_by` is its last moment for the first byte, `seconds` how far ahead."""

    attempt_id: UUID
    operation_id: UUID
    attempt: str
    prepared: Prepared
    begin_by: datetime
    seconds: float


def send(
    attempt_id: UUID,
    *,
    by: str,
    clock: Clock,
    monotonic: Monotonic = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    limits: Limits = LIMITS,
    step: Callable[[str], None] = _nothing,
) -> Sent | None:
    """Send an attempt (row id) once and record what came; None where there was nothing to send.

    `by` names the worker; `step` is told the name of each step that was taken.
    """
    read_at = monotonic()  # before the clock, so that what passes between the two makes the deadline earlier
    claimed = claim(attempt_id, by=by, now=clock())
    if claimed is None:
        return None
    step("claimed")
    deadline = read_at + claimed.seconds

    def too_late() -> str | None:
        # Two clocks: one that nobody sets, and one that goes on while the machine sleeps.
        if monotonic() < deadline and clock() < claimed.begin_by:
            return None
        return "The time in which it could still be sent was over before its first byte."

    def note(at: sending.Step, sent: Sent) -> None:
        _note(claimed, at, sent)
        step(at.value)

    prepared_ = claimed.prepared
    sent = sending.send(
        prepared_.written, reach=prepared_.reach, clock=clock, too_late=too_late, limits=limits, note=note
    )
    step("ended")
    _recorded(claimed, sent, clock=clock, sleep=sleep)
    step("recorded")
    return sent


def claim(attempt_id: UUID, *, by: str, now: datetime) -> Claimed | None:
    """Claim a send in the transaction in which its permission is inferred again; None where it is not made.

    A dispatch that somebody has claimed, or that ended, is none of this worker's. One that may not go out any more is
    recorded as not sent, with the reason.
    """
    operation_id = dispatching.operation_of(attempt_id)
    if operation_id is None:
        return None
    with writing(operation_id, now=now) as pen:
        held = dispatching.unclaimed(pen, attempt_id)
        if held is None:
            return None
        attempt = held.attempt.attempt
        try:
            standing = require(pen, Action.REPEAT, scope=held.attempt.scope, leaving_out=attempt)
            ready = _ready(pen, address=held.address, credential=held.credential)
            begin_by = _begin_by(held.send_by, reading.moment(standing.protection_until), now=now)
        except (NotPermitted, CannotSend) as refused:
            _not_made(pen, attempt_id, attempt, because=f"Not sent: {refused}")
            return None
        lease = now + timedelta(seconds=LEASED_FOR)
        if not dispatching.claim(held, by=by, leased_until=lease):
            return None
    return Claimed(
        attempt_id=attempt_id,
        operation_id=operation_id,
        attempt=attempt,
        prepared=ready,
        begin_by=begin_by,
        seconds=(begin_by - now).total_seconds(),
    )


def _ready(pen: Pen, *, address: str, credential: str) -> Prepared:
    """Return what goes out, which is what was authorised, to where it was authorised for."""
    found = prepared(pen.operation)
    if (found.reach.address, found.credential) != (address, credential):
        raise CannotSend("The recipient's address or credential is another one than was authorised.")
    return found


def _begin_by(send_by: datetime, protected_until: datetime | None, *, now: datetime) -> datetime:
    ends = [send_by, now + timedelta(seconds=BEGIN_WITHIN)]
    last = min(ends if protected_until is None else [*ends, protected_until])
    if last <= now:
        raise CannotSend("the time in which it could still be sent is over.")
    return last


def _not_made(pen: Pen, attempt_id: UUID, attempt: str, *, because: str) -> None:
    dispatching.end(attempt_id, ended_as=Ended.NOT_SENT, because=because, at=pen.now, facts={})
    _report(pen, _fact(pen, attempt_id, attempt, fact=Ended.NOT_SENT, at=pen.now))


def _note(claimed: Claimed, at: sending.Step, sent: Sent) -> None:
    """Before the first byte a database that is away keeps it from leaving; after it, the answer is what matters."""
    if at is not sending.Step.WRITTEN:
        dispatching.progress(claimed.attempt_id, _details(sent))
        return
    with suppress(OperationalError):
        dispatching.progress(claimed.attempt_id, _details(sent))


def _details(sent: Sent) -> Mapping[str, Any]:
    return {name: getattr(sent, name) for name in _DETAILS}


def _recorded(claimed: Claimed, sent: Sent, *, clock: Clock, sleep: Callable[[float], None]) -> None:
    """Record what came; a database that is away is asked again a little later: recording anew sends nothing."""
    for wait in _RECORDED_AGAIN:
        try:
            record(claimed, sent, now=clock())
        except OperationalError:
            connection.close_if_unusable_or_obsolete()
            sleep(wait)
        else:
            return
    record(claimed, sent, now=clock())


def record(claimed: Claimed, sent: Sent, *, now: datetime) -> None:
    """Record the recipient's answer, or the fact of the wire, and that the send ended, together or not at all."""
    with writing(claimed.operation_id, now=now) as pen:
        ended_at = sent.ended_at or now
        dispatching.end(claimed.attempt_id, ended_as=sent.ended, because=sent.detail, at=ended_at, facts=_details(sent))
        if sent.ended is Ended.ANSWERED:
            _report(pen, _answer(claimed, sent, at=ended_at))
            heard = pacing.as_heard(at=ended_at, status=sent.status, headers=sent.headers)
            pacing.note_answer(pen.operation.recipient_id, heard)
        else:
            _report(pen, _fact(pen, claimed.attempt_id, claimed.attempt, fact=sent.ended, at=ended_at))


def _report(pen: Pen, told: Report) -> None:
    report_with(pen, told, source=_SOURCE)


def _answer(claimed: Claimed, sent: Sent, *, at: datetime) -> Report:
    return Report(
        event=f"dispatch:{claimed.attempt_id.hex}",
        channel=claimed.prepared.reply,
        received_at=at,
        authentic=True,  # by TLS, or from a network that this installation trusts for this recipient
        attempt=claimed.attempt,
        status=sent.status,
        headers=sent.headers,
        payload=sent.body,
        truncated=sent.truncated,
    )


def _fact(pen: Pen, attempt_id: UUID, attempt: str, *, fact: str, at: datetime) -> Report:
    """Return what our side of the wire knows; a contract of several such channels hears it on its first."""
    channels = document_of(pen.contract.document).channels.items()
    return Report(
        event=f"dispatch:{attempt_id.hex}",
        channel=next((name for name, one in channels if one.kind is Kind.CLIENT), f"unlisted-{Kind.CLIENT}"),
        received_at=at,
        authentic=True,
        attempt=attempt,
        fact=str(fact),
    )


def sweep(*, now: datetime) -> list[UUID]:
    """End sends whose lease ran out, and return the attempts (row ids) that still wait for a worker.

    The first are of unknown outcome and are never sent again; of the others the message may have been lost.
    """
    dispatching.end_lapsed(now=now, most=MOST)
    return dispatching.waiting(most=MOST)
