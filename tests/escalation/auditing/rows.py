"""A row of any table, filled in by the kinds of its columns: nothing is asked of it but that it can be stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import Field, ForeignKey, Model

from tests.escalation.building import T0
from tests.operations.auditing.superuser import execute
from tests.operations.auditing.tampering import OTHER

# By the kind of a column: a value, and another one.
VALUES: Final[dict[str, Any]] = {
    "uuid": UUID(int=7),
    "varchar": "x",
    "text": "x",
    "jsonb": {"x": 1},
    "timestamptz": T0,
    "date": T0.date(),
    "time": T0.time(),
    "bytea": b"x",
    "int2": 1,
    "int4": 1,
    "int8": 1,
    "numeric": 1,
    "bool": False,
    "_varchar": ["x"],
    "_int2": [1],
    "_int8": [1],
}
NAMES: Final = {"uuid": uuid4, "varchar": lambda: "one", "int4": lambda: 900, "int8": lambda: 900}
OTHERS: Final = {**OTHER, "numeric": 77, "date": "2031-01-01", "time": "13:37", "_int2": [5], "_int8": [5]}


def kind_of(table: str, column: str) -> str:
    """The kind of a column, as the database calls it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT udt_name FROM information_schema.columns WHERE table_name = %s AND column_name = %s",
            [table, column],
        )
        return str(cursor.fetchone()[0])


@contextmanager
def without_rules(model: type[Model]) -> Iterator[None]:
    """Any row can be stored in this table in here; nothing of it stays."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            table = model._meta.db_table
            cursor.execute("SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = %s::regclass", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        yield
        transaction.set_rollback(True)


def _value(field: "Field[Any, Any]", *, empty: bool) -> Any:
    if field.null and empty:
        return None
    kind = kind_of(field.model._meta.db_table, str(field.column))
    return NAMES[kind]() if field.primary_key and not isinstance(field, ForeignKey) else VALUES[kind]


def any_row(model: type[Model], *, empty: bool = False, **stated: Any) -> Any:
    """A row that is not stored yet; `empty`: every column that may be empty is."""
    fields = model._meta.concrete_fields
    values = {field.attname: _value(field, empty=empty) for field in fields}
    return model(**{**values, **stated})


def change(row: Any, attribute: str) -> None:
    """Set one column of a row to something else of its kind."""
    meta = row._meta
    column = next(one.column for one in meta.concrete_fields if one.attname == attribute)
    kind = kind_of(meta.db_table, column)
    value, given = (f"NOT {column}", []) if kind == "bool" else ("%s", [OTHERS[kind]])
    touched = execute(f'UPDATE {meta.db_table} SET "{column}" = {value} WHERE {meta.pk.column} = %s', [*given, row.pk])
    assert touched == 1


def remove(row: Any) -> None:
    """Remove one row."""
    assert execute(f"DELETE FROM {row._meta.db_table} WHERE {row._meta.pk.column} = %s", [row.pk]) == 1
