"""Taking down what a person read, and confirming it: no decision about the operation, but evidence under people's names.

Where the contract asks for a second person, what one took down waits and counts for nothing until another has read the
same; the database refuses the same person twice as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from escalation.decisions.refused import NotAllowed
from escalation.decisions.taking import require_may
from escalation.models import Inspection
from escalation.policy import May
from escalation.proof import Proof, require_fresh
from operations import inspecting, recording, reporting

if TYPE_CHECKING:
    from escalation.models import User


class AlreadyDecided(Exception):
    """It was confirmed or rejected already, or needed nobody's word; nothing was written."""


class NoSuchInspection(Exception):
    """No inspection has this id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one person took down: `typed` by place, `said` the same for people, `once` the form's own name."""

    channel: str
    typed: Mapping[str, inspecting.Scalar]
    said: Sequence[tuple[str, str | None]]
    read_at: datetime
    notes: str
    once: UUID
    attachment: inspecting.Attachment | None = None


def take_down(operation_id: UUID, taken: Taken, *, person: User, now: datetime) -> Inspection:
    """Keep what a person read; without need of a second person it is an observation at once.

    The same form sent twice is taken down once, and one that was changed in between not at all. Raises `NotAllowed`, `inspecting.CannotInspect` and
    `reading.NoSuchOperation`; then nothing is written.
    """
    with recording.writing(operation_id, now=now) as pen:
        require_may(person, May.INSPECT, recipient=pen.operation.recipient_id)
        known = Inspection.objects.filter(id=taken.once).first()
        if known is not None:
            return _require_same(known, operation_id, taken, person)
        sheet = inspecting.sheet(pen.operation, taken.channel)
        if sheet.attachment_required and taken.attachment is None:
            raise inspecting.CannotInspect("The contract asks for a picture or file of what was read.")
        row = _row(pen, taken, person=person, needs_second=sheet.second_person)
        if not sheet.second_person:
            row.observation_id = _observe(pen, row)
        row.save(force_insert=True)
        if taken.notes:
            _note(pen, row)
        return row


def _require_same(known: Inspection, operation_id: UUID, taken: Taken, person: User) -> Inspection:
    if (known.operation_id, known.recorded_by_id) != (operation_id, person.pk):
        raise NotAllowed("This form was sent by somebody else already.")
    told = (taken.channel, [list(line) for line in taken.said], taken.read_at, taken.notes, _digest(taken.attachment))
    if told != (known.channel, known.said, known.read_at, known.notes, known.attachment_digest):
        raise NotAllowed(
            "This form was taken down before, with something else in it. Open it anew and fill it in again."
        )
    return known


def _digest(kept: inspecting.Attachment | None) -> str:
    return "" if kept is None else hashlib.sha256(kept.content).hexdigest()


def _row(pen: recording.Pen, taken: Taken, *, person: User, needs_second: bool) -> Inspection:
    kept = taken.attachment
    return Inspection(
        id=taken.once,
        operation=pen.operation,
        contract=pen.contract,
        channel=taken.channel,
        said=[list(line) for line in taken.said],
        payload=inspecting.body(pen.operation, taken.channel, taken.typed),
        notes=taken.notes,
        read_at=taken.read_at,
        attachment=None if kept is None else kept.content,
        attachment_name="" if kept is None else kept.name,
        attachment_type="" if kept is None else kept.type,
        attachment_digest=_digest(kept),
        needs_second=needs_second,
        recorded_at=pen.now,
        recorded_by=person,
    )


def _observe(pen: recording.Pen, row: Inspection) -> UUID:
    read = inspecting.Read(
        id=row.id,
        channel=row.channel,
        read_at=row.read_at,
        payload=bytes(row.payload),
        by=row.recorded_by.username,
        confirmed_by=None if row.confirmed_by is None else row.confirmed_by.username,
        proved=row.proved,
        attachment=row.attachment_digest,
    )
    return inspecting.observe(pen, read).observation_id


def _note(pen: recording.Pen, row: Inspection) -> None:
    """Free words go where words go: kept, shown as notes, and never evidence."""
    told = recording.Report(
        event=f"inspection-note-{row.id.hex}",
        channel=reporting.WORDS_CHANNEL,
        received_at=pen.now,
        authentic=False,
        words=row.notes,
    )
    reporting.say_with(pen, told, source=f"{row.recorded_by.username}, at an inspection"[:200])


def _held(inspection_id: UUID) -> Inspection:
    rows = Inspection.objects.select_for_update(of=("self",)).select_related("recorded_by").defer("attachment")
    row = rows.get(id=inspection_id)
    if row.observation_id is not None or row.rejected_at is not None:
        raise AlreadyDecided(str(inspection_id))
    return row


def confirm(inspection_id: UUID, *, person: User, now: datetime, proof: Proof | None) -> Inspection:
    """Make what one person took down an observation, by the word of another who read the same and lately proved it.

    Raises `NoSuchInspection`, `NotAllowed`, `AlreadyDecided` and `NotFresh`; then nothing is written.
    """
    with recording.writing(_operation_of(inspection_id), now=now) as pen:
        require_may(person, May.INSPECT, recipient=pen.operation.recipient_id)
        row = _held(inspection_id)
        if row.recorded_by_id == person.pk:
            raise NotAllowed("You took it down yourself; another person has to read the same and confirm it.")
        row.proved = _proved(proof, person=person, now=now)
        row.confirmed_by, row.confirmed_at = person, now
        row.observation_id = _observe(pen, row)
        row.save(update_fields=("observation", "confirmed_by", "confirmed_at", "proved"))
        return row


def _proved(proof: Proof | None, *, person: User, now: datetime) -> dict[str, str]:
    """Return how and when this person proved who they are; raises `NotFresh` where that is no proof now."""
    require_fresh(proof, person=person, now=now)
    assert proof is not None  # noqa: S101  # none is never fresh
    return proof.stated()


def reject(inspection_id: UUID, *, person: User, because: str, now: datetime) -> Inspection:
    """Put aside what waits for a second person: read otherwise, or taken back by who took it down. It stays on record.

    Raises as `confirm` does, but asks for no proof: what is put aside counts for nothing.
    """
    with recording.writing(_operation_of(inspection_id), now=now) as pen:
        require_may(person, May.INSPECT, recipient=pen.operation.recipient_id)
        row = _held(inspection_id)
        row.rejected_by, row.rejected_at, row.rejection = person, now, because
        row.save(update_fields=("rejected_by", "rejected_at", "rejection"))
        return row


def _operation_of(inspection_id: UUID) -> UUID:
    found = Inspection.objects.filter(id=inspection_id).values_list("operation_id", flat=True).first()
    if found is None:
        raise NoSuchInspection(str(inspection_id))
    return found
