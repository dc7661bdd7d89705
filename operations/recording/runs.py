"""Runs and what their records show of calls; a record is added whole or not at all, and none is ever changed.

The values come read (`operations.runs`); here they become rows. Whoever writes to one run waits for whoever does already.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from operations import models
from operations.models.identifiers import uuid7

KEPT_FOR: Final = timedelta(days=1)
# Uploads of one person that are looked at: more are forgotten, the oldest first.
MOST_UPLOADS: Final = 5
_JUDGED: Final = ("place", "tool", "open", "harmless_is_done", "reasons")
_AT_ONCE: Final = 1000


class NoSuchUpload(Exception):
    """Nothing waits under this id: it was kept or forgotten, or somebody else brought it."""


class AlreadyBound(Exception):
    """The call belongs to an operation already; that has to be ended first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record as it may be kept: `digest` and `size` are those of the bytes that came, `content` is compressed."""

    digest: str
    name: str
    size: int
    content: bytes
    dropped: Sequence[tuple[str, str]]
    dropped_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One call of a run as it stands by all records: what of its row is judged anew."""

    scope: str
    call_id: str
    place: int
    tool: str
    open: bool
    harmless_is_done: bool
    reasons: Sequence[str]


def key_of(*, scope: str, call_id: str) -> str:
    """Return the digest by which a call is known in its run, whatever the length of its ids."""
    return sha256(f"{scope}\0{call_id}".encode()).hexdigest()


def stage(record: Record, *, by: str, now: datetime) -> models.Upload:
    """Let a record be looked at before it is kept; what nobody kept within a day is forgotten."""
    with transaction.atomic():
        models.Upload.objects.filter(received_at__lt=now - KEPT_FOR).delete()
        mine = models.Upload.objects.filter(received_by=by).order_by("-received_at").values_list("pk", flat=True)
        models.Upload.objects.filter(pk__in=list(mine[MOST_UPLOADS - 1 :])).delete()
        return models.Upload.objects.create(id=uuid7(now), received_at=now, received_by=by, **_columns(record))


def _columns(record: Record) -> dict[str, Any]:
    return {
        "digest": record.digest,
        "name": record.name,
        "bytes": record.size,
        "content": record.content,
        "dropped": [list(one) for one in record.dropped],
        "dropped_count": record.dropped_count,
    }


def staged(upload_id: UUID, *, by: str) -> models.Upload:
    """Return what somebody brought and has not kept yet; raises `NoSuchUpload`."""
    found = models.Upload.objects.filter(id=upload_id, received_by=by).first()
    if found is None:
        raise NoSuchUpload(str(upload_id))
    return found


def forget(upload_id: UUID, *, by: str) -> None:
    """Forget what somebody brought; a second time changes nothing."""
    models.Upload.objects.filter(id=upload_id, received_by=by).delete()


def start(*, name: str, recipient_id: int | None, by: str, now: datetime) -> models.Run:
    """Write a new run."""
    return models.Run.objects.create(name=name, recipient_id=recipient_id, created_at=now, created_by=by)


def hold(run_id: int) -> None:
    """Let one writer of a run through at a time, until the caller's transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"run {run_id}"])


def add(
    run: models.Run,
    upload: models.Upload,
    *,
    form: str,
    left_out: Sequence[str],
    read_with: models.Transcript | None,
    by: str,
    now: datetime,
) -> models.Transcript:
    """Add a record to a run that is held, in the caller's transaction; what was looked at is there no more."""
    row = models.Transcript.objects.create(
        id=uuid7(now),
        run=run,
        digest=upload.digest,
        name=upload.name,
        format=form,
        bytes=upload.bytes,
        content=upload.content,
        dropped=upload.dropped,
        dropped_count=upload.dropped_count,
        left_out=list(left_out),
        read_with=read_with,
        received_at=now,
        received_by=by,
    )
    upload.delete()
    return row


def show(transcript: models.Transcript, facts: Iterable[tuple[str, str, Mapping[str, Any]]], *, now: datetime) -> None:
    """Add what a record shows of each call, as (scope, call id, facts); a call that is new to the run is added too."""
    shown = {key_of(scope=scope, call_id=call_id): (scope, call_id, found) for scope, call_id, found in facts}
    known = set(models.Call.objects.filter(run_id=transcript.run_id).values_list("key", flat=True))
    fresh = [
        models.Call(
            run_id=transcript.run_id,
            key=key,
            scope=scope,
            call_id=call_id,
            created_at=now,
            place=0,
            open=False,
            harmless_is_done=False,
            reasons=[],
        )
        for key, (scope, call_id, _) in shown.items()
        if key not in known
    ]
    models.Call.objects.bulk_create(fresh, batch_size=_AT_ONCE)
    ids = dict(models.Call.objects.filter(run_id=transcript.run_id).values_list("key", "pk"))
    rows = [models.Showing(transcript=transcript, call_id=ids[key], facts=one[2]) for key, one in shown.items()]
    models.Showing.objects.bulk_create(rows, batch_size=_AT_ONCE)


def judged(run: models.Run, calls: Iterable[Judged]) -> None:
    """Write how the calls of a run stand by all its records, where that differs from what is written."""
    rows = {row.key: row for row in models.Call.objects.filter(run=run)}
    moved = []
    for one in calls:
        row = rows[key_of(scope=one.scope, call_id=one.call_id)]
        new = {**{name: getattr(one, name) for name in _JUDGED}, "reasons": list(one.reasons)}
        if any(getattr(row, name) != value for name, value in new.items()):
            vars(row).update(new)
            moved.append(row)
    models.Call.objects.bulk_update(moved, _JUDGED, batch_size=_AT_ONCE)


def bind(call: models.Call, operation_id: UUID, *, by: str, now: datetime) -> models.CallBinding:
    """Write that a call belongs to an operation, by a person's word; raises `AlreadyBound` where it is another's."""
    with transaction.atomic():
        hold(call.run_id)
        held = call.bindings.filter(ended_at=None).first()
        if held is not None:
            if held.operation_id == operation_id:
                return held
            raise AlreadyBound(str(call.pk))
        return models.CallBinding.objects.create(call=call, operation_id=operation_id, given_at=now, given_by=by)


def unbind(call: models.Call, *, by: str, now: datetime) -> bool:
    """End that a call belongs to an operation; say whether it did."""
    return bool(call.bindings.filter(ended_at=None).update(ended_at=now, ended_by=by))


def say_of_tool(name: str, kind: str, *, hint: str, by: str, now: datetime) -> models.Tool:
    """Write what a person says of a tool; it takes the place of what was said before."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"tool {name}"])
        held = models.Tool.objects.filter(name=name, ended_at=None).first()
        if held is not None and held.kind == kind:
            return held
        models.Tool.objects.filter(name=name, ended_at=None).update(ended_at=now, ended_by=by)
        return models.Tool.objects.create(name=name, kind=kind, hint=hint, set_at=now, set_by=by)
