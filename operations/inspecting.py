"""What a person read at the recipient's authoritative screen, or heard from its staff, becomes an observation here.

Only through a channel of kind inspection that the contract lists (design.md, rule 3a): what was typed is the body, read
by the contract like any answer; who stands for it is the observation's source. Free words never get here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations import reading
from operations.contracts.channel import Channel
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.contracts.matching import Scalar
from operations.contracts.typed import Asked, NotTyped, asked_of, body_of, inspected
from operations.recording import Observed, Pen, Report
from operations.reporting import report_with

if TYPE_CHECKING:
    from operations.models import Operation

__all__ = ["Asked", "Attachment", "CannotInspect", "Read", "Scalar", "Sheet", "body", "channels", "observe", "sheet"]

NAME: Final = 85  # characters of each person's name that fit a source


class CannotInspect(Exception):
    """Nothing can be recorded through this channel; the message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a person is asked to take down through one channel, and on what conditions it counts.

    `since`: before that nothing of the operation was sent, so that nobody can have read what became of it.
    """

    channel: str
    about: str
    where: str
    second_person: bool
    attachment_required: bool
    asked: tuple[Asked, ...]
    since: datetime


def document_for(operation: Operation) -> Document:
    """Return the contract by which what is learnt of an operation is read."""
    return document_of(reading.judging(operation).document)


def channels(operation: Operation) -> tuple[tuple[str, Channel], ...]:
    """Return the channels through which a person may record what they read, in the contract's order."""
    document = document_for(operation)
    return tuple([(name, document.channels[name]) for name in inspected(document)])


def sheet(operation: Operation, channel: str) -> Sheet:
    """Return what a person is asked to take down; raises `CannotInspect`."""
    found = dict(channels(operation)).get(channel)
    if found is None or found.inspection is None:
        raise CannotInspect(f"The contract lists no channel {channel} that a person reads.")
    try:
        asked = asked_of(document_for(operation), channel)
    except NotTyped as error:
        raise CannotInspect(str(error)) from error
    return Sheet(
        channel=channel,
        about=found.about,
        where=found.inspection.where,
        second_person=found.inspection.second_person,
        attachment_required=found.inspection.attachment == "required",
        asked=asked,
        since=min([row.begun_at for row in operation.attempts.all()], default=operation.created_at),
    )


def body(operation: Operation, channel: str, typed: Mapping[str, Scalar]) -> bytes:
    """Return what was typed (place to value) as the body that the contract reads; raises `CannotInspect`."""
    try:
        return body_of(document_for(operation), channel, typed=typed, request=reading.representation(operation))
    except (NotTyped, KeyError) as error:
        raise CannotInspect(f"The contract lists no channel {channel} that can be typed.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A picture or file of what was read: its bytes, and the name and type that it came under."""

    content: bytes
    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What one person read: through which channel, when, and the body as typed. `attachment`: SHA-256 of a file, or none.

    `by` recorded it, `confirmed_by` read the same, where the contract asks for a second person; `proved` says `by` which
    way and `at` what time (ISO 8601) that one had proved who they are.
    """

    id: UUID
    channel: str
    read_at: datetime
    payload: bytes
    by: str
    confirmed_by: str | None = None
    proved: Mapping[str, str] | None = None
    attachment: str = ""


def observe(pen: Pen, read: Read) -> Observed:
    """Store what was read as an observation, with a pen that is held already, and infer the standing anew.

    It is dated by when it was read, which is never later than it is told. Raises `recording.EventDiffers`.
    """
    names = f"inspected by {_short(read.by)}"
    if read.confirmed_by is not None:
        names += f", confirmed by {_short(read.confirmed_by)}"
    told = Report(
        event=f"inspection-{read.id.hex}",
        channel=read.channel,
        received_at=min(read.read_at, pen.now),
        authentic=True,  # a named person stands for it, and the contract names the channel
        headers=tuple(_beside(read)),
        payload=read.payload,
    )
    return report_with(pen, told, source=names)


def _beside(read: Read) -> Iterator[tuple[str, str]]:
    """Yield what the chain keeps beside the body: the digest of the file, and what the second person proved."""
    if read.attachment:
        yield "attachment-sha256", read.attachment
    if read.proved is not None:
        yield "confirmed-after-proof", f"{read.proved['by']}, {read.proved['at']}"


def _short(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"
