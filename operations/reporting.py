"""What somebody reports is stored whole and read by the operation's contract, here and nowhere else.

design.md, rule 3a: code that owned the socket may report replies and facts of the wire; what a model can reach reports
words, on a channel that no contract can list, so that they are kept and shown and never count.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from operations import reading
from operations.contracts.answer import Answer
from operations.contracts.channel import Kind
from operations.contracts.document import ClosingRequest
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of
from operations.contracts.references import known_references
from operations.core.facts import Attempt, Claim, Correlation, Observation
from operations.reading import closings
from operations.recording import Claimed, Observed, Pen, Report, writing
from operations.recording.held import HeldPen
from operations.recording.observing import observe_with
from operations.recording.rereading import WORDS_CHANNEL, claim_of

if TYPE_CHECKING:
    from operations.models import Contract


__all__ = ["WORDS_CHANNEL", "NoSuchChannel", "channel_of", "claimed", "report", "report_with", "say", "say_with"]


class NoSuchChannel(Exception):
    """The contract has no such channel for this kind of report; `offered` are those it has."""

    def __init__(self, offered: tuple[str, ...]) -> None:
        super().__init__(f"one of {', '.join(offered)}" if offered else "the contract lists none")
        self.offered = offered


def channel_of(contract: Contract, kind: Kind, *, named: str | None = None) -> str:
    """Return the contract's channel of this kind, the named one where there are several; raises `NoSuchChannel`.

    A contract without one still gets the report: under the kind's own word, which it doesn't list, so it never counts.
    """
    offered = tuple([name for name, channel in document_of(contract.document).channels.items() if channel.kind is kind])
    if named is None and len(offered) <= 1:
        return offered[0] if offered else f"unlisted-{kind}"
    if named not in offered:
        raise NoSuchChannel(offered)
    return str(named)


def report(
    operation_id: UUID, told: Report, *, now: datetime, source: str, recipients: frozenset[int] | None = None
) -> Observed:
    """Store a report, read it by the operation's contract and infer anew; the same event again changes nothing.

    `recipients` (row ids) are those that whoever reports it may speak of, None is every one: it says nothing of an
    original at another. Raises `reading.NoSuchOperation` and `recording.EventDiffers`.
    """
    with writing(operation_id, now=now) as pen:
        return report_with(pen, told, source=source, recipients=recipients)


def report_with(pen: Pen, told: Report, *, source: str, recipients: frozenset[int] | None = None) -> Observed:
    """Store and read a report with a pen that is held already, as `report` does; raises `recording.EventDiffers`."""
    told = replace(told, first_seen_at=_first_seen_at(pen, told))
    found = observe_with(pen, told, claimed=lambda: claimed(pen, told), source=source)
    if told.status is not None and not isinstance(pen, HeldPen):  # many at once are asked for, each for its own alone
        _tell_the_original(pen, told, found, recipients=recipients)
    return found


def _tell_the_original(pen: Pen, told: Report, found: Observed, *, recipients: frozenset[int] | None) -> None:
    """Store an answer to a closing request for the original, too, where the original's contract hears it.

    In the same transaction, once an answer, and whatever is known of the original by now: late truth is judged. The
    original is locked after what closes it, by everybody. What came to an attempt that is not on the closing's record,
    or by somebody who may not speak of the original, stays with the closing alone.
    """
    link = closings.link_of(pen.operation)
    if link is None or (recipients is not None and link.operation.recipient_id not in recipients):
        return
    if told.attempt is not None and not pen.operation.attempts.filter(attempt=told.attempt).exists():
        return
    with writing(link.operation_id, now=pen.now) as original:
        closing = document_of(original.contract.document).closing_request
        heard_on = closing.heard_on.get(told.channel) if isinstance(closing, ClosingRequest) else None
        if heard_on is None:
            return
        said = replace(
            told,
            event=f"closing-{found.observation_id.hex}",
            channel=heard_on,
            attempt=None,  # it is none of the original's
            asked_at=_sent_at(pen),
            reference=link.reference or None,
        )
        report_with(original, said, source=f"answer to closing operation {pen.operation.number}")


def _sent_at(pen: Pen) -> datetime:
    """Return when the closing request was sent first: an answer that was kept is given again to a later attempt.

    What that answer ended, it ended no later than it was given first; dated by a later attempt, it would cover what was
    sent of the original in between (semantics.md, Claims, `as_of`).
    """
    begun = pen.operation.attempts.order_by("begun_at").values_list("begun_at", flat=True).first()
    return begun or pen.operation.created_at


def say(operation_id: UUID, told: Report, *, now: datetime, source: str) -> Observed:
    """Store words, which are never evidence; raises as `report` does."""
    with writing(operation_id, now=now) as pen:
        return say_with(pen, told, source=source)


def say_with(pen: Pen, told: Report, *, source: str) -> Observed:
    """Store words with a pen that is held already; raises `recording.EventDiffers`."""
    return observe_with(pen, told, claimed=lambda: _words(told), source=source)


def claimed(pen: Pen, told: Report) -> Claimed:
    """Return what the contract of the operation that `pen` holds makes of a report."""
    document = document_of(pen.contract.document)
    read_as = interpret(
        document,
        request=reading.representation(pen.operation),
        answer=_answer(told),
        references=_references(pen),
        sent=_sent(pen),
    )
    return claim_of(read_as)


def _answer(told: Report) -> Answer:
    return Answer(
        channel=told.channel,
        received_at=reading.seconds(told.received_at),
        authentic=told.authentic,
        asked_at=None if told.asked_at is None else reading.seconds(told.asked_at),
        attempt=told.attempt,
        status=told.status,
        headers=told.headers,
        body=told.payload,
        truncated=told.truncated,
        fact=told.fact,
        reference=told.reference,
        first_seen_at=None if told.first_seen_at is None else reading.seconds(told.first_seen_at),
    )


def _first_seen_at(pen: Pen, told: Report) -> datetime | None:
    """Return when the same answer was first received, for one that the recipient kept and gives again."""
    first = pen.first_received(told.channel, status=told.status, payload=told.payload)
    return first if first is None or first < told.received_at else None


def _references(pen: Pen) -> frozenset[str]:
    """Return the recipient's references that counting answers have tied to the operation."""
    found = pen.read()
    if not any(isinstance(event, Observation) and event.effect_ref for event in found.facts.events):
        return frozenset()  # what nobody named no standing holds
    return known_references(found.standing(now=pen.now))


def _sent(pen: Pen) -> dict[str, float]:
    """Return when each attempt on record was sent (seconds), within whose second a coarser date is placed."""
    return {event.id: event.at for event in pen.read().facts.events if isinstance(event, Attempt)}


def _words(told: Report) -> Claimed:
    return Claimed(
        rule="words",
        says=Claim.INDETERMINATE,
        because="Somebody's words; they are kept and shown, and they are never evidence.",
        reaches="transport",
        as_of=told.received_at,
        correlation=Correlation.WEAK,
        authentic=False,
    )
