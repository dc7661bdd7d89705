"""A proxy that forwards bytes to one recipient, and loses what it is told to lose. It counts what went where.

It stands where an agent's egress stands: the whole request is here before the recipient has its first byte, so that
whoever records it (`before`) does so in time. It never sends a request twice.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tests.third_party.wire import Answering, Reply, Request, read_request

_GO_ON: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
WITHIN: Final = 30.0  # seconds; nothing here is expected to take long


class Loss(StrEnum):
    """What is lost of one exchange. What the recipient did by then is done."""

    NOTHING = "nothing"
    REQUEST = "the request, before the recipient has a byte of it"
    REPLY = "the reply, after the recipient gave all of it"
    HALF_REPLY = "half of the reply's body, after the recipient gave all of it"


@dataclass(slots=True, kw_only=True)
class Told:
    """An instruction for the next `times` requests of this method and path. `delay`: seconds before each piece of the reply."""

    method: str
    path: str
    loss: Loss
    times: int
    delay: float

    def takes(self, request: Request) -> bool:
        return self.times > 0 and (request.method, request.path) == (self.method, self.path)


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request, what was lost of it, what the recipient answered, and how many bytes of that the caller got.

    `over` is set when nothing more happens to it; a caller may have given up before.
    """

    request: Request
    loss: Loss = Loss.NOTHING
    forwarded: bool = False
    reply: Reply | None = None
    given: int = 0
    over: threading.Event = field(default_factory=threading.Event)


def unrecorded(request: Request) -> None:
    """Nobody records a request that goes through here."""


@dataclass(slots=True)
class Proxy:
    """The proxy as a test holds it. `before` is called with each request, ahead of its first byte; what it raises stops it."""

    recipient_port: int
    before: Callable[[Request], None] = unrecorded
    port: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    refused: list[Exception] = field(default_factory=list)
    _told: list[Told] = field(default_factory=list)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tell(self, method: str, path: str, *, loss: Loss = Loss.NOTHING, times: int = 1, delay: float = 0) -> None:
        """Say what becomes of the next requests of this method and path."""
        self._told.append(Told(method=method, path=path, loss=loss, times=times, delay=delay))

    def of(self, method: str, path: str) -> list[Exchange]:
        """The exchanges of this method and path in the order in which they came, once all of them are over.

        A caller has its answer, or has given up, a little before that.
        """
        found = [one for one in self.exchanges if (one.request.method, one.request.path) == (method, path)]
        for one in found:
            if not one.over.wait(WITHIN):
                raise TimeoutError(f"{method} {path} is still under way")
        return found

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends or something of it is lost."""
        self._open.add(writer)
        try:
            while (request := await read_request(reader, go_on=_GO_ON, write=writer.write)) is not None:
                if not await self._exchanged(request, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # either side went away, which is what proxies see
        finally:
            self._open.discard(writer)
            writer.close()

    async def _exchanged(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Do one exchange; say whether the connection is to be kept."""
        told = self._taken(request)
        exchange = Exchange(request=request, loss=told.loss)
        self.exchanges.append(exchange)
        try:
            if not await self._recorded(request) or told.loss is Loss.REQUEST:
                return False
            await self._forwarded(exchange, writer, delay=told.delay)
        finally:
            exchange.over.set()
        return told.loss is Loss.NOTHING and request.header("connection").lower() != "close"

    async def _recorded(self, request: Request) -> bool:
        try:
            await asyncio.to_thread(self.before, request)
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing may be sent then
            self.refused.append(error)
            return False
        return True

    def _taken(self, request: Request) -> Told:
        for told in self._told:
            if told.takes(request):
                told.times -= 1
                return told
        return Told(method="", path="", loss=Loss.NOTHING, times=0, delay=0)

    async def _forwarded(self, exchange: Exchange, writer: asyncio.StreamWriter, *, delay: float) -> None:
        async with self._recipient() as (reader, to):
            exchange.forwarded = True
            to.write(exchange.request.raw)
            answering = Answering(reader, method=exchange.request.method)
            async for piece in answering.pieces():
                if exchange.loss is Loss.NOTHING:
                    await asyncio.sleep(delay)
                    await self._give(exchange, piece, writer)
            exchange.reply = answering.reply
        if exchange.loss is Loss.HALF_REPLY and exchange.reply is not None:
            await self._give(exchange, exchange.reply.half, writer)

    @asynccontextmanager
    async def _recipient(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.recipient_port)
        self._open.add(writer)
        try:
            yield reader, writer
        finally:
            self._open.discard(writer)
            writer.close()

    async def close(self, server: asyncio.Server) -> None:
        """Listen no more, and end what is open: a stream that nobody reads any more would never end by itself."""
        server.close()
        for writer in list(self._open):
            writer.transport.abort()
        serving = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.gather(*serving)

    @staticmethod
    async def _give(exchange: Exchange, piece: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(piece)
        exchange.given += len(piece)
        await writer.drain()


@contextmanager
def proxy_before(recipient_port: int) -> Iterator[Proxy]:
    """Keep a proxy before a recipient on loopback open for a block, on a loop and a thread of its own."""
    proxy = Proxy(recipient_port)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="dropping proxy")
    thread.start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(proxy.serve, "127.0.0.1", 0), loop).result(WITHIN)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(proxy.close(server), loop).result(WITHIN)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WITHIN)
        loop.close()
