"""A message is proven and stored whole; until it is on record its recipient is told nothing else."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.conf import settings

from operations import reading, versions
from operations.channels.credentials import NoCredential
from operations.channels.webhook import Came, NotProven, Proven, Way, check_window, verify
from operations.channels.webhook_secrets import secrets_of
from operations.contracts.answer import Answer
from operations.contracts.channel import Kind, Verification
from operations.contracts.dates import time
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.contracts.named import part_at, text_at
from operations.listening.finding import operation_named
from operations.recording import messages
from operations.recording.messages import Limits, Told, TooMany

if TYPE_CHECKING:
    from operations.models import Contract

LONGEST_LINE: Final = 4096

_EVENT: Final = re.compile(r"[\x21-\x7e]{1,255}")
_LINE: Final = re.compile(r"[\x20-\x7e\xa0-\xff]*")


class NoSuchEar(LookupError):
    """Nothing listens there: no such recipient, no contract in force, or no such channel. The message is a sentence."""


class CannotProve(Exception):
    """The desk is not set up to prove this recipient's messages; it is to try again. The message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message that is on record, and whether it came for the first time."""

    message_id: UUID
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ear:
    """Where a message came in: whose, by which contract, through which channel, and how it is proven."""

    recipient_id: int
    recipient: str
    contract: Contract
    document: Document
    channel: str
    verification: Verification

    def answer(self, came: Came) -> Answer:
        return Answer(
            channel=self.channel,
            received_at=came.received_at,
            authentic=True,
            headers=tuple(came.headers.items()),
            body=came.body,
        )


def _ear(recipient: str, channel: str | None) -> _Ear:
    try:
        row = versions.recipient(recipient)
    except versions.NoSuchRecipient:
        raise NoSuchEar("No recipient has this key.") from None
    contract = reading.contract_in_force(row.id)
    if contract is None:
        raise NoSuchEar("No contract of this recipient is in force.")
    document = document_of(contract.document)
    name, verification = _channel(document, channel)
    return _Ear(
        recipient_id=row.id,
        recipient=recipient,
        contract=contract,
        document=document,
        channel=name,
        verification=verification,
    )


def _channel(document: Document, named: str | None) -> tuple[str, Verification]:
    offered = {
        name: channel.verification
        for name, channel in document.channels.items()
        if channel.kind is Kind.WEBHOOK and channel.verification is not None
    }
    chosen = next(iter(offered)) if named is None and len(offered) == 1 else named
    found = offered.get(chosen or "")
    if chosen is None or found is None:
        wanted = (
            "the address has to name one of its channels" if named is None and offered else "it has no such channel"
        )
        raise NoSuchEar(f"The contract of this recipient does not listen here: {wanted}.")
    return chosen, found


def hear(recipient: str, channel: str | None, *, headers: Mapping[str, str], body: bytes, now: datetime) -> Heard:
    """Prove a message of a recipient (its key) and store it; judging is another transaction.

    `headers` have lower-case names. Raises `NoSuchEar`, `CannotProve`, `NotProven` and `TooMany`; then nothing of it is
    stored, and all but the first are counted for people to see.
    """
    ear = _ear(recipient, channel)
    came = Came(headers=headers, body=body, received_at=reading.seconds(now))
    try:
        proven = _proven(ear, came)
        told = _told(ear, came, proven)
        found = messages.store(told, belongs=lambda: _operation_of(ear, came) is not None, limits=_limits(), now=now)
    except (CannotProve, NotProven, TooMany) as refused:
        messages.note_refused(ear.recipient_id, because=str(refused), now=now)
        raise
    return Heard(message_id=found[0], created=found[1])


def refuse(recipient: str, channel: str | None, *, because: str, now: datetime) -> None:
    """Count a message that was refused before it was read; raises `NoSuchEar`."""
    messages.note_refused(_ear(recipient, channel).recipient_id, because=because, now=now)


def _limits() -> Limits:
    return Limits(**settings.LISTENING)


def _proven(ear: _Ear, came: Came) -> Proven:
    asked = ear.verification
    try:
        secrets = secrets_of(asked.secret, recipient=ear.recipient, scheme=asked.scheme, environ=os.environ)
    except NoCredential as error:
        raise CannotProve(str(error)) from error
    way = Way(scheme=asked.scheme, header=asked.header, tolerance=asked.tolerance)
    proven = verify(came, way=way, secrets=secrets)
    _check_date(ear, came)
    return proven


def _check_date(ear: _Ear, came: Came) -> None:
    """Hold a date that stands in the signed body against the window, where the scheme signs none of its own."""
    dated = ear.verification.dated
    if dated is None:
        return
    text = part_at(ear.document, ear.answer(came), dated.at)
    sent_at = time(text, form=dated.form)
    if sent_at is None:
        raise NotProven("The signed body doesn't say when it was sent where the contract looks for it.")
    check_window(sent_at, tolerance=ear.verification.tolerance, received_at=came.received_at, how="dated")


def _told(ear: _Ear, came: Came, proven: Proven) -> Told:
    digest = hashlib.sha256(came.body).hexdigest()
    return Told(
        recipient_id=ear.recipient_id,
        contract_id=ear.contract.id,
        channel=ear.channel,
        event=_event(ear, came, proven) or f"sha256:{digest}",
        digest=digest,
        headers=_kept(ear, came, proven),
        signed=proven.signed,
        payload=came.body,
        verified_by=proven.by,
    )


def _event(ear: _Ear, came: Came, proven: Proven) -> str | None:
    """Return the recipient's id of a message if its signature covers it: any other could be exchanged by whoever replays it."""
    place = ear.verification.event_id
    signed = {f"/headers/{name}" for name, _ in proven.signed}
    if place not in signed and not place.startswith("/body/"):
        return None
    text = text_at(ear.document, ear.answer(came), place)
    return text if text is not None and _EVENT.fullmatch(text) else None


def _kept(ear: _Ear, came: Came, proven: Proven) -> tuple[tuple[str, str], ...]:
    names = {ear.verification.header, "content-type", *dict(proven.signed)}
    lines = [(name, came.headers[name]) for name in sorted(names) if name in came.headers]
    return tuple([(name, value) for name, value in lines if len(value) <= LONGEST_LINE and _LINE.fullmatch(value)])


def _operation_of(ear: _Ear, came: Came) -> UUID | None:
    return operation_named(ear.document, ear.answer(came), recipient_id=ear.recipient_id)
