"""Many rows of one table in one statement: copied where they are new; as one JSON text, which costs far less than a
parameter a value, where they change.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db import models as django_models
from django.db.models import QuerySet

from operations.recording.tables import table_of

Row = TypeVar("Row", bound=django_models.Model)


@cache
def _columns(model: type[django_models.Model]) -> dict[str, tuple[str, str]]:
    """Return the quoted name and the type of each column, by attribute; text has no length, so that none is cut off."""
    quoted = connection.ops.quote_name
    return {
        field.attname: (quoted(str(field.column)), re.sub(r"\(\d+\)", "", str(field.db_type(connection))))
        for field in model._meta.concrete_fields  # noqa: SLF001  # public in all but name
    }


def _document(rows: Sequence[Any], attributes: Sequence[str]) -> str:
    found = [{name: getattr(row, name) for name in attributes} for row in rows]
    return json.dumps(found, default=_written, ensure_ascii=False)


def _written(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return f"\\x{bytes(value).hex()}"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _shape(columns: Iterable[tuple[str, tuple[str, str]]]) -> str:
    return ", ".join([f'"{attribute}" {form}' for attribute, (_, form) in columns])


def among(rows: "QuerySet[Row]", column: str, values: Iterable[Any]) -> "QuerySet[Row]":
    """Return those rows whose column is among these values, which go over as one array.

    Django's own `in` makes a parameter of each value, and to write a thousand of them costs more than to read the rows.
    """
    table = connection.ops.quote_name(rows.model._meta.db_table)  # noqa: SLF001  # public in all but name
    return rows.extra(where=[f"{table}.{connection.ops.quote_name(column)} = ANY(%s)"], params=[list(values)])  # noqa: S610  # column names are ours


def insert(model: type[django_models.Model], rows: Sequence[Any]) -> None:
    """Insert these rows of one model, as the database takes them fastest."""
    if not rows:
        return
    table = table_of(model)
    statement = f"COPY {table.name} ({table.columns}) FROM STDIN (FORMAT BINARY)"
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(table.types)
        for row in rows:
            copy.write_row(table.read(row))


def update(model: type[django_models.Model], rows: Sequence[Any], *, fields: Sequence[str]) -> None:
    """Write these fields of rows that are locked already."""
    if not rows:
        return
    key = model._meta.pk  # noqa: SLF001  # public in all but name
    named = {field.name: field.attname for field in model._meta.concrete_fields}  # noqa: SLF001  # likewise
    attributes = [named[name] for name in (key.name, *fields)]
    columns = [(attribute, _columns(model)[attribute]) for attribute in attributes]
    changes = ", ".join([f'{name} = wanted."{attribute}"' for attribute, (name, _) in columns[1:]])
    attribute, (name, _) = columns[0]
    statement = (
        f"UPDATE {connection.ops.quote_name(model._meta.db_table)} AS one SET {changes}"  # noqa: S608, SLF001  # names are ours
        f" FROM jsonb_to_recordset(%s::jsonb) AS wanted ({_shape(columns)})"
        f' WHERE one.{name} = wanted."{attribute}"'
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [_document(rows, attributes)])
