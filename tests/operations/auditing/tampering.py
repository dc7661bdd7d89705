"""What a superuser does to a record: change, remove, move, forge, and write the rest anew so that it follows again."""

from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from operations import models
from operations.auditing.walking import walk
from operations.models.chain import NOTHING_BEFORE, link
from operations.recording.pen import bound_row, row_of
from tests.operations.auditing.superuser import execute

OTHER: dict[str, Any] = {
    "uuid": str(uuid4()),
    "varchar": "~",
    "text": "other",
    "jsonb": '{"other": 1}',
    "timestamptz": "2031-01-01T00:00:00Z",
    "bytea": b"other",
    "int4": 77,
    "int2": 77,
    "int8": 77,
    "_varchar": ["other"],
}


def links(made: UUID) -> list[Any]:
    """The rows of a chain behind the request, by position."""
    return [one.row for chain in walk() if chain.id == made for one in chain.behind]


def chained_anew(made: UUID, *, start: int = 0) -> None:
    """Write every digest from a position on, and the head, so that all of it follows again."""
    row = models.Operation.objects.get(id=made)
    digest = link(NOTHING_BEFORE, bound_row(row))
    for one in links(made):
        if one.position >= start:
            execute(f"UPDATE {one._meta.db_table} SET digest = %s WHERE id = %s", [link(digest, row_of(one)), one.pk])
            one.refresh_from_db()
        digest = bytes(one.digest)
    count = len(links(made)) + 1
    statement = "UPDATE operations_operation SET head = %s, links = %s, revision = GREATEST(revision, %s) WHERE id = %s"
    execute(statement, [digest, count, count, made])


def changed(table: str, column: str, pk: UUID) -> None:
    """Set a column of one row to something else of its type."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT udt_name FROM information_schema.columns WHERE table_name = %s AND column_name = %s",
            [table, column],
        )
        (kind,) = cursor.fetchone()
    if kind == "bool":
        touched = execute(f'UPDATE {table} SET "{column}" = NOT "{column}" WHERE id = %s', [pk])
    else:
        touched = execute(f'UPDATE {table} SET "{column}" = %s WHERE id = %s', [OTHER[kind], pk])
    assert touched == 1


def without_checks() -> None:
    """Take the check constraints away; to be undone by the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'c'"
            " AND conrelid::regclass::text LIKE 'operations_%%'"
        )
        for table, name in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')


def removed(row: Any) -> None:
    """Remove one row."""
    execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])


def removed_whole(made: UUID) -> None:
    """Remove an operation with everything that hangs on it."""
    for row in links(made):
        removed(row)
    execute("DELETE FROM operations_operation WHERE id = %s", [made])


def swapped(one: Any, other: Any) -> None:
    """Let two rows change places."""
    for row, position in ((one, 99), (other, one.position), (one, other.position)):
        execute(f"UPDATE {row._meta.db_table} SET position = %s WHERE id = %s", [position, row.pk])


def shifted(made: UUID, *, start: int, by: int) -> None:
    """Move every row from a position on, so that a place comes free, or closes."""
    rows = [row for row in links(made) if row.position >= start]
    for row in reversed(rows) if by > 0 else rows:
        execute(f"UPDATE {row._meta.db_table} SET position = position + %s WHERE id = %s", [by, row.pk])


def forged(made: UUID, *, position: int) -> None:
    """Add an observation that nobody made, its digest following from whatever stands before it."""
    before = [row for row in links(made) if row.position < position]
    digest = (
        bytes(before[-1].digest) if before else link(NOTHING_BEFORE, bound_row(models.Operation.objects.get(id=made)))
    )
    now = models.Operation.objects.get(id=made).created_at
    row = models.Observation(
        id=uuid4(),
        operation_id=made,
        event=f"forged-{uuid4()}",
        channel="record",
        headers=[],
        source="nobody",
        authentic=True,
        received_at=now,
        recorded_at=now,
        position=position,
    )
    row.digest = link(digest, row_of(row))
    row.save(force_insert=True)
