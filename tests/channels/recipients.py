"""Recipients on loopback that say, byte for byte, whatever a test has them say; and one way to ask them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any, TypeVar

from operations.channels.base import Answered, Ask, Clock, Credential, Limits, Network, Reach
from operations.channels.connecting import Resolve
from operations.channels.http import Client, ask, open_client

T = TypeVar("T")

LOOPBACK = (ip_network("127.0.0.0/8"),)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
# For what must come; a test that waits for a limit to strike brings a short one for that limit alone.
PATIENT = Limits(connect_within=30.0, idle_within=30.0, answer_within=60.0, most_bytes=4096)

Behave = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Recipient:
    """What came to a recipient: how many connections, and each request up to and including its body."""

    port: int = 0
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def said(answer: bytes, *, then_close: bool = False) -> Behave:
    """A recipient that sends these bytes for each request."""

    async def behave(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        if then_close:
            writer.close()

    return behave


def ok(body: bytes = b"{}", *headers: bytes) -> bytes:
    """A whole answer."""
    lines = b"".join(header + b"\r\n" for header in headers)
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(body), lines, body)


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head + (await reader.readexactly(int(lengths[0].partition(b":")[2])) if lengths else b"")


@asynccontextmanager
async def recipient(
    behave: Behave, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Recipient]:
    """The recipient, listening until the block ends; then every connection to it is closed."""
    seen = Recipient()
    writers: list[asyncio.StreamWriter] = []
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                request = await _request(reader)
                seen.requests.append(request)
                await behave(request, writer)

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        writers.append(writer)
        tasks.append(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(connected, host, 0, ssl=tls)
    seen.port = server.sockets[0].getsockname()[1]
    try:
        yield seen
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()
        await asyncio.sleep(0)


def clock_of(*times: datetime) -> Clock:
    """A clock that tells these times in turn, then the last one."""
    left = list(times) or [NOW]
    return lambda: left.pop(0) if len(left) > 1 else left[0]


async def asked_with(
    client: Client,
    address: str,
    *,
    question: Ask | None = None,
    credential: Credential | None = None,
    networks: Sequence[Network] = LOOPBACK,
    limits: Limits = PATIENT,
    clock: Clock | None = None,
) -> Answered:
    """One ask through an open client."""
    return await ask(
        client,
        question or Ask(method="GET", target="/receipts/1"),
        reach=Reach(address=address, networks=tuple(networks), credential=credential),
        limits=limits,
        clock=clock or clock_of(NOW),
    )


def run(going: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on a loop of its own."""
    return asyncio.run(going)


def answer_to(
    behave: Behave | bytes,
    *,
    question: Ask | None = None,
    credential: Credential | None = None,
    limits: Limits = PATIENT,
    clock: Clock | None = None,
) -> tuple[Answered, Recipient]:
    """Ask a recipient that behaves so, once; bytes are a recipient that sends them and closes."""
    behaviour = said(behave, then_close=True) if isinstance(behave, bytes) else behave

    async def going() -> tuple[Answered, Recipient]:
        async with recipient(behaviour) as there, open_client(limits=limits) as client:
            answer = await asked_with(
                client, there.address, question=question, credential=credential, limits=limits, clock=clock
            )
            return answer, there

    return run(going())


def resolving(*answers: Sequence[str]) -> tuple[Resolve, list[str]]:
    """A resolver that gives these answers in turn, then the last one again; and the names it was asked for."""
    left, names = list(answers), list[str]()

    async def resolve(host: str, port: int) -> Sequence[str]:
        names.append(host)
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve, names
