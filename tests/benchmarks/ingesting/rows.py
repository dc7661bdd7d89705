"""The rows that registrations become, made beforehand, and the ways in which a peer writes the same rows."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

import psycopg
from django.db import connection, models, transaction

from operations.api.asked import Register
from operations.api.doing import Act
from operations.api.door import Visit
from operations.keys import Caller, caller_of
from operations.recording import Binding, Intent
from operations.recording.registering import bind
from operations.recording.tables import table_of

Wanted: TypeAlias = list[tuple[Binding, Intent]]
Rows: TypeAlias = list[list[models.Model]]  # of one table each, in the order in which they are written
BY = "key unr_benchmark"


def caller(key: str) -> Caller:
    """Who holds the key."""
    found = caller_of(key, now=datetime.now(UTC))
    assert found is not None
    return found


def wanted(items: Iterable[dict[str, Any]], *, key: str) -> Wanted:
    """What the door hands to recording for these items."""
    act = Act(Visit(caller=caller(key), now=datetime.now(UTC)))
    return [act.wanted(Register.model_validate(item)) for item in items]


def rows(some: Wanted) -> Rows:
    """The rows that recording writes for these: operations, attempts, and the plan of the next ask."""
    now = datetime.now(UTC)
    tables = zip(*[bind(binding, intent, now=now, by=BY) for binding, intent in some], strict=True)
    return [[row for row in table if row is not None] for table in tables]


def _but(row: models.Model) -> tuple[str, ...]:
    return ("number",) if hasattr(type(row), "identity") else ()


def copied(some: Rows) -> Callable[[], None]:
    """Bare COPY, values to text by psycopg, one transaction; what it takes is made ready here."""
    tables = [(table_of(type(some[0]), *_but(some[0])), some) for some in some if some]
    ready = [(f"COPY {table.name} ({table.columns}) FROM STDIN", [table.values(row) for row in some])
             for table, some in tables]  # fmt: skip

    def work() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement, values in ready:
                with cursor.copy(statement) as copy:
                    for row in values:
                        copy.write_row(row)

    return work


def bulk_created(some: Rows) -> Callable[[], None]:
    """Django's bulk_create of new instances, one transaction; the values are made ready here."""
    ready = [(type(rows[0]), [_values(row) for row in rows]) for rows in some if rows]

    def work() -> None:
        with transaction.atomic():
            for model, values in ready:
                model._default_manager.bulk_create([model(**each) for each in values])

    return work


def _values(row: models.Model) -> dict[str, Any]:
    fields = [field.attname for field in row._meta.concrete_fields if field.name not in _but(row)]
    return {name: getattr(row, name) for name in fields}


def committed_one_by_one(some: Rows, *, through: "psycopg.Connection[Any]") -> Callable[[], None]:
    """Each operation with what belongs to it in one transaction of one connection, statements prepared by psycopg."""
    one: Sequence[tuple[models.Model | None, ...]] = list(_together(some))
    ready = [[(_insert(row), table_of(type(row), *_but(row)).values(row)) for row in rows if row] for rows in one]

    def work() -> None:
        for statements in ready:
            for statement, values in statements:
                through.execute(statement, values)
            through.commit()

    return work


def _together(some: Rows) -> Iterable[tuple[models.Model | None, ...]]:
    operations, attempts, *more = some
    plans = {plan.pk: plan for plan in (more[0] if more else [])}
    for operation, attempt in zip(operations, attempts, strict=True):
        yield operation, attempt, plans.get(operation.pk)


def _insert(row: models.Model) -> str:
    table = table_of(type(row), *_but(row))
    return f"INSERT INTO {table.name} ({table.columns}) VALUES ({table.places})"
