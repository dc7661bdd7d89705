"""Hooks that tell a process's points: on what it says to the database, to the recipients' sockets and to the broker.

A process that is hooked is a fork that ends without ever being unhooked.
"""

import re
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import psycopg
from celery.app.task import Task
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.faults.points import LOSE_THE_ANSWER, Points

_WRITE: Final = re.compile(r'(?<!FOR )\b(INSERT INTO|UPDATE|DELETE FROM)\s+"?([a-z_]+)"?', re.IGNORECASE)
# What a case keeps is written in the same transaction as what it is about, behind it: no step of any door.
_BESIDE: Final = frozenset({"case", "caseact", "reasonheld"})
_FROM: Final = re.compile(r'\bFROM\s+"?([a-z_]+)"?', re.IGNORECASE)
_LOCKS: Final = re.compile(r'\bFOR UPDATE(?:\s+OF\s+"?([a-z_]+)"?)?', re.IGNORECASE)
_COPY: Final = re.compile(r'\bCOPY\s+"?([a-z_]+)"?', re.IGNORECASE)


def arm(points: Points, *, ports: Collection[int]) -> None:
    """Hook this process; `ports` are the recipients'."""
    _Database(points).hook()
    _Sockets(points, ports).hook()
    _hook_the_broker(points)
    _hook_the_sends(points)


def written(statement: str) -> str | None:
    """Return what a statement does to which table, or None for one that only reads."""
    found = _WRITE.search(statement)
    if found is None or statement.lstrip().upper().startswith("SELECT"):
        return None
    verb, table = found.groups()
    return None if _short(table) in _BESIDE else f"{verb.split()[0].lower()} {_short(table)}"


def locked(statement: str) -> str | None:
    """Return which table's rows a statement locks, or None."""
    locks = _LOCKS.search(statement)
    if locks is None:
        return None
    found = _FROM.search(statement)
    table = locks.group(1) or (found.group(1) if found else "rows")
    return f"lock {_short(table)}"


def _short(table: str) -> str:
    return table.removeprefix("operations_").removeprefix("escalation_").removeprefix("django_")


@dataclass(slots=True)
class _Database:
    """After the first lock of a transaction and after each write, and before and after each commit."""

    points: Points
    holding: set[int] = field(default_factory=set)  # connections whose transaction has locked something

    def hook(self) -> None:
        hooked: Any = BaseDatabaseWrapper  # of which the types don't tell what is hooked
        commits, copies = hooked._commit, psycopg.Cursor.copy

        def committing(connection: BaseDatabaseWrapper) -> Any:
            self.points.reach("before commit")
            self.holding.discard(id(connection))
            found = commits(connection)
            self._after("after commit", connection)
            return found

        @contextmanager
        def copying(cursor: Any, statement: Any, *given: Any, **named: Any) -> Iterator[Any]:
            with copies(cursor, statement, *given, **named) as copy:
                yield copy
            table = _COPY.search(str(statement))
            self.points.reach(f"copy {_short(table.group(1)) if table else 'rows'}")

        hooked._commit = committing
        psycopg.Cursor.copy = copying  # type: ignore[method-assign,assignment]
        connection_created.connect(self._connected, weak=False)
        self._connected(connection=connections["default"])

    def _connected(self, *, connection: BaseDatabaseWrapper, **_: Any) -> None:
        if self._executing not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._executing)

    def _executing(self, execute: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        statement, connection = str(sql), context["connection"]
        what = written(statement)
        if what is not None and not connection.in_atomic_block:
            return self._committed_at_once(what, connection, lambda: execute(sql, params, many, context))
        found = execute(sql, params, many, context)
        what = what or self._first_lock(statement, connection)
        if what is not None:
            self.points.reach(what)
        return found

    def _first_lock(self, statement: str, connection: BaseDatabaseWrapper) -> str | None:
        """What else is locked before the next write changes nothing that a fault could find."""
        what = locked(statement)
        if what is None or id(connection) in self.holding:
            return None
        self.holding.add(id(connection))
        return what

    def _committed_at_once(self, what: str, connection: BaseDatabaseWrapper, execute: Callable[[], Any]) -> Any:
        self.points.reach(f"before commit of {what}")
        found = execute()
        self._after(f"after commit of {what}", connection)
        return found

    def _after(self, what: str, connection: BaseDatabaseWrapper) -> None:
        """It is committed; that may be the last that the database says."""
        if self.points.reach(what) == LOSE_THE_ANSWER:
            connection.connection.close()
            raise OperationalError("the connection ended before the database had answered")


@dataclass(slots=True)
class _Sockets:
    """Before a connection to a recipient, before and after its first byte, and at the first of the answer."""

    points: Points
    ports: Collection[int]
    begun: set[int] = field(default_factory=set)

    def hook(self) -> None:
        connects, sends, receives = socket.socket.connect, socket.socket.send, socket.socket.recv

        def connect(one: socket.socket, address: Any) -> None:
            if isinstance(address, tuple) and address[1] in self.ports:
                self.points.reach("before connecting")
            connects(one, address)

        def send(one: socket.socket, *given: Any) -> int:
            if not self._begins(one):
                return sends(one, *given)
            self.points.reach("before first byte")
            count = sends(one, *given)
            self.points.reach("first byte")
            return count

        def receive(one: socket.socket, *given: Any) -> bytes:
            found = receives(one, *given)
            if id(one) in self.begun:
                self.begun.discard(id(one))
                self.points.reach("first of the answer")
            return found

        socket.socket.connect = connect  # type: ignore[method-assign,assignment]
        socket.socket.send = send  # type: ignore[method-assign,assignment]
        socket.socket.recv = receive  # type: ignore[method-assign,assignment]

    def _begins(self, one: socket.socket) -> bool:
        """Whether this is the first that is written to a recipient."""
        if id(one) in self.begun or one.family != socket.AF_INET:
            return False
        try:
            theirs = one.getpeername()[1] in self.ports
        except OSError:
            return False
        if theirs:
            self.begun.add(id(one))
        return theirs


def _hook_the_broker(points: Points) -> None:
    hooked: Any = Task
    announces, runs = hooked.apply_async, hooked.__call__

    def announcing(task: Any, *given: Any, **named: Any) -> Any:
        points.reach("before announcing")
        found = announces(task, *given, **named)
        points.reach("announced")
        return found

    def running(task: Any, *given: Any, **named: Any) -> Any:
        points.tasks.add(task.name)
        return runs(task, *given, **named)

    hooked.apply_async = announcing
    hooked.__call__ = running


def _hook_the_sends(points: Points) -> None:
    """The steps of a send are told by the send itself."""
    from operations import dispatch  # after the settings, which Django's modules read

    def step(taken: str) -> None:
        points.reach(f"step {taken}")

    dispatch.send = partial(dispatch.send, step=step)
