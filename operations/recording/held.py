"""Many operations are locked together and each is written to by the pen that one alone would have; they are saved at once.

The same rows come of it as of one after the other: a held pen differs from `Pen` only in where it reads and saves.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch

from operations import models, reading
from operations.core.standing import Standing
from operations.models.due import PLANNED
from operations.models.operation import INFERRED
from operations.recording import planning, rows_at_once
from operations.recording.pen import Pen, chain, infer_into, writing


def loaded(operations: Collection[UUID], *, lock: bool = False) -> dict[UUID, models.Operation]:
    """Return these operations with recipient, contract, attempts and readings, in a few statements.

    Answers' bodies and headers are left out. Locked, they are locked in one order for everybody.
    """
    rows = models.Operation.objects.filter(id__in=operations).order_by("id")
    read = models.Reading.objects.select_related("observation").defer("observation__headers", "observation__payload")
    rows = rows.prefetch_related("recipient", "attempts", Prefetch("readings", read))
    found = {row.id: row for row in (rows.select_for_update(of=("self",)) if lock else rows)}
    for row in found.values():
        row.contract = reading.published(row.contract_id)
        for claim in row.readings.all():
            claim.contract = reading.published(claim.contract_id)
    return found


class HeldPen(Pen):
    """A pen whose operation was loaded and locked with others; what it writes is saved with theirs."""

    def __init__(self, operation: models.Operation, batch: "Held") -> None:
        super().__init__(operation, now=batch.now)
        self.batch = batch
        self.claims: list[models.Reading] = []
        self._standing: tuple[int, Standing] | None = None

    def append(self, row: Any) -> None:
        """Chain one row, to be inserted with those of the others."""
        chain(row, self.operation)
        self.batch.rows.setdefault(type(row), []).append(row)
        if isinstance(row, models.Reading):
            self.claims.append(row)

    def read(self) -> reading.Read:
        """Return the facts as they stand now, rows just appended included."""
        return reading.read_with(self.operation, *self.claims)

    def read_with(self, claim: models.Reading) -> reading.Read:
        """Return the facts as they would stand with one more reading, which is not appended yet."""
        return reading.read_with(self.operation, *self.claims, claim)

    def observed(self, event: str) -> models.Observation | None:
        """Return the observation that is on record under a reporter's id."""
        return self.batch.known.get((self.operation.id, event))

    def first_received(self, channel: str, *, status: int | None, payload: bytes | None) -> datetime | None:
        """Return when this very answer was received for the first time, or None."""
        if not self.operation.readings.all():
            return None  # every observation has a reading
        return super().first_received(channel, status=status, payload=payload)

    def finish(self, *, asked: tuple[str, datetime] | None = None) -> Standing:
        """Infer the standing anew; the row and its plan are saved with those of the others."""
        found = self.read()
        standing = found.standing(now=self.now)
        infer_into(self.operation, standing, reading.gaps(standing), now=self.now)
        self.batch.changed.append(self.operation)
        attempts = [row for row in found.rows if isinstance(row, models.Attempt)]
        self.batch.plan(self.operation, attempts, asked=asked)
        return standing


@dataclass(slots=True)
class Held:
    """Operations that are locked together, their plans, and what is still to be saved."""

    now: datetime
    operations: Mapping[UUID, models.Operation]
    due: dict[UUID, models.Due]
    known: Mapping[tuple[UUID, str], models.Observation]
    rows: dict[type[Any], list[Any]] = field(default_factory=dict)
    changed: list[models.Operation] = field(default_factory=list)
    planned: dict[UUID, models.Due | None] = field(default_factory=dict)

    def pen(self, operation_id: UUID) -> HeldPen:
        """Return a pen for one of the operations."""
        return HeldPen(self.operations[operation_id], self)

    def plan(
        self, operation: models.Operation, attempts: list[models.Attempt], *, asked: tuple[str, datetime] | None
    ) -> None:
        """Plan after something was learnt, as `planning.keep` does."""
        known = self.due.get(operation.id)
        if known is not None and asked is not None:
            planning.mark_asked(known, asked[0], at=asked[1])
        self.planned[operation.id] = planning.learnt(operation, known, attempts, now=self.now)

    def save(self) -> None:
        """Write everything, a statement a table."""
        for model in (models.Observation, models.Reading):
            rows_at_once.insert(model, self.rows.get(model, []))
        rows_at_once.update(models.Operation, self.changed, fields=INFERRED)
        kept = [due for due in self.planned.values() if due is not None]
        rows_at_once.update(models.Due, [due for due in kept if due.operation_id in self.due], fields=PLANNED)
        models.Due.objects.bulk_create([due for due in kept if due.operation_id not in self.due])
        ended = [one for one, due in self.planned.items() if due is None and one in self.due]
        if ended:
            models.Due.objects.filter(operation_id__in=ended).delete()


def hold(operations: Collection[UUID], *, events: Collection[str], now: datetime) -> Held:
    """Lock these operations in the caller's transaction; `events` are the reporters' ids that are about to be told."""
    found = loaded(operations, lock=True)
    known = models.Observation.objects.filter(operation_id__in=operations, event__in=events)
    due = models.Due.objects.select_for_update().filter(operation_id__in=operations)
    return Held(
        now=now,
        operations=found,
        due={row.operation_id: row for row in due},
        known={(row.operation_id, row.event): row for row in known},
    )


def catch_up(operations: Collection[UUID], *, now: datetime) -> None:
    """Read those of these operations by the contract in force that were read by an older version."""
    found = models.Operation.objects.filter(id__in=operations).only("id", "recipient_id", "contract_id", "judged_by_id")
    newest: dict[int, int | None] = {}
    for row in found:
        if row.recipient_id not in newest:
            contract = reading.contract_in_force(row.recipient_id)
            newest[row.recipient_id] = None if contract is None else contract.id
        if newest[row.recipient_id] not in {row.contract_id, row.judged_by_id}:
            with writing(row.id, now=now):
                pass
