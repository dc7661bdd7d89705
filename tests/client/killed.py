"""An agent's process that dies by SIGKILL at a named point of a guarded call, or doesn't; nothing else is installed in it.

python -m tests.client.killed JOURNAL ORIGIN POINT ORDER DESK KEY AGO, with the client and this project on the path. It prints the
envelope.
"""

import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.client.nowhere import asked, tickets_contract
from unresolved import Call, Desk, Journal, NotBegun, OneShot, Recorder, Request, Seen, Sends

FIRST_BYTE = "first_byte"
ORDER = "order-1001"


def dies() -> None:
    """End as a machine that lost its power does."""
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Dying:
    """Writes the whole request, and dies before it reads anything."""

    origin: str

    @property
    def sends(self) -> Sends:
        return Sends.ONE

    def send(self, request: Request) -> Seen:
        where = urlsplit(self.origin)
        lines = (*request.headers, ("Authorization", "Bearer credential-of-one"), ("Host", where.netloc))
        head = [f"{request.method} {request.target} HTTP/1.1", *[f"{name}: {value}" for name, value in lines]]
        head.append(f"Content-Length: {len(request.body or b'')}")
        with socket.create_connection((where.hostname, where.port)) as connection:
            connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + (request.body or b""))
            dies()
        raise AssertionError("it lives")

    async def send_async(self, request: Request) -> Seen:
        return self.send(request)


def main(journal: str, origin: str, point: str, order: str, desk: str, key: str, ago: str) -> None:
    """Make one guarded call, which is dated `ago` seconds back."""
    honest = OneShot(origin=origin, credentials=lambda: {"Authorization": "Bearer credential-of-one"})
    recorder = Recorder(
        journal=Journal(journal),
        desk=Desk(url=desk, key=key, patience=30.0),
        clock=lambda: time.time() - float(ago),
        passing=lambda step: dies() if step == point else None,
    )
    sender = Dying(origin) if point == FIRST_BYTE else honest
    call = Call(
        tool="issue_ticket",
        contract=tickets_contract(),
        identity=order,
        request=asked(parcel=f"Cedar {order}" if order != ORDER else "Cedar"),
        arguments={"order": order, "parcel": "Cedar", "place": "East"},
        sender=sender,
    )
    try:
        with recorder.attempt(call) as under:
            under.attempt.send()
    except NotBegun as held:
        print(held.envelope.as_text())  # noqa: T201  # whoever started it reads
        return
    assert under.envelope is not None
    print(under.envelope.as_text())  # noqa: T201  # likewise


if __name__ == "__main__":
    main(*sys.argv[1:])
