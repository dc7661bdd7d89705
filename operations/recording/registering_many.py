"""Many registrations in a few statements, each with the outcome that it would have alone, in the order given."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final, TypeAlias
from uuid import UUID

from django.db import connection, transaction
from django.db import models as django_models
from django.db.models import Q

from operations import models
from operations.recording.planning import first_due
from operations.recording.registering import (
    AttemptDiffers,
    Binding,
    ConfrontsOpenOperation,
    Intent,
    NewProposal,
    Registered,
    bind,
    lock_subjects,
    on_record,
)

Outcome: TypeAlias = Registered | NewProposal | ConfrontsOpenOperation | AttemptDiffers
Wanted: TypeAlias = tuple[Binding, Intent]
_Name: TypeAlias = tuple[int, str]  # recipient and identity, or recipient and subject
_Rows: TypeAlias = tuple[models.Operation, models.Attempt, models.Due | None]

ROWS_A_STATEMENT: Final = 500


def _identity(binding: Binding) -> _Name:
    return binding.contract.recipient_id, binding.representation.identity


def _subject(binding: Binding) -> _Name:
    return binding.contract.recipient_id, binding.subject


@dataclass(slots=True)
class _Plan:
    """What is on record, and what is still to be written, by place in the order given."""

    holders: dict[_Name, models.Operation]
    open_about: dict[_Name, dict[str | UUID, UUID]]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    rows: dict[int, _Rows] = field(default_factory=dict)
    again: list[int] = field(default_factory=list)

    def confronted(self, binding: Binding) -> UUID | None:
        """Return an operation that is open about the same thing, under another identity."""
        others = self.open_about.get(_subject(binding), {}) if binding.subject else {}
        own = binding.representation.identity if binding.identity_known else None
        return next((operation_id for identity, operation_id in others.items() if identity != own), None)

    def will_hold(self, place: int, binding: Binding, rows: _Rows) -> None:
        """Let later registrations of the same batch meet this one."""
        self.rows[place] = rows
        identity = binding.representation.identity if binding.identity_known else rows[0].id
        if binding.subject:
            self.open_about.setdefault(_subject(binding), {})[identity] = rows[0].id


def _holders(wanted: Sequence[Wanted]) -> dict[_Name, models.Operation]:
    """Return the operations that hold the known identities among these, in one statement."""
    by_recipient: dict[int, list[str]] = {}
    for binding, _ in wanted:
        if binding.identity_known:
            by_recipient.setdefault(binding.contract.recipient_id, []).append(binding.representation.identity)
    if not by_recipient:
        return {}
    any_of = Q()
    for recipient, identities in by_recipient.items():
        any_of |= Q(recipient_id=recipient, identity__in=identities)
    rows = models.Operation.objects.filter(any_of, identity_known=True).prefetch_related("attempts", "contract")
    return {(row.recipient_id, row.identity): row for row in rows}


def _open_about(wanted: Sequence[Wanted]) -> dict[_Name, dict[str | UUID, UUID]]:
    """Return, by subject, the open operations about what these are about; nobody else may add one meanwhile."""
    subjects = {_subject(binding) for binding, _ in wanted if binding.subject}
    if not subjects:
        return {}
    lock_subjects(subjects)
    rows = models.Operation.objects.open().filter(
        recipient_id__in={recipient for recipient, _ in subjects}, subject__in={subject for _, subject in subjects}
    )
    found: dict[_Name, dict[str | UUID, UUID]] = {}
    for row in rows.only("id", "recipient_id", "subject", "identity", "identity_known"):
        identity = row.identity if row.identity_known else row.id
        found.setdefault((row.recipient_id, row.subject), {})[identity] = row.id
    return found


def _plan(wanted: Sequence[Wanted], *, now: datetime, by: str) -> _Plan:
    open_about = _open_about(wanted)
    plan = _Plan(_holders(wanted), open_about)
    seen: set[_Name] = set()
    for place, (binding, intent) in enumerate(wanted):
        if binding.identity_known and (_identity(binding) in plan.holders or _identity(binding) in seen):
            plan.again.append(place)
            continue
        confronted = plan.confronted(binding)
        if confronted is not None:
            plan.outcomes[place] = ConfrontsOpenOperation(confronted)
            continue
        operation, attempt = bind(binding, intent, now=now, by=by)
        plan.will_hold(place, binding, (operation, attempt, first_due(operation, attempt, now=now)))
        seen.add(_identity(binding))
    return plan


@cache
def _columns(model: type[django_models.Model], *but: str) -> dict[str, tuple[str, str]]:
    """Return a table's columns by attribute: the quoted name, and the type in which a document of rows has it.

    Text has no length there: a value that is too long is refused as it is written, never cut off.
    """
    quoted = connection.ops.quote_name
    return {
        field.attname: (quoted(str(field.column)), re.sub(r"^varchar.*", "text", str(field.db_type(connection))))
        for field in model._meta.concrete_fields  # noqa: SLF001  # public in all but name
        if field.name not in but
    }


def _document(rows: Iterable[django_models.Model], attributes: Iterable[str]) -> str:
    """Return rows as one JSON text, which costs far less to hand over than a parameter a value."""
    names = tuple(attributes)
    return json.dumps([{name: getattr(row, name) for name in names} for row in rows], default=_written)


def _written(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return f"\\x{bytes(value).hex()}"
    return value.isoformat() if isinstance(value, datetime) else str(value)


@cache
def _statement() -> str:
    tables = (_columns(models.Operation, "number"), _columns(models.Attempt), _columns(models.Due))
    bound, begun, planned = (", ".join([name for name, _ in columns.values()]) for columns in tables)
    bound_as, begun_as, planned_as = (
        ", ".join([f'"{attribute}" {form}' for attribute, (_, form) in columns.items()]) for columns in tables
    )
    return (
        f"WITH bound AS (INSERT INTO operations_operation ({bound})"  # noqa: S608  # column names are ours
        f" SELECT wanted.* FROM jsonb_to_recordset(%s::jsonb) AS wanted ({bound_as})"
        " ON CONFLICT (recipient_id, identity) WHERE identity_known DO NOTHING RETURNING id)"
        f", planned AS (INSERT INTO operations_due ({planned})"
        f" SELECT wanted.* FROM jsonb_to_recordset(%s::jsonb) AS wanted ({planned_as})"
        " JOIN bound ON bound.id = wanted.operation_id)"
        f" INSERT INTO operations_attempt ({begun})"
        f" SELECT wanted.* FROM jsonb_to_recordset(%s::jsonb) AS wanted ({begun_as})"
        " JOIN bound ON bound.id = wanted.operation_id RETURNING operation_id"
    )


def _insert(rows: Sequence[_Rows]) -> set[UUID]:
    """Insert these operations with their attempts in one statement, but for those whose identity is taken.

    Return the ids of what was written.
    """
    documents = [
        _document([operation for operation, _, _ in rows], _columns(models.Operation, "number")),
        _document([due for _, _, due in rows if due is not None], _columns(models.Due)),
        _document([attempt for _, attempt, _ in rows], _columns(models.Attempt)),
    ]
    with connection.cursor() as cursor:
        cursor.execute(_statement(), documents)
        return {row[0] for row in cursor.fetchall()}


def _write(plan: _Plan) -> None:
    """Write the planned rows; an identity that somebody else took meanwhile is one that is on record.

    One order for everybody: two batches with the same identities don't wait for each other in a ring.
    """
    places = sorted(plan.rows, key=lambda place: (plan.rows[place][0].recipient_id, plan.rows[place][0].identity))
    for start in range(0, len(places), ROWS_A_STATEMENT):
        some = places[start : start + ROWS_A_STATEMENT]
        written = _insert([plan.rows[place] for place in some])
        for place in some:
            operation_id = plan.rows[place][0].id
            if operation_id in written:
                plan.outcomes[place] = Registered(operation_id, created=True)
            else:
                plan.again.append(place)


def _again(plan: _Plan, wanted: Sequence[Wanted]) -> None:
    """Answer for what is on record, what this batch has just written included."""
    unmet = [wanted[place] for place in plan.again if _identity(wanted[place][0]) not in plan.holders]
    holders = {**plan.holders, **_holders(unmet)}
    for place in plan.again:
        binding, intent = wanted[place]
        try:
            plan.outcomes[place] = on_record(holders[_identity(binding)], binding, intent=intent)
        except (NewProposal, AttemptDiffers) as refused:
            plan.outcomes[place] = refused


def register_many(wanted: Sequence[Wanted], *, now: datetime, by: str) -> list[Outcome]:
    """Register each as `register` would, one after the other, in one transaction; a refused one stops no other."""
    if not wanted:
        return []
    with transaction.atomic():
        plan = _plan(wanted, now=now, by=by)
        _write(plan)
        _again(plan, wanted)
        return [plan.outcomes[place] for place in range(len(wanted))]
