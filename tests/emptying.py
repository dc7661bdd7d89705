"""How a test that commits leaves the database as empty as it found it, without making seventy empty tables anew.

Django's own way truncates every table and writes every content type and permission again, after each such test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import connections
from django.test import TransactionTestCase

# What migrating wrote, which no test changes.
_KEPT: Final = {"django_migrations", "django_content_type", "auth_permission"}


def _holding_rows(cursor: Any, tables: list[str]) -> list[str]:
    asked = ", ".join(f"CASE WHEN EXISTS (SELECT FROM {one}) THEN %s END" for one in tables)
    cursor.execute(f"SELECT array_remove(ARRAY[{asked}], NULL)", tables)
    return list(cursor.fetchone()[0])


def _empty(case: TransactionTestCase) -> None:
    for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        connection = connections[alias]
        names = sorted(set(connection.introspection.table_names()) - _KEPT)
        with connection.cursor() as cursor:
            held = _holding_rows(cursor, [connection.ops.quote_name(name) for name in names])
            if held:
                cursor.execute(f"TRUNCATE {', '.join(held)} CASCADE")


@contextmanager
def only_what_holds_rows() -> Iterator[None]:
    """Meanwhile only tables that hold rows are emptied."""
    before = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    TransactionTestCase._fixture_teardown = _empty  # type: ignore[attr-defined]
    try:
        yield
    finally:
        TransactionTestCase._fixture_teardown = before  # type: ignore[attr-defined]
