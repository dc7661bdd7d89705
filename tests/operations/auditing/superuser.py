"""The database as whoever controls the host sees it: a superuser, for whom no trigger and no foreign key holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from psycopg.conninfo import conninfo_to_dict

from escalation.running import postgres


def login() -> dict[str, str]:
    """The superuser's name and password at the server that the tests started."""
    parts = conninfo_to_dict(postgres.superuser_conninfo(postgres.prepare()))
    return {"USER": str(parts["user"]), "PASSWORD": str(parts["password"])}


@contextmanager
def as_superuser() -> Iterator[None]:
    """Django's connection is the superuser's meanwhile, and nothing that guards rows is on."""
    kept = {name: connection.settings_dict[name] for name in ("USER", "PASSWORD")}
    connection.close()
    connection.settings_dict.update(login())
    try:
        execute("SET session_replication_role = replica")
        yield
    finally:
        connection.close()
        connection.settings_dict.update(kept)


def execute(statement: str, values: Any = None) -> int:
    """Run one statement and return how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)
