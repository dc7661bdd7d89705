"""What the network's process does: it takes connections at two sides, and hands each request on as it was told to."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

WAIT: Final = 60.0  # seconds; a bound, not a delay
_RESET: Final = struct.pack("ii", 1, 0)
CUT_SHORT: Final = "request cut short by its sender"
_HEAD_END: Final = b"\r\n\r\n"
_LOOK: Final = (
    "SELECT a.id, (SELECT group_concat(m.mark) FROM marks m WHERE m.attempt = a.key) AS marks FROM attempts a"
)


@dataclass(slots=True)
class Side:
    """One side: where it listens, whom it hands on to, and how it breaks."""

    name: str
    target: int
    port: int = 0
    listener: socket.socket | None = None
    breaking: dict[str, Any] | None = None
    seen: list[dict[str, Any]] = field(default_factory=list)
    late: list[bytes] = field(default_factory=list)

    def opens(self) -> None:
        """Listen, where it listened before."""
        if self.listener is None:
            self.listener = socket.create_server(("127.0.0.1", self.port), backlog=16)
            self.port = self.listener.getsockname()[1]

    def shuts(self) -> None:
        """Nobody listens here."""
        if self.listener is not None:
            with contextlib.suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)  # else whoever accepts would go on waiting
            self.listener.close()
            self.listener = None


class Relay:
    """Both sides, and the word of the run; each connection has a thread."""

    def __init__(self, control: socket.socket, targets: dict[str, int]) -> None:
        self._control = control
        self._sides = {name: Side(name, port) for name, port in targets.items()}
        self._journal = ""
        self._lock = threading.Condition()
        self._under_way = 0

    def serve(self) -> None:
        """Do as the run says, until it is gone."""
        for side in self._sides.values():
            self._open(side)
        with self._control.makefile("r", encoding="utf-8") as orders:
            for line in orders:
                order = json.loads(line)
                word = order.pop("word")
                found = getattr(self, f"_on_{word}")(**order)
                self._control.sendall(json.dumps(found).encode() + b"\n")

    # The run's words.

    def _on_ports(self) -> dict[str, int]:
        return {name: side.port for name, side in self._sides.items()}

    def _on_watch(self, journal: str) -> None:
        self._journal = journal
        self._on_heal()
        for side in self._sides.values():
            side.seen, side.late = [], []

    def _on_breaks(self, side: str, **breaking: Any) -> None:
        with self._lock:
            self._sides[side].breaking = breaking
        if breaking["way"] == "refused":
            self._sides[side].shuts()

    def _on_heal(self) -> None:
        for side in self._sides.values():
            with self._lock:
                side.breaking = None
            self._open(side)

    def _on_release(self) -> None:
        for side in self._sides.values():
            for data in side.late:
                self._exchange(side, data)
            side.late = []

    def _on_quiet(self) -> bool:
        with self._lock:
            return self._lock.wait_for(lambda: self._under_way == 0, WAIT)

    def _on_seen(self, side: str) -> list[dict[str, Any]]:
        return self._sides[side].seen

    # Connections.

    def _open(self, side: Side) -> None:
        if side.listener is None:
            side.opens()
            threading.Thread(target=self._accept, args=[side, side.listener], daemon=True).start()

    def _accept(self, side: Side, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self._under_way += 1
            threading.Thread(target=self._connected, args=[side, connection], daemon=True).start()

    def _connected(self, side: Side, connection: socket.socket) -> None:
        try:
            with connection:
                self._handed_on(side, connection)
        except OSError:
            pass  # either end is gone
        finally:
            with self._lock:
                self._under_way -= 1
                self._lock.notify_all()

    def _handed_on(self, side: Side, connection: socket.socket) -> None:
        came: dict[str, Any] = {"bytes": 0, "journal": None, "answered": None}

        def first() -> None:
            came["journal"] = None if side.name == "desk" else self._look()
            side.seen.append(came)

        data, is_whole = _message(connection, first)
        came["bytes"] = len(data)
        if not data:
            return
        breaking = self._next_breaking(side)
        way = CUT_SHORT if not is_whole else breaking["way"]
        came["way"] = way
        reply = self._by_way(side, way, data, breaking, connection)
        came["answered"] = None if reply is None else int(reply.split(b" ", 2)[1])
        if reply is not None:
            connection.sendall(_as_far(reply, way))
        if breaking.get("ending") == "reset" and way != "whole":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    def _next_breaking(self, side: Side) -> dict[str, Any]:
        """Return how this request breaks; a side that broke often enough is whole again."""
        with self._lock:
            breaking = side.breaking
            if breaking is None:
                return {"way": "whole"}
            if breaking["times"] is not None:
                breaking["times"] -= 1
                if breaking["times"] <= 0:
                    side.breaking = None
            return dict(breaking)

    def _by_way(
        self, side: Side, way: str, data: bytes, breaking: dict[str, Any], connection: socket.socket
    ) -> bytes | None:
        """Do with a request what its way says; return what goes back, None for nothing."""
        done: dict[str, Callable[[], bytes | None]] = {
            "whole": lambda: self._exchange(side, data),
            "slow": lambda: self._exchange(side, data, after=breaking["delay"]),
            "reply cut": lambda: self._exchange(side, data),
            "request lost": lambda: None,
            "request lost in silence": lambda: _until_gone(connection),
            "request cut": lambda: self._cut(side, data[: len(data) * 2 // 3]),
            CUT_SHORT: lambda: self._cut(side, data),
            "request late": lambda: side.late.append(data),
            "request doubled": lambda: self._exchange(side, data) and self._exchange(side, data),
            "answered 503": lambda: _own_answer(503),
            "answered 504": lambda: self._exchange(side, data) and _own_answer(504),
            "reply lost": lambda: self._exchange(side, data) and None,
            "killed at work": lambda: self._exchange(side, data, at_work=lambda: _kill(breaking)),
        }
        return done[way]()

    def _exchange(
        self, side: Side, data: bytes, *, after: float = 0.0, at_work: Callable[[], None] | None = None
    ) -> bytes | None:
        """Hand a request on and return the whole answer, None where there is none."""
        time.sleep(after)
        try:
            with socket.create_connection(("127.0.0.1", side.target), timeout=WAIT) as onward:
                onward.sendall(data)
                if at_work is not None:
                    at_work()
                reply, is_whole = _message(onward)
                return reply if is_whole else None
        except OSError:
            return None

    def _cut(self, side: Side, data: bytes) -> None:
        with socket.create_connection(("127.0.0.1", side.target), timeout=WAIT) as onward:
            onward.sendall(data)

    def _look(self) -> list[list[str]] | None:
        """Return the attempts that are in the journal now, each with its marks; None where there is no journal."""
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self._journal}?mode=ro", uri=True)) as journal:
                return [[one, marks or ""] for one, marks in journal.execute(_LOOK)]
        except sqlite3.Error:
            return None


def _kill(breaking: dict[str, Any]) -> None:
    time.sleep(breaking["delay"])
    with contextlib.suppress(ProcessLookupError):
        os.kill(breaking["victim"], signal.SIGKILL)


def _as_far(reply: bytes, way: str) -> bytes:
    return reply[: len(reply) * 2 // 3] if way == "reply cut" else reply


def _own_answer(status: int) -> bytes:
    body = b'{"type": "about:blank", "title": "something in between"}'
    head = f"HTTP/1.1 {status} Away\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _until_gone(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while connection.recv(65_536):
            pass


def _message(connection: socket.socket, first: Callable[[], None] = lambda: None) -> tuple[bytes, bool]:
    """Return a message as far as it came, and whether it is whole; `first` is called once some of it is there."""
    data = b""
    while not _is_whole(data):
        try:
            some = connection.recv(65_536)
        except OSError:
            some = b""
        if not some:
            return data, False
        if not data:
            first()
        data += some
    return data, True


def _is_whole(data: bytes) -> bool:
    head, end, body = data.partition(_HEAD_END)
    if not end:
        return False
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return len(body) >= int(value)
    return True
