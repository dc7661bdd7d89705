"""Put aside, while very many rows are written, what PostgreSQL would else do for each: indexes, constraints, triggers.

All of it happens in the caller's transaction, so that whatever goes wrong leaves the tables as they were. What is put
aside is read from the catalogue and made again from PostgreSQL's own words for it; a constraint is checked over all
rows as it comes back. Primary keys and checks stay: the rows come in the order of their keys.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, LiteralString, NamedTuple

import psycopg
from psycopg import sql

_ENABLED: Final = {"O": "ENABLE", "A": "ENABLE ALWAYS", "R": "ENABLE REPLICA"}
_CONSTRAINTS: Final[LiteralString] = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = ANY(%s::regclass[]) AND contype = ANY(%s) ORDER BY 1, 2
"""
_INDEXES: Final[LiteralString] = """
SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index AS i
WHERE i.indrelid = ANY(%s::regclass[])
    AND NOT EXISTS (SELECT FROM pg_constraint AS c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))
ORDER BY 1, 2
"""
_TRIGGERS: Final[LiteralString] = """
SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger
WHERE tgrelid = ANY(%s::regclass[]) AND NOT tgisinternal AND tgenabled <> 'D' ORDER BY 1, 2
"""


class _Part(NamedTuple):
    """Something of a table, and PostgreSQL's own words that make it again (of a trigger: when it fires)."""

    table: str
    name: str
    words: str


def _parts(owner: "psycopg.Connection", asked: LiteralString, *given: object) -> list[_Part]:
    return [_Part(*row) for row in owner.execute(asked, given).fetchall()]


def _do(owner: "psycopg.Connection", template: LiteralString, part: _Part, words: str = "") -> None:
    table = sql.Identifier(part.table)
    owner.execute(
        sql.SQL(template).format(table=table, name=sql.Identifier(part.name), words=sql.SQL(words))
    )  # the catalogue's own


@contextmanager
def put_aside(owner: "psycopg.Connection", tables: Sequence[str]) -> Iterator[None]:
    """Rows are written without them; they are back when it ends, or the transaction is undone by what was raised."""
    named = list(tables)
    triggers = _parts(owner, _TRIGGERS, named)
    foreign, unique = _parts(owner, _CONSTRAINTS, named, ["f"]), _parts(owner, _CONSTRAINTS, named, ["u", "x"])
    indexes = _parts(owner, _INDEXES, named)
    for trigger in triggers:
        _do(owner, "ALTER TABLE {table} DISABLE TRIGGER {name}", trigger)
    for constraint in (*foreign, *unique):
        _do(owner, "ALTER TABLE {table} DROP CONSTRAINT {name}", constraint)
    for index in indexes:
        _do(owner, "DROP INDEX {name}", index)
    yield
    for index in indexes:
        owner.execute(index.words)  # the catalogue's own
    for constraint in (*unique, *foreign):
        _do(owner, "ALTER TABLE {table} ADD CONSTRAINT {name} {words}", constraint, constraint.words)
    for trigger in triggers:
        _do(owner, "ALTER TABLE {table} {words} TRIGGER {name}", trigger, _ENABLED[trigger.words])
