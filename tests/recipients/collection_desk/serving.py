"""HTTP/1.1 on loopback with the socket in hand: an answer can be left out, cut short, or the connection reset."""

import json
import os
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.recipients.collection_desk.desk import Outcome
from tests.recipients.collection_desk.values import Answer

LARGEST_BODY: Final = 64 * 1024
MOST_CONNECTIONS: Final = 1_024
IDLE_FOR: Final = 60.0
RESET: Final = struct.pack("ii", 1, 0)


class Message(NamedTuple):
    """One request as it was read. `path`: its parts, decoded; `headers`: by lower-case name."""

    method: str
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


Respond = Callable[[Message], Outcome]


def plain(status: int, **body: Any) -> Outcome:
    """An answer that nothing befalls."""
    return Outcome(answer=Answer(status=status, body=body))


def written(answer: Answer, *, now: float, closing: bool) -> bytes:
    """The answer as it goes over the wire, in one piece."""
    body = b"" if answer.body is None else json.dumps(answer.body).encode()
    headers = {"Date": formatdate(answer.dated if answer.dated is not None else now, usegmt=True)}
    if answer.body is not None:
        headers["Content-Type"] = "application/json"
    headers |= dict(answer.headers)
    if answer.status != HTTPStatus.NOT_MODIFIED:
        headers["Content-Length"] = str(len(body))
    if closing:
        headers["Connection"] = "close"
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class Unreadable(Exception):
    """A request whose body can't be taken; `args[0]` is the status that says so."""


class Connection(BaseHTTPRequestHandler):
    """One connection of a port: reads a request, lets `respond` say what becomes of it, and does exactly that."""

    server: "Port"
    protocol_version = "HTTP/1.1"
    timeout = IDLE_FOR

    def handle_one_request(self) -> None:
        """Serve one request, or find that the peer has gone."""
        self.close_connection = True
        with suppress(OSError):
            message = self._read()
            if message is not None:
                self._act_out(self.server.respond(message))

    def _read(self) -> Message | None:
        self.raw_requestline = self.rfile.readline(65_537)
        if not self.raw_requestline or not self.parse_request():
            return None
        try:
            body = self._read_body()
        except Unreadable as unreadable:
            self.close_connection = True
            self._act_out(plain(unreadable.args[0], title="The body can't be taken."))
            return None
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = tuple([unquote(part) for part in parts.path.strip("/").split("/")])
        return Message(self.command, path, dict(parse_qsl(parts.query, keep_blank_values=True)), headers, body)

    def _read_body(self) -> bytes:
        if "Transfer-Encoding" in self.headers:
            raise Unreadable(411)
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal():
            raise Unreadable(400)
        if int(length) > LARGEST_BODY:
            raise Unreadable(413)
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("The sender ended within the body.")
        return body

    def _act_out(self, outcome: Outcome) -> None:
        if outcome.answer is not None:
            closing = self.close_connection or outcome.truncated
            whole = written(outcome.answer, now=self.server.now(), closing=closing)
            self.wfile.write(whole[: len(whole) - len(whole) // 4] if outcome.truncated else whole)
            if not outcome.truncated:
                return
        self.close_connection = True
        if outcome.ending == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            os.close(self.connection.detach())  # a close in order would come first otherwise

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by the base class
        """Say nothing: the ledger holds what happened."""


class Port(socketserver.ThreadingTCPServer):
    """A listening port, 0 for any; `stop` ends every connection and waits for its thread."""

    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, port: int, *, respond: Respond, now: Callable[[], float]) -> None:
        self.respond, self.now = respond, now
        self._open: set[socket.socket] = set()
        self._counting = threading.Lock()
        super().__init__(("127.0.0.1", port), Connection)
        self.number: int = self.server_address[1]
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.number}"

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002 - as the base class asks
        """Take a connection unless there are too many."""
        with self._counting:
            if len(self._open) >= MOST_CONNECTIONS:
                return False
            self._open.add(request)
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection and end it."""
        with self._counting:
            self._open.discard(request)
        super().shutdown_request(request)

    def stop(self) -> None:
        """End everything in order."""
        self.shutdown()
        self._thread.join()
        with self._counting:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
