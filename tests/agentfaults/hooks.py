"""Hooks that tell an agent's points: each commit of its journal, each exchange with desk and recipient, each step it names.

A process that is hooked is a fork that ends without ever being unhooked. Of the client nothing is replaced but what it
writes with and speaks by: a connection of SQLite's, a socket's methods.
"""

import re
import socket
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from tests.faults.points import ROOT, Points

JOURNAL: Final = "ops.db"
CLIENT: Final = f"{ROOT / 'client' / 'unresolved'}/"
_INSERT: Final = re.compile(r"\s*INSERT INTO (\w+)")
Method: TypeAlias = Callable[..., Any]
_steps: list[Callable[[str], Any]] = []


def passing(step: str) -> None:
    """What a recorder is given to tell its steps to; where nothing is hooked nobody wants to know."""
    for told in _steps:
        told(f"step {step}")


def arm(points: Points, *, sides: Mapping[int, str]) -> None:
    """Hook this process; `sides` are the ports of desk and recipient, by name."""
    points.product = (CLIENT,)
    _steps.append(points.reach)
    _hook_the_journal(points)
    _Sockets(points, sides).hook()


def _hook_the_journal(points: Points) -> None:
    connects: Any = sqlite3.connect

    def connect(path: Any, **named: Any) -> sqlite3.Connection:
        if Path(path).name != JOURNAL:
            return connects(path, **named)  # type: ignore[no-any-return]
        found: _Journal = connects(path, **named, factory=_Journal)
        found.points = points
        return found

    sqlite3.connect = connect  # type: ignore[assignment]


class _Journal(sqlite3.Connection):
    """Before and after each commit, by what it makes durable."""

    points: Points
    written: str = ""

    def execute(self, statement: str, values: Any = (), /) -> sqlite3.Cursor:
        inserts = _INSERT.match(statement)
        if inserts is not None and not self.written:
            table = inserts.group(1).removesuffix("s")
            self.written = f"mark {values[1]}" if table == "mark" else _DEEDS.get(table, table)
        if statement != "COMMIT" or not self.written:
            return super().execute(statement, values)
        what, self.written = self.written, ""
        self.points.reach(f"before commit of {what}")
        found = super().execute(statement, values)
        self.points.reach(f"after commit of {what}")
        return found


_DEEDS: Final = {"operation": "attempt", "deliverie": "delivery"}


class _Sockets:
    """Before a connection, before its first byte, after each write, and at the first of the answer."""

    def __init__(self, points: Points, sides: Mapping[int, str]) -> None:
        self._points, self._sides = points, sides
        self._known: WeakKeyDictionary[socket.socket, str] = WeakKeyDictionary()
        self._begun: WeakSet[socket.socket] = WeakSet()
        self._asked: WeakSet[socket.socket] = WeakSet()

    def hook(self) -> None:
        """Put them in place of a socket's own."""
        for names, hooked in (
            (("connect", "connect_ex"), self._connects),
            (("send", "sendall"), self._sends),
            (("recv", "recv_into"), self._receives),
        ):
            for name in names:
                setattr(socket.socket, name, hooked(getattr(socket.socket, name)))

    def _connects(self, really: Method) -> Method:
        def connect(one: socket.socket, address: Any) -> Any:
            side = self._sides.get(address[1]) if isinstance(address, tuple) else None
            if side is not None:
                self._known[one] = side
                self._points.reach(f"before connecting to {side}")
            return really(one, address)

        return connect

    def _sends(self, really: Method) -> Method:
        def send(one: socket.socket, *given: Any) -> Any:
            side = self._known.get(one)
            if side is None:
                return really(one, *given)
            is_first = one not in self._begun
            if is_first:
                self._begun.add(one)
                self._points.reach(f"before first byte to {side}")
            found = really(one, *given)
            self._points.reach(f"{'first' if is_first else 'more'} bytes to {side}")
            self._asked.add(one)
            return found

        return send

    def _receives(self, really: Method) -> Method:
        def receive(one: socket.socket, *given: Any) -> Any:
            found = really(one, *given)
            if one in self._asked and found:
                self._asked.discard(one)
                self._points.reach(f"first of the answer of {self._known[one]}")
            return found

        return receive
