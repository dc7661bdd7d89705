"""One request goes out once: one fresh connection, every byte written here, nothing followed, kept or tried again.

The socket is our own, because only its owner knows what was written: libraries resend an idempotent method whose
connection was dropped (RFC 9112, 9.3.1). What happened is told step by step; `not_sent` only where no write was begun.
"""

import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from operations.channels.base import MOST_BYTES, Clock, Reach
from operations.channels.connection import Allowance, Resolve, Unconnected, by_system, connected, resolved, secured
from operations.channels.reading import Cut, Ended, NoAnswer, read_answer
from operations.channels.wire import Written

_PIECE: Final = 64 * 1024
_AT_ONCE: Final = struct.pack("ii", 1, 0)


class Step(StrEnum):
    """How far a send has come, told as soon as it has come so far."""

    RESOLVED = "resolved"
    CONNECTED = "connected"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one send, in seconds and bytes: name, connection and TLS; writing; then until the answer is whole."""

    connect_within: float = 5.0
    write_within: float = 10.0
    answer_within: float = 30.0
    most_bytes: int = MOST_BYTES

    @property
    def whole(self) -> float:
        """The longest that a send takes."""
        return self.connect_within + self.write_within + self.answer_within


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The facts of the wire of one send, each with its time on our clock; None: it did not come so far.

    `secured_at` is where TLS was agreed on. `ended` says how it ended, `detail` in a sentence. Headers and body as in
    `base.Answered`; there are some only where it was answered.
    """

    resolved_at: datetime | None = None
    connected_at: datetime | None = None
    secured_at: datetime | None = None
    first_byte_written_at: datetime | None = None
    last_byte_written_at: datetime | None = None
    first_byte_read_at: datetime | None = None
    ended_at: datetime | None = None
    ended: Ended = Ended.NOT_SENT
    detail: str = ""
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    truncated: bool = False


class TooLate(Exception):
    """It may not be sent any more; the message is a sentence."""


def _nothing(_: Step, __: Sent) -> None:
    return None


@dataclass(slots=True, kw_only=True)
class _Exchange:
    """One send under way."""

    written: Written
    reach: Reach
    limits: Limits
    clock: Clock
    too_late: Callable[[], str | None]
    note: Callable[[Step, Sent], None]
    resolve: Resolve
    tls: ssl.SSLContext | None
    sent: Sent

    def run(self) -> Sent:
        try:
            with self._open() as wire:
                self._exchange(wire)
        except (Unconnected, TooLate) as never:
            self._end(Ended.NOT_SENT, str(never))
        return self.sent

    def _know(self, **facts: object) -> None:
        self.sent = replace(self.sent, **facts)  # type: ignore[arg-type]  # its own fields

    def _end(self, ended: Ended, detail: str = "") -> None:
        self._know(ended=ended, detail=detail, ended_at=self.clock())

    def _open(self) -> socket.socket:
        where, allowance = self.written.where, Allowance(self.limits.connect_within)
        addresses = resolved(where, resolve=self.resolve, allowance=allowance)
        self._know(resolved_at=self.clock())
        self.note(Step.RESOLVED, self.sent)
        wire = connected(where, addresses, networks=self.reach.networks, allowance=allowance)
        self._know(connected_at=self.clock())
        if where.scheme == "https":
            wire = secured(wire, where, tls=self.tls, allowance=allowance)
            self._know(secured_at=self.clock())
        return wire

    def _exchange(self, wire: socket.socket) -> None:
        self.note(Step.CONNECTED, self.sent)
        late = self.too_late()
        if late is not None:
            raise TooLate(late)
        try:
            self._write(wire)
        except OSError as failure:
            self._unfinished(wire, failure)
        else:
            self._know(last_byte_written_at=self.clock())
            self.note(Step.WRITTEN, self.sent)
            self._read(wire)

    def _write(self, wire: socket.socket) -> None:
        """Write everything once. From the first call on bytes may have gone out, whatever it raises."""
        left, allowance = memoryview(self.written.whole), Allowance(self.limits.write_within)
        while left:
            wire.settimeout(allowance.left())
            count = wire.send(left[:_PIECE])
            if self.sent.first_byte_written_at is None:
                self._know(first_byte_written_at=self.clock())
            left = left[count:]

    def _unfinished(self, wire: socket.socket, failure: OSError) -> None:
        """Not everything was written: whatever answer there is counts, and what still waits here is never delivered."""
        with suppress(OSError):
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        if isinstance(failure, TimeoutError):
            self._end(Ended.TIMEOUT, f"The request couldn't be written within {self.limits.write_within:g} s.")
            return
        self._read(wire)
        if self.sent.ended is not Ended.ANSWERED:
            self._end(Ended.RESET, "The connection ended before the whole request was written.")

    def _read(self, wire: socket.socket) -> None:
        def first() -> None:
            self._know(first_byte_read_at=self.clock())

        try:
            found = read_answer(
                wire,
                method=self.written.method,
                first_byte=first,
                allowance=Allowance(self.limits.answer_within),
                most_bytes=self.limits.most_bytes,
                credential=self.reach.credential,
            )
        except NoAnswer as none:
            self._end(none.ended, str(none))
        except Cut as cut:
            self._end(Ended.TRUNCATED, str(cut))
        else:
            self._know(status=found.status, headers=found.headers, body=found.body, truncated=found.truncated)
            self._end(Ended.ANSWERED)


def send(
    written: Written,
    *,
    reach: Reach,
    clock: Clock,
    too_late: Callable[[], str | None],
    limits: Limits | None = None,
    note: Callable[[Step, Sent], None] = _nothing,
    resolve: Resolve = by_system,
    tls: ssl.SSLContext | None = None,
) -> Sent:
    """Send once and return the facts of the wire; nothing that a recipient or a name server does raises.

    `too_late` is asked just before the first byte and answers with a sentence where it may not leave any more. `note`
    is told each step; what it raises before the first byte keeps it from leaving, so after that it may not raise.
    """
    return _Exchange(
        written=written,
        reach=reach,
        limits=limits or Limits(),
        clock=clock,
        too_late=too_late,
        note=note,
        resolve=resolve,
        tls=tls,
        sent=Sent(),
    ).run()
