"""What a page says in several places it reads at one moment, so that its numbers and its rows agree."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection, transaction

# Compiling a statement of many small counts takes PostgreSQL seconds, running it milliseconds.
_BEGUN: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL jit = off"


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything asked in here is answered as of the first question, and nothing can be written.

    Inside of a transaction it is as that one sees it. It ends with the block, so that a pooled connection keeps nothing.
    """
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:
            cursor.execute(_BEGUN)
        yield
