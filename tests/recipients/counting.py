"""A recipient that is only asked: it counts every question, and answers each as it was told to.

It speaks as little HTTP/1.1 as a question needs, so that who measures a client measures the client. Its record is that of
the collection desk: every operation `order-N` is about parcel `parcel-N` at desk East.
"""

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(slots=True)
class Behaviour:
    """How questions are answered from now on: `state` of the record, or a `status` with `headers` and no record.

    `wait`: seconds before an answer. `cut`: the connection ends without one. `hold`: no answer until told otherwise.
    `body`: said in place of the record.
    """

    state: str = "issued"
    status: int = 200
    headers: tuple[str, ...] = ()
    wait: float = 0.0
    cut: bool = False
    padding: int = 0
    body: bytes | None = None


@dataclass(slots=True)
class Counted:
    """What it saw: how often each key was asked about, how many were being asked at once at most, and when."""

    asks: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    heads: list[str] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    def __init__(self, recipient: "Counting") -> None:
        self.recipient = recipient
        self.seen = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.recipient.transports.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio passes it
        assert self.transport is not None
        self.recipient.transports.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self.seen += data
        while b"\r\n\r\n" in self.seen:
            head, _, self.seen = self.seen.partition(b"\r\n\r\n")
            self._asked(head.decode("latin-1"))

    def _asked(self, head: str) -> None:
        told, counted = self.recipient.behaviour, self.recipient.counted
        key = head.split(" ", 2)[1].rpartition("/")[2]
        counted.asks[key] += 1
        if self.recipient.keeps_heads:
            counted.heads.append(head)
        counted.at_once += 1
        counted.most_at_once = max(counted.most_at_once, counted.at_once)
        if told.wait:
            asyncio.get_running_loop().call_later(told.wait, self._answer, key, told)
        else:
            self._answer(key, told)

    def _answer(self, key: str, told: Behaviour) -> None:
        assert self.transport is not None
        self.recipient.counted.at_once -= 1
        if told.cut:
            self.transport.close()
            return
        said = record(key, state=told.state) if told.body is None else told.body
        body = b"" if told.status in {304, 429, 503} else said + b" " * told.padding
        lines = [f"HTTP/1.1 {told.status} X", "content-type: application/json", f"content-length: {len(body)}"]
        self.transport.write("\r\n".join([*lines, *told.headers, "", ""]).encode() + body)


def record(key: str, *, state: str) -> bytes:
    """What the collection desk's record says of a request number."""
    number = key.rpartition("-")[2]
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    parcel = f"parcel-{number}"
    ticket = {"number": f"T-{number}", "place": "East", "parcel": parcel, "issued_at": now, "collected_at": None}
    tickets = [ticket] if state == "issued" else []
    told = {
        "key": key,
        "place": "East",
        "parcel": parcel,
        "state": state,
        "ticket": ticket if tickets else None,
        "tickets": tickets,
        "received_at": now,
        "closure": None,
        "covers_copies": False,
        "as_of": now,
    }
    return json.dumps(told).encode()


class Counting:
    """The recipient, at `url` while it is open."""

    def __init__(self, *, keeps_heads: bool = True) -> None:
        self.behaviour = Behaviour()
        self.counted = Counted()
        self.keeps_heads = keeps_heads
        self.url = ""
        self.transports: set[asyncio.Transport] = set()

    async def open(self, port: int = 0) -> asyncio.Server:
        """Listen on this machine."""
        server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(self), "127.0.0.1", port, backlog=1024
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server


@contextmanager
def counting() -> Iterator[Counting]:
    """Keep one open for a block, on a thread of its own."""
    recipient, opened, ends = Counting(), threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        server = await recipient.open()
        opened.set()
        await ends.wait()
        server.close()
        for transport in list(recipient.transports):
            transport.abort()
        await asyncio.sleep(0)  # lets the aborted ones end

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert opened.wait(10)
    try:
        yield recipient
    finally:
        loops[0].call_soon_threadsafe(ends.set)
        thread.join(10)


async def _alone(state: str, wait: float) -> None:
    recipient = Counting(keeps_heads=False)
    recipient.behaviour = Behaviour(state=state, wait=wait)
    server = await recipient.open()
    print(recipient.url, flush=True)  # noqa: T201  # whoever started it reads where it is
    async with server:
        # Whoever started it holds the other end of this process's input, and asks it for its counts by a line.
        while await asyncio.to_thread(sys.stdin.readline):
            counted = recipient.counted
            print(  # noqa: T201  # likewise
                json.dumps({"asks": counted.asks.total(), "keys": len(counted.asks), "most": counted.most_at_once}),
                flush=True,
            )


if __name__ == "__main__":
    asyncio.run(_alone(sys.argv[1], float(sys.argv[2])))
