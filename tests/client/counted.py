"""A server on loopback that counts the requests that really arrive, and answers each as it is told to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class Arrived:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Counted:
    """`status` of the answers; None: the connection ends without one. `bodies` are used up first, in order."""

    url: str = ""
    status: int | None = 200
    body: bytes = b'{"ok": true}'
    bodies: list[bytes] = field(default_factory=list)
    arrived: list[Arrived] = field(default_factory=list)

    def kept(self, name: str) -> list[str | None]:
        """The values of one header, a request each."""
        return [one.headers.get(name.lower()) for one in self.arrived]


@contextmanager
def counting() -> Iterator[Counted]:
    """Keep a counting server open for a block."""
    counted = Counted()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            counted.arrived.append(Arrived(self.command, self.path, headers, body))
            self.close_connection = counted.status is None
            if counted.status is None:
                return
            said = counted.bodies.pop(0) if counted.bodies else counted.body
            self.send_response(counted.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST  # noqa: N815  # http.server's own name

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    counted.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield counted
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
