"""Many registrations in a few statements, each with the outcome that it would have alone, in the order given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

import psycopg
from django.db import IntegrityError, connection, transaction

from operations import models
from operations.recording import watching
from operations.recording.registering import (
    IS_OPEN,
    AttemptDiffers,
    Binding,
    ConfrontsOpenOperation,
    Intent,
    NewProposal,
    Registered,
    Rows,
    bind,
    insert,
    lock_subjects,
    on_record,
)
from operations.recording.tables import table_of

Outcome: TypeAlias = Registered | NewProposal | ConfrontsOpenOperation | AttemptDiffers
Wanted: TypeAlias = tuple[Binding, Intent]
_Name: TypeAlias = tuple[int, str]  # recipient and identity, or recipient and subject


def _identity(binding: Binding) -> _Name:
    return binding.contract.recipient_id, binding.representation.identity


def _subject(binding: Binding) -> _Name:
    return binding.contract.recipient_id, binding.subject


@dataclass(slots=True)
class _Plan:
    """What is on record, and what is still to be written, by place in the order given."""

    holders: dict[_Name, models.Operation]
    open_about: dict[_Name, dict[str, UUID]]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    rows: dict[int, Rows] = field(default_factory=dict)
    again: list[int] = field(default_factory=list)

    def confronted(self, binding: Binding) -> UUID | None:
        """Return an operation that is open about the same thing, under another identity."""
        others = self.open_about.get(_subject(binding), {}) if binding.subject else {}
        own = binding.representation.identity
        return next((operation_id for identity, operation_id in others.items() if identity != own), None)

    def will_hold(self, place: int, binding: Binding, rows: Rows) -> None:
        """Let later registrations of the same batch meet this one."""
        self.rows[place] = rows
        if binding.subject:
            self.open_about.setdefault(_subject(binding), {})[binding.representation.identity] = rows[0].id


_HELD: Final = "SELECT id FROM operations_operation WHERE recipient_id = ANY(%s) AND identity = ANY(%s)"
_OPEN: Final = (
    "SELECT id, recipient_id, subject, identity FROM operations_operation"  # noqa: S608  # ours
    f" WHERE recipient_id = ANY(%s) AND subject = ANY(%s) AND {IS_OPEN} ORDER BY id"
)


def _asked(statement: str, names: Iterable[_Name]) -> list[tuple[Any, ...]]:
    """Ask for recipients and names, each as one array; what is found may be of another pair of them."""
    recipients, texts = zip(*names, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(statement, [sorted(set(recipients)), list(texts)])
        return list(cursor.fetchall())


def _holders(wanted: Sequence[Wanted]) -> dict[_Name, models.Operation]:
    """Return the operations that hold these identities."""
    names = {_identity(binding) for binding, _ in wanted}
    held = [row[0] for row in _asked(_HELD, names)] if names else []
    if not held:
        return {}
    rows = models.Operation.objects.filter(id__in=held).prefetch_related("attempts", "contract")
    return {(row.recipient_id, row.identity): row for row in rows}


def _open_about(wanted: Sequence[Wanted]) -> dict[_Name, dict[str, UUID]]:
    """Return, by subject, the open operations about what these are about; nobody else may add one meanwhile."""
    subjects = {_subject(binding) for binding, _ in wanted if binding.subject}
    if not subjects:
        return {}
    lock_subjects(subjects)
    found: dict[_Name, dict[str, UUID]] = {}
    for operation_id, recipient, subject, identity in _asked(_OPEN, subjects):
        found.setdefault((recipient, subject), {})[identity] = operation_id
    return found


def _plan(wanted: Sequence[Wanted], *, now: datetime, by: str) -> _Plan:
    open_about = _open_about(wanted)
    plan = _Plan(_holders(wanted), open_about)
    seen: set[_Name] = set()
    for place, (binding, intent) in enumerate(wanted):
        if _identity(binding) in plan.holders or _identity(binding) in seen:
            plan.again.append(place)
            continue
        confronted = plan.confronted(binding)
        if confronted is not None:
            plan.outcomes[place] = ConfrontsOpenOperation(confronted)
            continue
        plan.will_hold(place, binding, bind(binding, intent, now=now, by=by))
        seen.add(_identity(binding))
    return plan


_IDENTITY_TAKEN: Final = "identity_names_one_operation"


def _copy(rows: Sequence[Rows]) -> None:
    """Write these rows as the database takes them fastest; raises IntegrityError where an identity is taken."""
    operations, attempts, dues = zip(*rows, strict=True)
    planned = [due for due in dues if due is not None]
    for table, some in (
        (table_of(models.Operation, "number"), operations),
        (table_of(models.Attempt), attempts),
        (table_of(models.Due), planned),
    ):
        statement = f"COPY {table.name} ({table.columns}) FROM STDIN (FORMAT BINARY)"
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(table.types)
            for row in some:
                copy.write_row(table.read(row))


def _insert(rows: Sequence[Rows]) -> set[UUID]:
    """Write these operations with their attempts and plans, but for those whose identity is taken; return the ids."""
    try:
        with transaction.atomic(), connection.wrap_database_errors:
            _copy(rows)
    except IntegrityError as error:
        # Only another batch that took one of these identities since we looked: then one by one, which is slow and seldom.
        if _constraint(error) != _IDENTITY_TAKEN:
            raise
        return {some[0].id for some in rows if insert(some, guarded=False)}
    return {operation.id for operation, _, _ in rows}


def _constraint(error: IntegrityError) -> str | None:
    cause = error.__cause__
    return cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None


def _write(plan: _Plan) -> None:
    """Write the planned rows; an identity that somebody else took meanwhile is one that is on record.

    One order for everybody: two batches with the same identities don't wait for each other in a ring.
    """
    places = sorted(plan.rows, key=lambda place: (plan.rows[place][0].recipient_id, plan.rows[place][0].identity))
    written = _insert([plan.rows[place] for place in places]) if places else set()
    for place in places:
        operation_id = plan.rows[place][0].id
        if operation_id in written:
            plan.outcomes[place] = Registered(operation_id, created=True)
        else:
            plan.again.append(place)


def _tell(plan: _Plan, *, now: datetime) -> None:
    """Tell whoever watches of the operations that were written."""
    written = [plan.rows[place] for place in plan.rows if isinstance(plan.outcomes.get(place), Registered)]
    watching.tell([watching.changed(row, due, now=now, fresh=True) for row, _, due in written], now=now)


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
        _tell(plan, now=now)
        _again(plan, wanted)
        return [plan.outcomes[place] for place in range(len(wanted))]
