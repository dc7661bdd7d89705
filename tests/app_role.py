"""How tests step down from the database's owner to the app role."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


def _become_the_app(*, connection: BaseDatabaseWrapper, **_: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'SET ROLE "{settings.APP_ROLE}"')


@contextmanager
def step_down() -> Iterator[None]:
    """Open connections, and those opened meanwhile, act as the app role; afterwards they are the owner again."""
    connection = connections["default"]
    connection.ensure_connection()
    _become_the_app(connection=connection)
    connection_created.connect(_become_the_app)
    try:
        yield
    finally:
        connection_created.disconnect(_become_the_app)
        # In a transaction, its rollback takes the role back; outside one, a new connection starts as the owner.
        if not connection.in_atomic_block:
            connection.close()
