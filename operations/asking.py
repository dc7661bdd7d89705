"""One question is asked of a recipient, once, and its answer is stored and read; nothing at the recipient changes.

What can be asked is the contract's word, where it is asked the recipient's row, with which secret the environment's.
An ask without an answer teaches nothing about the operation and leaves no observation.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from operations import reading
from operations.channels import http
from operations.channels.base import Answered, Ask, Clock, Credential, Limits, Reach
from operations.channels.credentials import Form, NoCredential, credential, networks
from operations.channels.guard import Refused
from operations.contracts.asked import AT_LOCATION, Unaskable, question
from operations.contracts.channel import Channel, CredentialAs
from operations.contracts.document import Document
from operations.contracts.http_semantics import place_to_ask
from operations.contracts.loading import document_of
from operations.contracts.references import known_references
from operations.core.facts import Attempt, Observation
from operations.core.inquiry import Askable
from operations.core.schedule import opens_at
from operations.recording import Observed, Report, pacing, writing
from operations.reporting import report_with

# A person waits for the answer; the web gives up a request after longer than this.
FOR_A_PERSON: Final = Limits(connect_within=3.0, answer_within=8.0)
LONGEST_REFERENCE: Final = 255
FORM: Final[Mapping[CredentialAs, Form]] = {
    CredentialAs.BEARER: "bearer",
    CredentialAs.BASIC: "basic",
    CredentialAs.TOKEN: "token",
    CredentialAs.RAW: "raw",
}


class CannotAsk(Exception):
    """The question can't be put: nothing was sent. The message is a sentence."""


class NoAnswer(Exception):
    """The recipient gave no answer that could be read; nothing was learnt. The message is a sentence."""

    def __init__(self, answered: Answered) -> None:
        super().__init__(answered.detail or f"There was no answer ({answered.failed}).")
        self.answered = answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A question that is ready to go out, and where it goes. `reference`: the recipient's own, if it asks by that."""

    operation_id: UUID
    channel: str
    ask: Ask
    reach: Reach
    limits: Limits
    reference: str | None = None


def asks_by_reference(channel: Channel) -> bool:
    """Say whether a channel asks by the recipient's own reference to the effect."""
    asks = channel.asks
    return asks is not None and ("{reference}" in asks.target or asks.target == AT_LOCATION)


def askable(document: Document) -> Iterator[str]:
    """Yield the channels through which the desk can ask about an operation by itself, in the contract's order."""
    for name, channel in document.channels.items():
        if channel.asks is not None and not asks_by_reference(channel):
            yield name


def findable(document: Document) -> Iterator[str]:
    """Yield the channels through which a receipt is found by the reference that a person has."""
    for name, channel in document.channels.items():
        if asks_by_reference(channel):
            yield name


def prepared(
    read: reading.Read,
    channel: str,
    *,
    reference: str | None = None,
    limits: Limits = FOR_A_PERSON,
    reach: Reach | None = None,
) -> Prepared:
    """Return the question of this channel about an operation, ready to go out; raises `CannotAsk`.

    `reach`: that of an earlier question to the same recipient through the same channel, not worked out again.
    """
    operation = read.operation
    document = document_of(reading.judging(operation).document)
    if channel not in document.channels or document.channels[channel].asks is None:
        raise CannotAsk(f"The contract has no channel {channel} that can be asked.")
    if not operation.recipient.address:
        raise CannotAsk(f"The desk has no address of {operation.recipient.name}.")
    stored = reading.representation(operation)
    known = reference if reference is not None else _known_reference(read)
    try:
        asked = question(
            document,
            channel,
            request=stored,
            first_sent_at=_first_sent_at(read),
            reference=known,
            location=known and place_to_ask(known, address=operation.recipient.address, target=stored.target),
        )
    except Unaskable as error:
        raise CannotAsk(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    ready = Prepared(
        operation_id=operation.id,
        channel=channel,
        ask=Ask(method=asked.method, target=asked.target, headers=asked.headers, body=asked.body),
        reach=reach or _reach(read, document.channels[channel]),
        limits=limits,
        reference=asked.reference,
    )
    try:
        http.check(ready.ask, reach=ready.reach)
    except Refused as refused:
        raise CannotAsk(f"The question can't go out. {refused}") from refused
    return ready


def paced_until(read: reading.Read, channel: str, *, now: datetime) -> datetime | None:
    """Return until when this channel of an operation is not asked again, by the contract's pacing; None: it may be."""
    wanted = document_of(reading.judging(read.operation).document).channels[channel].pacing
    last = reading.last_asked_at(read.operation, channel=channel)
    if wanted is None or last is None:
        return None
    opens = opens_at(Askable(channel=channel, min_interval=wanted.min_interval, last_asked_at=reading.seconds(last)))
    return reading.moment(opens) if opens > reading.seconds(now) else None


def _first_sent_at(read: reading.Read) -> float | None:
    return min((event.at for event in read.facts.events if isinstance(event, Attempt)), default=None)


def _known_reference(read: reading.Read) -> str | None:
    """Return the one reference that counting answers have tied to the operation; two would be a guess."""
    if not any(isinstance(event, Observation) and event.effect_ref for event in read.facts.events):
        return None
    known = known_references(read.standing(now=read.operation.assessed_at))
    return next(iter(known)) if len(known) == 1 else None


def _reach(read: reading.Read, channel: Channel) -> Reach:
    recipient = read.operation.recipient
    try:
        secret = _secret(channel, recipient.address)
        return Reach(address=recipient.address, networks=networks(recipient.key, environ=os.environ), credential=secret)
    except (NoCredential, ValueError) as error:
        raise CannotAsk(str(error)) from error


def _secret(channel: Channel, address: str) -> Credential | None:
    if channel.credential is None or channel.credential_as is None:
        return None
    return credential(
        channel.credential,
        address=address,
        header=channel.credential_header,
        form=FORM[channel.credential_as],
        environ=os.environ,
    )


def told(answered: Answered, asked: Prepared, *, event: str) -> Report:
    """Return an answer as a report; raises `NoAnswer` where there is none."""
    if answered.failed is not None:
        raise NoAnswer(answered)
    return Report(
        event=event,
        channel=asked.channel,
        received_at=answered.received_at,
        authentic=True,  # by TLS, or from a network that this installation trusts for this recipient
        status=answered.status,
        headers=answered.headers,
        payload=answered.body,
        truncated=answered.truncated,
        asked_at=answered.asked_at,
        reference=asked.reference,
    )


def ask_now(operation_id: UUID, channel: str, *, clock: Clock, by: str, reference: str | None = None) -> Observed:
    """Ask once, while a person waits, and store what came; `by` is on whose behalf.

    Raises `reading.NoSuchOperation`, `CannotAsk` and `NoAnswer`; then nothing is stored.
    """
    read = reading.operation(operation_id)
    asked = prepared(read, channel, reference=reference)
    if paced_until(read, channel, now=clock()) is not None:
        raise CannotAsk(f"{read.operation.recipient.name} was asked this a moment ago and wants time between two asks.")
    answered = asyncio.run(_ask(asked, clock))
    report = told(answered, asked, event=f"ask-{uuid4().hex}")
    with writing(operation_id, now=clock()) as pen:
        observed = report_with(pen, report, source=f"desk, asked by {by}"[:200])
        heard = pacing.as_heard(at=answered.received_at, status=answered.status, headers=answered.headers)
        pacing.note_answer(pen.operation.recipient_id, heard)
        return observed


async def _ask(asked: Prepared, clock: Clock) -> Answered:
    async with http.open_client(limits=asked.limits) as client:
        return await http.ask(client, asked.ask, reach=asked.reach, limits=asked.limits, clock=clock)
