"""The desk's real door behind a real socket, in the test's own transaction, on a network that a test can break.

What comes in is answered on the database connection of the test, one call at a time, while the test waits.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from django.db import connections
from django.test import Client

KEPT = ("Authorization", "Accept")


@dataclass(slots=True)
class Listening:
    """`loses`: the next reply from a path with this in it gets lost after the work. `down`: it hangs up before it does any."""

    url: str = ""
    loses: str | None = None
    down: bool = False
    calls: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def _answered(listening: Listening, request: BaseHTTPRequestHandler, client: Client) -> None:
    body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
    request.close_connection = True
    if listening.down:
        return
    listening.calls.append((request.command, request.path.removeprefix("/api/v1")))
    listening.keys.append(request.headers.get("Authorization", ""))
    headers = {name: request.headers[name] for name in KEPT if name in request.headers}
    found = client.generic(request.command, request.path, body, content_type="application/json", headers=headers)
    if listening.loses is not None and listening.loses in request.path:
        listening.loses = None
        return
    request.send_response(found.status_code)
    request.send_header("Content-Length", str(len(found.content)))
    request.end_headers()
    request.wfile.write(found.content)


class Socket(HTTPServer):
    """A socket on which the door of one test after the other is opened."""

    at: tuple[Listening, Any] | None = None


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        at = self.server.at  # type: ignore[attr-defined]  # ours
        if at is not None:
            connections["default"] = at[1]
            _answered(at[0], self, Client(raise_request_exception=False))

    do_GET = do_POST  # noqa: N815  # http.server's own name

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def socket_of_a_door() -> Iterator[Socket]:
    """Keep a socket open for a block; nobody answers there until a door is opened."""
    server = Socket(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@contextmanager
def opened_at(server: Socket) -> Iterator[Listening]:
    """Keep the door open for a block, on the database connection of whoever asks."""
    mine = connections["default"]
    listening = Listening(url=f"http://127.0.0.1:{server.server_port}")
    Client(raise_request_exception=False).get("/api/v1/openapi.json")  # the first call loads what answers it
    mine.inc_thread_sharing()
    server.at = (listening, mine)
    try:
        yield listening
    finally:
        server.at = None
        mine.dec_thread_sharing()
