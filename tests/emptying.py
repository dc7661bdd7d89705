"""How a test that commits leaves the database as empty as it found it, without making seventy empty tables anew.

Django's own way truncates every table and writes every content type and permission again, after each such test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, Final

from django.db import OperationalError, connections
from django.test import TransactionTestCase
from psycopg.errors import DeadlockDetected

# What migrating wrote, which no test changes.
_KEPT: Final = {"django_migrations", "django_content_type", "auth_permission"}


def _holding_rows(cursor: Any, tables: list[str]) -> list[str]:
    asked = ", ".join(f"CASE WHEN EXISTS (SELECT FROM {one}) THEN %s END" for one in tables)
    cursor.execute(f"SELECT array_remove(ARRAY[{asked}], NULL)", tables)
    return list(cursor.fetchone()[0])


def _at_rest(cursor: Any) -> None:
    """Wait for whoever is still at work: a page that a browser asked for before its test ended writes, and locks, as it ends."""
    until = monotonic() + 30
    while monotonic() < until:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' AND state <> 'idle'"
        )
        if not cursor.fetchone()[0]:
            return
        sleep(0.02)


def _truncate(cursor: Any, names: list[str]) -> None:
    held = _holding_rows(cursor, names)
    if held:
        cursor.execute(f"TRUNCATE {', '.join(held)} CASCADE")


def _empty(case: TransactionTestCase) -> None:
    for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        connection = connections[alias]
        names = sorted(set(connection.introspection.table_names()) - _KEPT)
        quoted = [connection.ops.quote_name(name) for name in names]
        with connection.cursor() as cursor:
            _at_rest(cursor)
            try:
                _truncate(cursor, quoted)
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise
                _truncate(cursor, quoted)


@contextmanager
def only_what_holds_rows() -> Iterator[None]:
    """Meanwhile only tables that hold rows are emptied."""
    before = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    TransactionTestCase._fixture_teardown = _empty  # type: ignore[attr-defined]
    try:
        yield
    finally:
        TransactionTestCase._fixture_teardown = before  # type: ignore[attr-defined]
