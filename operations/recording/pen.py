"""One operation is written at a time: locked, each row chained to the one before, its standing inferred at the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.db import models as django_models
from django.db import transaction
from django.db.models import Exists, OuterRef

from operations import models, reading
from operations.core.standing import Standing
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.operation import INFERRED
from operations.recording import planning, watching
from operations.recording.heeding import Said

_DIGEST: Final = frozenset({"digest"})
_CHANGES: Final = frozenset({*INFERRED, "number"})
Columns: TypeAlias = tuple[tuple[str, ...], Callable[[django_models.Model], tuple[Any, ...]]]


@cache
def _columns(model: type[django_models.Model], but: frozenset[str]) -> Columns:
    """Return a table's columns by attribute, but for the fields of these names, and what reads their values off a row."""
    names = [field.attname for field in model._meta.concrete_fields if field.name not in but]  # noqa: SLF001  # public in all but name
    return tuple(names), attrgetter(*names)


def row_of(row: django_models.Model) -> dict[str, Any]:
    """Return a row as the chain sees it: its kind and every column but the digest itself."""
    names, read = _columns(type(row), _DIGEST)
    return {"kind": row._meta.model_name, **dict(zip(names, read(row), strict=True))}  # noqa: SLF001  # likewise


def bound_row(operation: models.Operation) -> dict[str, Any]:
    """Return the bound request as the chain's first link sees it: every column that can never change.

    The number is left out: the database gives it when the row is written.
    """
    names, read = _columns(models.Operation, _CHANGES)
    return {"kind": "operation", **dict(zip(names, read(operation), strict=True))}


def first_digest(operation: models.Operation) -> bytes:
    """Return the digest of the chain's first link, the bound request; no row holds it."""
    return link(NOTHING_BEFORE, bound_row(operation))


def infer_into(operation: models.Operation, standing: Standing, gaps: list[list[Any]], *, now: datetime) -> None:
    """Write what is inferred into the cached columns of `operation`; the row is not saved."""
    operation.evidence = standing.evidence
    operation.finality = standing.finality
    operation.protection = standing.protection
    operation.protection_until = reading.moment(standing.protection_until)
    operation.protection_reason = standing.protection_reason
    operation.conflict = standing.conflict
    operation.duplicate_effect = standing.duplicate_effect
    operation.further_effect = standing.further_effect
    operation.situation = standing.situation
    operation.missing = gaps
    operation.assessed_at = now


def chain(row: Any, operation: models.Operation) -> None:
    """Give `row` its place behind the last link of `operation`, and make it the last; readers see a new revision."""
    row.position = operation.links
    row.digest = link(bytes(operation.head), row_of(row))
    operation.head = row.digest
    operation.links += 1
    operation.revision += 1


class Pen:
    """Appends rows to one locked operation; nothing it writes is there until the transaction ends."""

    def __init__(self, operation: models.Operation, *, now: datetime) -> None:
        self.operation = operation
        self.now = now

    @property
    def contract(self) -> models.Contract:
        """The contract version by which this operation's observations are read."""
        return reading.judging(self.operation)

    def append(self, row: Any) -> None:
        """Chain and insert one row of this operation."""
        chain(row, self.operation)
        row.save(force_insert=True)

    def read(self) -> reading.Read:
        """Return the facts as they stand now, rows just appended included."""
        return reading.read(self.operation)  # its rows are asked for anew, they are not prefetched

    def read_with(self, claim: models.Reading) -> reading.Read:
        """Return the facts as they would stand with one more reading, which is not appended yet."""
        return reading.read_with(self.operation, claim)

    def observed(self, event: str) -> models.Observation | None:
        """Return the observation that is on record under a reporter's id."""
        return self.operation.observations.filter(event=event).first()

    def first_received(self, channel: str, *, status: int | None, payload: bytes | None) -> datetime | None:
        """Return when this very answer was received for the first time, or None."""
        found = self.operation.observations.filter(channel=channel, status=status, payload=payload)
        return found.order_by("received_at").values_list("received_at", flat=True).first()

    def finish(self, *, said: Said | None = None) -> Standing:
        """Infer the standing anew, save it with the head of the chain, and plan the next ask.

        `said`: the answer that was just recorded, as far as it is about asking.
        """
        found = self.read()
        standing = found.standing(now=self.now)
        infer_into(self.operation, standing, reading.gaps(standing), now=self.now)
        self.operation.save(update_fields=INFERRED)
        attempts = [row for row in found.rows if isinstance(row, models.Attempt)]
        due = planning.keep(self.operation, attempts, said=said, now=self.now)
        watching.tell([watching.changed(self.operation, due, now=self.now)], now=self.now)
        return standing


# What a locked operation is asked at once, so that nothing is read later of links that are not there.
_LINKS: Final = {
    "succeeded": Exists(models.Successor.objects.filter(operation=OuterRef("pk"))),
    "succeeds": Exists(models.Successor.objects.filter(successor=OuterRef("pk"))),
    "ends_another": Exists(models.Closing.objects.filter(closing=OuterRef("pk"))),
}


def _note_links(locked: models.Operation) -> None:
    """Note on a locked operation which links to others there are (`reading` looks for that).

    It takes a statement of its own: the one that locks sees every other table as it was before it came to wait for the
    lock, and whoever held it may have named a successor meanwhile.
    """
    vars(locked).update(models.Operation.objects.filter(pk=locked.pk).values(**_LINKS).get())


@contextmanager
def writing(operation_id: UUID, *, now: datetime) -> Iterator[Pen]:
    """Lock one operation, read by the contract in force, and write to it; raises `reading.NoSuchOperation`.

    The caller calls `finish` once it has written.
    """
    from operations.recording.rereading import catch_up  # which stands on this module

    with transaction.atomic():
        locked = (
            models.Operation.objects.select_for_update(of=("self",))
            .select_related("recipient", "contract")
            .filter(id=operation_id)
            .first()
        )
        if locked is None:
            raise reading.NoSuchOperation(str(operation_id))
        _note_links(locked)
        pen = Pen(locked, now=now)
        catch_up(pen)
        yield pen
