"""A record comes in, is looked at, and is kept: in a run of its own, or with the other records of a run."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import transaction

from operations.imports import MOST_CALLS, Imported, ImportRefused, imported_of
from operations.imports.document import Document, read
from operations.imports.dropping import kept
from operations.imports.keeping import facts_of, storable, text_of
from operations.reading import runs as reading
from operations.recording import runs as recording
from operations.runs.evidencing import evidence
from operations.runs.shown import calls_of, is_done_if_harmless, is_open

if TYPE_CHECKING:
    from operations.models import Run, Transcript, Upload

# Listed by their places; of more it is said how many there are.
MOST_DROPPED: Final = 200
MOST_LEFT_OUT: Final = 100
MOST_RECORDS: Final = 100
LONGEST_NAME: Final = 200
_STATE, _LOG = "run_state", "requests"


class TooManyRecords(Exception):
    """The run has as many records as one may have; nothing was kept."""

    def __init__(self) -> None:
        super().__init__(f"A run has {MOST_RECORDS} records at most.")


@dataclass(frozen=True, slots=True)
class Preview:
    """What a record holds, before it is kept."""

    upload: Upload
    found: Imported

    @property
    def unresolved(self) -> int:
        """How many of its calls it leaves unresolved by itself."""
        return sum([is_open(call) for call in self.found.calls])


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """The record on record; `created` is False where the same bytes were there already."""

    transcript: Transcript
    created: bool


def bring(content: bytes, *, name: str, by: str, now: datetime) -> Preview:
    """Stage a record without what must not be kept of it, and say what it holds; raises `ImportRefused`."""
    cleared = kept(read(content))
    found = _imported(cleared.document)
    record = recording.Record(
        digest=sha256(content).hexdigest(),
        name=storable(name)[:LONGEST_NAME],
        size=len(content),
        content=zlib.compress(text_of(cleared.document).encode()),
        dropped=storable([list(one) for one in cleared.dropped[:MOST_DROPPED]]),
        dropped_count=len(cleared.dropped),
    )
    return Preview(recording.stage(record, by=by, now=now), found)


def preview(upload_id: UUID, *, by: str) -> Preview:
    """Return what somebody brought, read again; raises `recording.NoSuchUpload`."""
    upload = recording.staged(upload_id, by=by)
    return Preview(upload, _imported(document_of(bytes(upload.content))))


def document_of(content: bytes) -> Document:
    """Return a record as it was kept."""
    return read(zlib.decompress(content))


def _imported(record: Document, *, request_log: Document | None = None) -> Imported:
    found = imported_of(record, request_log=request_log)
    if len(found.calls) > MOST_CALLS:
        raise ImportRefused("", "too_many_calls", f"must not hold more than {MOST_CALLS} calls")
    return found


def keep(upload_id: UUID, *, run: Run | None, name: str, recipient_id: int | None, by: str, now: datetime) -> Brought:
    """Keep what somebody brought, in `run` or in a new one of this name and recipient; the same bytes once a run.

    Raises `recording.NoSuchUpload`, `ImportRefused` and `TooManyRecords`; then nothing is kept.
    """
    with transaction.atomic():
        upload = recording.staged(upload_id, by=by)
        if run is None:
            run = recording.start(name=name, recipient_id=recipient_id, by=by, now=now)
        recording.hold(run.pk)
        others = reading.transcripts(run)
        same = next((one for one in others if one.digest == upload.digest), None)
        if same is not None:
            recording.forget(upload.pk, by=by)
            return Brought(transcript=same, created=False)
        if len(others) >= MOST_RECORDS:
            raise TooManyRecords
        return Brought(transcript=_added(run, upload, others, by=by, now=now), created=True)


def _added(run: Run, upload: Upload, others: list[Transcript], *, by: str, now: datetime) -> Transcript:
    record = document_of(bytes(upload.content))
    alone = _imported(record)
    read_with = _counterpart(alone.format, others)
    found = alone if read_with is None else _together(record, alone.format, read_with)
    row = recording.add(
        run,
        upload,
        form=alone.format,
        left_out=storable(list(alone.left_out[:MOST_LEFT_OUT])),
        read_with=read_with,
        by=by,
        now=now,
    )
    facts = [
        (storable(call.scope or ""), storable(call.call_id), facts_of(call, hint=found.hints.get(call.name or "", "")))
        for call in found.calls
    ]
    recording.show(row, facts, now=now)
    rejudge(run)
    evidence(run, by=by, now=now)
    return row


def _counterpart(form: str, others: list[Transcript]) -> Transcript | None:
    """Return the newest log of a state's requests, or the newest state of a log's run: together they say what was sent."""
    wanted = {_STATE: _LOG, _LOG: _STATE}.get(form)
    return next((one for one in reversed(others) if one.format == wanted), None)


def _together(record: Document, form: str, other: Transcript) -> Imported:
    theirs = document_of(reading.content(other))
    return _imported(record, request_log=theirs) if form == _STATE else _imported(theirs, request_log=record)


def rejudge(run: Run) -> None:
    """Write how each call of a run stands by all its records, in the caller's transaction."""
    recording.judged(
        run,
        [
            recording.Judged(
                scope=call.scope or "",
                call_id=call.call_id,
                place=place,
                tool=(call.name or "")[:LONGEST_NAME],
                open=is_open(call),
                harmless_is_done=is_done_if_harmless(call),
                reasons=call.reasons,
            )
            for place, call in enumerate(calls_of(run))
        ],
    )
