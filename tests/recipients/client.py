"""One request on one fresh connection, sent once, with what was seen of it on the wire."""

import http.client
import io
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

WAIT: Final = 10.0  # seconds; a bound, not a delay


class Ended(StrEnum):
    """How an exchange ended."""

    NOT_CONNECTED = "not_connected"
    ANSWERED = "answered"
    CLOSED = "closed"
    RESET = "reset"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer that came whole. `headers`: by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the owner of the socket knows. Two histories that give equal facts can't be told apart from here.

    `written` means taken by this machine's network stack. `received`: the bytes that came, in whole. `reply` is None
    unless `ended` is answered.
    """

    connected: bool = False
    first_byte_written: bool = False
    last_byte_written: bool = False
    first_byte_read: bool = False
    ended: Ended = Ended.NOT_CONNECTED
    received: bytes = b""
    reply: Reply | None = None

    @property
    def not_sent(self) -> bool:
        """Whether no byte of the request was written."""
        return not self.first_byte_written


@dataclass(slots=True)
class _Seen:
    """Facts while they are being learnt."""

    written: int = 0
    received: bytearray = field(default_factory=bytearray)
    ended: Ended = Ended.CLOSED


class _Bytes:
    """Bytes in the place of a socket, as http.client reads them."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, mode: str) -> io.BytesIO:  # noqa: ARG002 - a socket takes it
        return io.BytesIO(self._received)


def request_bytes(method: str, url: str, *, headers: Mapping[str, str], body: bytes) -> bytes:
    """The request as it goes over the wire; it asks for the connection to be closed after the answer."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = {"Host": parts.netloc, "Connection": "close", **headers}
    if body:
        lines["Content-Length"] = str(len(body))
    head = [f"{method} {target} HTTP/1.1", *[f"{name}: {value}" for name, value in lines.items()]]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


def send(
    method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"", within: float = WAIT
) -> Facts:
    """Send one request once. `within`: seconds each wait on the socket may take. Never raises for what the wire does."""
    parts = urlsplit(url)
    whole = request_bytes(method, url, headers=headers or {}, body=body)
    try:
        connection = socket.create_connection((parts.hostname, parts.port), timeout=within)
    except OSError:
        return Facts()
    with connection:
        seen = _exchange(connection, whole)
    return _facts(seen, len(whole))


def _exchange(connection: socket.socket, whole: bytes) -> _Seen:
    seen = _Seen()
    try:
        while seen.written < len(whole):
            seen.written += connection.send(whole[seen.written :])
        while received := connection.recv(65_536):
            seen.received += received
    except TimeoutError:
        seen.ended = Ended.TIMED_OUT
    except ConnectionError:
        seen.ended = Ended.RESET
    return seen


def _facts(seen: _Seen, length: int) -> Facts:
    received = bytes(seen.received)
    reply = _reply(received)
    return Facts(
        connected=True,
        first_byte_written=seen.written > 0,
        last_byte_written=seen.written == length,
        first_byte_read=bool(received),
        ended=seen.ended if reply is None else Ended.ANSWERED,
        received=received,
        reply=reply,
    )


def _reply(received: bytes) -> Reply | None:
    """The answer in these bytes, or None where there is none or only a part of one.

    An answer that doesn't say how long it is ends with the connection, so a part of it can't be told from the whole.
    """
    if b"\r\n\r\n" not in received:
        return None
    response = http.client.HTTPResponse(_Bytes(received))  # type: ignore[arg-type]
    with suppress(http.client.HTTPException, ConnectionError):
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(status=response.status, headers=headers, body=response.read())
    return None
