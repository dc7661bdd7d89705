"""A new operation is bound without any send and linked to the one whose intent it carries, by one decision.

semantics.md, Words: a successor is another operation authorised to carry this operation's intent. Its record is complete
from the first: nothing was sent, and the first attempt takes the grant that the decision gives.
"""

from datetime import datetime

from django.db import connection

from operations import models, reading
from operations.core.facts import Facts, Operation
from operations.core.standing import infer
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.identifiers import uuid7
from operations.recording.granting import grant
from operations.recording.pen import Pen, bound_row, infer_into
from operations.recording.registering import Binding, lock_subjects, operation_row
from operations.recording.tables import table_of


class IdentityTaken(Exception):
    """An operation of this recipient holds the identity already."""


def succeed(
    pen: Pen, decision: models.Decision, *, binding: Binding, grant_ends_at: datetime, by: str
) -> models.Operation:
    """Bind a new operation in the caller's transaction, with a grant for its first attempt; nothing was sent.

    The caller links it (`name_successor`) and calls `pen.finish()`. Raises `IdentityTaken`; then nothing is written.
    """
    row = bound_unsent(binding, now=pen.now)
    fresh = Pen(row, now=pen.now)
    fresh.append(models.Seal(id=uuid7(pen.now), operation=row, sealed_at=pen.now, sealed_by=by))
    row.sealed = True
    grant(fresh, decision, ends_at=grant_ends_at, by=by)
    fresh.finish()
    return row


def bound_unsent(binding: Binding, *, now: datetime) -> models.Operation:
    """Return the row of a new operation without any attempt, written and judged; raises `IdentityTaken`."""
    if binding.subject:  # a registration about the same thing waits, and is then confronted with this one
        lock_subjects([(binding.contract.recipient_id, binding.subject)])
    row = operation_row(binding, now=now)
    row.head = link(NOTHING_BEFORE, bound_row(row))
    facts = Facts(
        contract=reading.terms(binding.contract), operation=Operation(identity_known=binding.identity_known), events=()
    )
    standing = infer(facts, now=reading.seconds(now))
    infer_into(row, standing, reading.gaps(standing), now=now)
    if not _insert(row):
        raise IdentityTaken(f"The request number {row.identity} belongs to another operation already.")
    return models.Operation.objects.select_related("recipient", "contract").get(id=row.id)


def _insert(row: models.Operation) -> bool:
    """Insert the row alone, or nothing where its identity is taken."""
    table = table_of(models.Operation, "number")
    statement = (
        f"INSERT INTO {table.name} ({table.columns}) VALUES ({table.places})"  # noqa: S608  # ours
        " ON CONFLICT (recipient_id, identity) DO NOTHING RETURNING id"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, table.values(row))
        return cursor.fetchone() is not None


def name_successor(pen: Pen, decision: models.Decision, *, successor: models.Operation, by: str) -> models.Successor:
    """Link a new operation to the locked original as the one that carries its intent from now on."""
    row = models.Successor(
        id=uuid7(pen.now),
        operation=pen.operation,
        successor=successor,
        decision=decision,
        named_at=pen.now,
        named_by=by,
    )
    pen.append(row)
    pen.operation.succeeded = True  # type: ignore[attr-defined]  # whether there are any was asked as it was locked
    return row
