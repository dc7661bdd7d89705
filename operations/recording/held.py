"""Many operations are locked together and each is written to by the pen that one alone would have; they are saved at once.

The same rows come of it as of one after the other: a held pen differs from `Pen` only in where it reads and saves. What
was loaded before the lock still holds where the revision is the same under it (every link is a revision).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from operations import models, reading
from operations.core.standing import Standing
from operations.models.due import PLANNED
from operations.models.operation import INFERRED
from operations.recording import planning, rows_at_once, watching
from operations.recording.heeding import Said
from operations.recording.pen import Pen, chain, infer_into, writing
from operations.recording.rows_at_once import among


@dataclass(slots=True)
class Loaded:
    """One operation with all that its facts are made of, and its plan; answers' bodies and headers are left out."""

    operation: models.Operation
    attempts: list[models.Attempt] = field(default_factory=list)
    readings: list[models.Reading] = field(default_factory=list)
    due: models.Due | None = None

    _read: "tuple[int, Once] | None" = None

    def read(self, *more: models.Reading) -> "Once":
        """Return the operation with its facts, with `more` that is appended next; worked out once while nothing is added."""
        readings = [*self.readings, *more]
        if self._read is None or self._read[0] != len(readings):
            found = reading.read_of(self.operation, self.attempts, readings)
            self._read = len(readings), Once(found.operation, found.facts, found.rows)
        return self._read[1]


class Once(reading.Read):
    """Facts that are judged once a moment, however often they are asked for."""

    def standing(self, *, now: datetime) -> Standing:
        """Return what is known at `now`."""
        known: tuple[datetime, Standing] | None = self.__dict__.get("known")
        if known is None or known[0] != now:
            known = now, super().standing(now=now)
            self.__dict__["known"] = known
        return known[1]


def load(operations: Collection[UUID]) -> dict[UUID, Loaded]:
    """Return these operations, in a statement a table."""
    ids = list(operations)
    found = {row.id: Loaded(row) for row in among(models.Operation.objects.all(), "id", ids)}
    recipients = models.Recipient.objects.in_bulk({one.operation.recipient_id for one in found.values()})
    for one in found.values():
        one.operation.recipient = recipients[one.operation.recipient_id]
        one.operation.contract = reading.published(one.operation.contract_id)
        reading.judging(one.operation)  # read once here, so that nothing asks the database for it later
    for attempt in among(models.Attempt.objects.all(), "operation_id", ids):
        found[attempt.operation_id].attempts.append(attempt)
    readings = models.Reading.objects.select_related("observation")
    for row in among(readings.defer("observation__headers", "observation__payload"), "operation_id", ids):
        row.contract = reading.published(row.contract_id)
        found[row.operation_id].readings.append(row)
    for due in among(models.Due.objects.all(), "operation_id", ids):
        found[due.operation_id].due = due
    return found


class HeldPen(Pen):
    """A pen whose operation was loaded and locked with others; what it writes is saved with theirs."""

    def __init__(self, held: Loaded, batch: "Held") -> None:
        super().__init__(held.operation, now=batch.now)
        self.held = held
        self.batch = batch

    def append(self, row: Any) -> None:
        """Chain one row, to be inserted with those of the others."""
        chain(row, self.operation)
        self.batch.rows.setdefault(type(row), []).append(row)
        if isinstance(row, models.Reading):
            self.held.readings.append(row)

    def read(self) -> reading.Read:
        """Return the facts as they stand now, rows just appended included."""
        return self.held.read()

    def read_with(self, claim: models.Reading) -> reading.Read:
        """Return the facts as they would stand with one more reading, which is appended next."""
        return self.held.read(claim)

    def observed(self, event: str) -> models.Observation | None:
        """Return the observation that is on record under a reporter's id."""
        return self.batch.known.get((self.operation.id, event))

    def first_received(self, channel: str, *, status: int | None, payload: bytes | None) -> datetime | None:
        """Return when this very answer was received for the first time, or None."""
        return self.batch.first_received.get((self.operation.id, channel, status, payload))

    def finish(self, *, said: Said | None = None) -> Standing:
        """Infer the standing anew; the row and its plan are saved with those of the others."""
        standing = self.read().standing(now=self.now)
        infer_into(self.operation, standing, reading.gaps(standing), now=self.now)
        self.batch.changed.append(self.operation)
        self.batch.plan(self.held, said=said)
        return standing


Answer = tuple[UUID, str, int | None, bytes | None]


@dataclass(slots=True)
class Held:
    """Operations that are locked together, their plans, and what is still to be saved."""

    now: datetime
    loaded: Mapping[UUID, Loaded]
    known: Mapping[tuple[UUID, str], models.Observation]
    first_received: Mapping[Answer, datetime]
    rows: dict[type[Any], list[Any]] = field(default_factory=dict)
    changed: list[models.Operation] = field(default_factory=list)
    planned: dict[UUID, models.Due | None] = field(default_factory=dict)

    def pen(self, operation_id: UUID) -> HeldPen:
        """Return a pen for one of the operations."""
        return HeldPen(self.loaded[operation_id], self)

    def plan(self, held: Loaded, *, said: Said | None) -> None:
        """Plan after something was learnt, as `planning.keep` does; an ask is on an existing plan already."""
        new = said if held.due is None else None
        due = planning.learnt(held.operation, held.due, held.attempts, said=new, now=self.now)
        self.planned[held.operation.id] = due

    def save(self) -> None:
        """Write everything, a statement a table, in the transaction of the lock."""
        for model in (models.Observation, models.Reading):
            rows_at_once.insert(model, self.rows.get(model, []))
        rows_at_once.update(models.Operation, self.changed, fields=INFERRED)
        kept = [due for due in self.planned.values() if due is not None]
        had = {one for one in self.planned if self.loaded[one].due is not None}
        rows_at_once.update(models.Due, [due for due in kept if due.operation_id in had], fields=PLANNED)
        models.Due.objects.bulk_create([due for due in kept if due.operation_id not in had])
        ended = [one for one, due in self.planned.items() if due is None and one in had]
        if ended:
            models.Due.objects.filter(operation_id__in=ended).delete()
        watching.tell([self._changed(one) for one in self.planned], now=self.now)

    def _changed(self, operation_id: UUID) -> watching.Changed:
        held = self.loaded[operation_id]
        return watching.changed(held.operation, self.planned[operation_id], now=self.now)


def hold(
    before: Mapping[UUID, Loaded],
    *,
    operations: Collection[UUID],
    lease: UUID,
    event: str,
    answers: Sequence[Answer],
    now: datetime,
) -> Held:
    """Lock these operations and their plans in the caller's transaction, one order for everybody.

    `before` is what was loaded when `lease` was taken: it holds for an operation at the same revision whose plan is
    still under that lease, since nobody else plans it then without a new revision. The rest is loaded anew.
    """
    states, leases = _lock(operations)
    same = {
        one: before[one]
        for one in operations
        if one in before and _state(before[one].operation) == states.get(one) and leases.get(one) == lease
    }
    found = {**same, **_loaded_anew([one for one in states if one not in same])}
    with_past = [answer for answer in answers if answer[0] in found and found[answer[0]].readings]
    known = among(
        models.Observation.objects.filter(event=event), "operation_id", [one for one in found if found[one].readings]
    )
    return Held(
        now=now,
        loaded=found,
        known={(row.operation_id, row.event): row for row in known},
        first_received=_first_received(with_past),
    )


def _loaded_anew(operations: Collection[UUID]) -> dict[UUID, Loaded]:
    return load(operations) if operations else {}


def _state(operation: models.Operation) -> tuple[int, int | None]:
    """Return what changes with every change: the revision, and the version that reads (which may have nothing to read)."""
    return operation.revision, operation.judged_by_id


def _lock(
    operations: Iterable[UUID],
) -> tuple[dict[UUID, tuple[int, int | None]], dict[UUID, UUID | None]]:
    """Lock the rows; return the operations' states and the plans' leases."""
    ids = [list(operations)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, revision, judged_by FROM operations_operation WHERE id = ANY(%s) ORDER BY id FOR UPDATE",
            ids,
        )
        states = {one: (revision, judged_by) for one, revision, judged_by in cursor.fetchall()}
        cursor.execute(
            "SELECT operation_id, lease FROM operations_due WHERE operation_id = ANY(%s) ORDER BY operation_id FOR UPDATE",
            ids,
        )
        return states, dict(cursor.fetchall())


def _first_received(answers: Sequence[Answer]) -> dict[Answer, datetime]:
    """Return when each of these very answers was received for the first time, for those that were."""
    if not answers:
        return {}
    statement = (
        "SELECT wanted.place, min(seen.received_at) FROM unnest(%s::uuid[], %s::text[], %s::int[], %s::bytea[])"
        " WITH ORDINALITY AS wanted (operation_id, channel, status, payload, place) JOIN operations_observation AS seen"
        " ON seen.operation_id = wanted.operation_id AND seen.channel = wanted.channel"
        " AND seen.status IS NOT DISTINCT FROM wanted.status AND seen.payload IS NOT DISTINCT FROM wanted.payload"
        " GROUP BY wanted.place"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(column) for column in zip(*answers, strict=True)])
        return {answers[place - 1]: at for place, at in cursor.fetchall()}


def catch_up(operations: Iterable[models.Operation], *, now: datetime) -> None:
    """Read those of these operations by the contract in force that were read by an older version."""
    newest: dict[int, int | None] = {}
    for row in operations:
        if row.recipient_id not in newest:
            contract = reading.contract_in_force(row.recipient_id)
            newest[row.recipient_id] = None if contract is None else contract.id
        if newest[row.recipient_id] not in {None, row.judged_by_id or row.contract_id}:
            with writing(row.id, now=now):
                pass
