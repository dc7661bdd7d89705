"""What is to be sent is on disk before its first byte; of two processes that would send it, one is told that it may."""

import os
import socket
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unresolved import opening, schema
from unresolved.kept import Begun, Delivered, Event, JournalUnwritable, Known, Mark, OtherProposal, Taken
from unresolved.request import Bound
from unresolved.words import Sends, Sent


class Journal:
    """A file that several processes may share. Every write is on disk (WAL, synchronous=FULL) when its call returns.

    Raises `JournalUnwritable` for whatever the file or its file system refuses.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self.host = socket.gethostname()
        self._process = 0
        opening.set_down_at_forks(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, held by this thread alone."""
        with self._lock:
            try:
                yield self._open()
            except (sqlite3.Error, OSError) as error:
                raise JournalUnwritable(f"{self._path}: {error}") from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in a transaction that nobody else writes beside; it is on disk when the block ends."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:  # of the commit too: an open transaction would let nobody else write
                connection.rollback()
                raise

    def _open(self) -> sqlite3.Connection:
        """Return this process's connection; one that came along with a fork that nobody here saw is left alone."""
        if self._connection is not None and self._process != os.getpid():
            opening.leave(self._connection)
            self._connection = None
        if self._connection is None:
            self._connection, self._process = self._opened(), os.getpid()
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        connection = opening.opened(self._path)
        _prepare(connection)
        return connection

    def close(self) -> None:
        """Let go of the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
                self._connection = None

    def set_down(self) -> None:
        """Let go of the file, and keep every other thread from opening it until `take_up`."""
        self._lock.acquire()
        self.close()

    def take_up(self) -> None:
        """Let it be opened again, by each process for itself."""
        self._lock.release()

    def begin(
        self,
        bound: Bound,
        *,
        tool: str,
        attempt: str,
        sends: Sends,
        event: Event,
        at: float,
        grant: str | None = None,
        after: int = 0,
    ) -> Begun:
        """Record the intent and one decision to send, and return it; nothing is recorded where it raises.

        `after` is the number of the last attempt that the caller knows of: another one in between has won. Raises
        `OtherProposal`, `Taken` and `JournalUnwritable`.
        """
        with self.writing() as connection:
            operation = _operation(connection, bound, tool=tool, at=at)
            [newest] = connection.execute(
                "SELECT coalesce(max(number), 0) FROM attempts WHERE operation = ?", [operation]
            ).fetchone()
            if newest != after:
                raise Taken(f"attempt {newest} of {bound.identity} is on record")
            values = (operation, after + 1, attempt, sends, grant, self.host, os.getpid(), at)
            columns = "operation, number, id, sends, grant_id, host, process, at"
            key = _insert(connection, "attempts", columns, values)
            _insert_event(connection, operation, key, event, at=at)
        return self.attempt(attempt)

    def mark(
        self, begun: Begun, mark: Mark, *, at: float, events: Sequence[Event] = (), delivered: Delivered | None = None
    ) -> None:
        """Record what became of an attempt, what the desk is to be told of it, and what it said, all together.

        Again it changes nothing.
        """
        with self.writing() as connection:
            added = connection.execute(
                "INSERT INTO marks VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [begun.key, mark.mark, mark.sent, mark.says, at],
            ).rowcount
            for event in events if added else ():
                _insert_event(connection, begun.operation, begun.key, event, at=at)
            if delivered is not None:
                _insert_delivery(connection, delivered, at=at)

    def deliver(self, delivered: Delivered, *, at: float) -> None:
        """Record what the desk made of an event; again it changes nothing."""
        with self.writing() as connection:
            _insert_delivery(connection, delivered, at=at)

    def note(self, begun: Begun, event: Event, *, at: float) -> None:
        """Record what the desk is to be told behind an attempt; the same event again changes nothing."""
        with self.writing() as connection:
            held = connection.execute("SELECT 1 FROM events WHERE id = ?", [event.id]).fetchone()
            if held is None:
                _insert_event(connection, begun.operation, begun.key, event, at=at)

    def require_writable(self) -> None:
        """Write nothing new, but to the disk; raises `JournalUnwritable` where no intent could be recorded now."""
        with self.writing() as connection:
            connection.execute(f"PRAGMA user_version = {schema.VERSION}")

    def operation(self, recipient: str, *, identity: str) -> Known | None:
        """Return the operation of this identity, if this journal has it."""
        found = self._operations("recipient = ? AND identity = ?", recipient, identity)
        return found[0] if found else None

    def operations_of(self, recipient: str, *, tool: str) -> list[Known]:
        """Return the operations of a tool, the newest first."""
        return self._operations("recipient = ? AND tool = ? ORDER BY key DESC", recipient, tool)

    def known(self, key: int) -> Known:
        """Return the operation with this key."""
        return self._operations("key = ?", key)[0]

    def _operations(self, condition: str, *values: Any) -> list[Known]:
        columns = "key, recipient, identity, digest, tool, arguments, scope"
        with self.reading() as connection:
            rows = connection.execute(f"SELECT {columns} FROM operations WHERE {condition}", values).fetchall()  # noqa: S608  # ours
        return [Known(**dict(row)) for row in rows]

    def attempts(self, operation: int) -> list[Begun]:
        """Return the attempts of an operation, in order."""
        return self._attempts("operation = ? ORDER BY number", operation)

    def open_attempts(self, operation: int | None = None) -> list[Begun]:
        """Return the attempts, of one operation or all, that nobody said the end of and that were not handed over."""
        ended = "SELECT attempt FROM marks WHERE mark IN ('unsent', 'ended', 'handed_over')"
        return self._attempts(f"(? IS NULL OR operation = ?) AND key NOT IN ({ended})", operation, operation)  # ours

    def attempt(self, attempt_id: str) -> Begun:
        """Return an attempt by its id; raises KeyError."""
        found = self._attempts("id = ?", attempt_id)
        if not found:
            raise KeyError(attempt_id)
        return found[0]

    def attempts_by_key(self, key: int) -> list[Begun]:
        """Return the attempt with this key, as a list of one."""
        return self._attempts("key = ?", key)

    def _attempts(self, condition: str, *values: Any) -> list[Begun]:
        with self.reading() as connection:
            rows = connection.execute(f"SELECT * FROM attempts WHERE {condition}", values).fetchall()  # noqa: S608  # ours
            return [_begun(connection, row) for row in rows]


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file; one process does, and the others wait for it."""
    if _version(connection) == schema.VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) == 0:
            for statement in _split(schema.statements()):
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
    if _version(connection) != schema.VERSION:
        raise sqlite3.DatabaseError("this is no journal, or one of another version")


def _version(connection: sqlite3.Connection) -> int:
    [found] = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def _split(script: str) -> Iterator[str]:
    """Yield the statements of a script: `executescript` would commit the transaction that they are to be one with."""
    statement = ""
    for line in script.splitlines():
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _operation(connection: sqlite3.Connection, bound: Bound, *, tool: str, at: float) -> int:
    held = connection.execute(
        "SELECT key, digest FROM operations WHERE recipient = ? AND identity = ?", [bound.recipient, bound.identity]
    ).fetchone()
    if held is None:
        columns = "recipient, identity, digest, tool, arguments, scope, at"
        values = (bound.recipient, bound.identity, bound.digest, tool, bound.arguments, bound.scope, at)
        return _insert(connection, "operations", columns, values)
    if held["digest"] != bound.digest:
        raise OtherProposal(f"{bound.identity} is bound to another request")
    return int(held["key"])


def _insert_event(connection: sqlite3.Connection, operation: int, attempt: int, event: Event, *, at: float) -> None:
    columns = "operation, attempt, id, kind, item, at"
    _insert(connection, "events", columns, (operation, attempt, event.id, event.kind, event.item, at))


def _insert_delivery(connection: sqlite3.Connection, told: Delivered, *, at: float) -> None:
    connection.execute(
        "INSERT INTO deliveries VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [told.event, told.came_to, told.status, told.answer, at],
    )


def _insert(connection: sqlite3.Connection, table: str, columns: str, values: tuple[Any, ...]) -> int:
    places = ", ".join("?" * len(values))
    try:
        key = connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", values).lastrowid  # noqa: S608  # ours
    except sqlite3.IntegrityError as error:
        if table == "attempts":
            raise Taken(str(error)) from error
        raise
    return key or 0


def _begun(connection: sqlite3.Connection, row: sqlite3.Row) -> Begun:
    marks = {
        mark["mark"]: (None if mark["sent"] is None else Sent(mark["sent"]), mark["says"])
        for mark in connection.execute("SELECT * FROM marks WHERE attempt = ? ORDER BY at", [row["key"]])
    }
    kept = {name: row[name] for name in ("key", "operation", "number", "id", "host", "process", "at")}
    return Begun(**kept, sends=Sends(row["sends"]), marks=marks)
