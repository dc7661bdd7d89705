"""The journal's tables. Rows are added and never changed: a trigger refuses everything else."""

from typing import Final

VERSION: Final = 1

TABLES: Final = """
CREATE TABLE operations (
    key        INTEGER PRIMARY KEY,
    recipient  TEXT NOT NULL,
    identity   TEXT NOT NULL,
    digest     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    arguments  BLOB,
    scope      TEXT NOT NULL,
    at         REAL NOT NULL,
    UNIQUE (recipient, identity)
) STRICT;
CREATE TABLE attempts (
    key        INTEGER PRIMARY KEY,
    operation  INTEGER NOT NULL REFERENCES operations,
    number     INTEGER NOT NULL,
    id         TEXT NOT NULL UNIQUE,
    sends      TEXT NOT NULL,
    grant_id   TEXT,
    host       TEXT NOT NULL,
    process    INTEGER NOT NULL,
    at         REAL NOT NULL,
    UNIQUE (operation, number)
) STRICT;
CREATE TABLE marks (
    attempt    INTEGER NOT NULL REFERENCES attempts,
    mark       TEXT NOT NULL CHECK (mark IN ('asked', 'unasked', 'unsent', 'ended', 'handed_over')),
    sent       TEXT,
    says       TEXT NOT NULL,
    at         REAL NOT NULL,
    PRIMARY KEY (attempt, mark)
) STRICT;
CREATE TABLE events (
    key        INTEGER PRIMARY KEY,
    operation  INTEGER NOT NULL REFERENCES operations,
    attempt    INTEGER NOT NULL REFERENCES attempts,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    item       TEXT NOT NULL,
    at         REAL NOT NULL
) STRICT;
CREATE INDEX events_of_operation ON events (operation, key);
CREATE TABLE deliveries (
    event      INTEGER PRIMARY KEY REFERENCES events,
    came_to    TEXT NOT NULL CHECK (came_to IN ('recorded', 'refused', 'moot')),
    status     INTEGER NOT NULL,
    answer     TEXT NOT NULL,
    at         REAL NOT NULL
) STRICT;
"""

_KEPT: Final = ("operations", "attempts", "marks", "events", "deliveries")


def statements() -> str:
    """Return everything that makes an empty journal."""
    refused = [
        f"CREATE TRIGGER {table}_{verb.lower()}_refused BEFORE {verb} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'a journal is only added to'); END;"
        for table in _KEPT
        for verb in ("UPDATE", "DELETE")
    ]
    return "\n".join([TABLES, *refused, f"PRAGMA user_version = {VERSION};"])
