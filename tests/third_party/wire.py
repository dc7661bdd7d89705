"""One HTTP/1.1 message off a stream, byte for byte as it came, with where it ends (RFC 9112, section 6)."""

from asyncio import IncompleteReadError, StreamReader
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

_END: Final = b"\r\n\r\n"
_PIECE: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as a library sent it. `raw`: all its bytes; `body`: without the chunks' frames."""

    raw: bytes
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    def header(self, name: str) -> str:
        """The first value of a header, in lower-case name; empty where there is none."""
        return _first(self.headers, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a recipient answered, whether or not it was passed on. An event stream's body is the stream."""

    raw: bytes
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    framed: bytes

    @property
    def half(self) -> bytes:
        """The head and the first half of the body as it was framed."""
        return self.raw[: len(self.raw) - (len(self.framed) + 1) // 2]


def _first(headers: tuple[tuple[str, str], ...], name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")


def _parted(head: bytes) -> tuple[str, tuple[tuple[str, str], ...]]:
    line, *lines = head[: -len(_END)].decode("latin-1").split("\r\n")
    pairs = [one.partition(":") for one in lines]
    return line, tuple([(name.strip(), value.strip()) for name, _, value in pairs])


def _unframed(framed: bytes) -> bytes:
    """The bytes in these chunks."""
    found = b""
    while framed:
        size, _, rest = framed.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        if length == 0:
            break
        found, framed = found + rest[:length], rest[length + 2 :]
    return found


async def _pieces(
    reader: StreamReader, headers: tuple[tuple[str, str], ...], *, open_ended: bool
) -> AsyncIterator[bytes]:
    """Yield the raw bytes of a body as they come, to its end."""
    if "chunked" in _first(headers, "transfer-encoding").lower():
        async for piece in _chunks(reader):
            yield piece
        return
    length = _first(headers, "content-length")
    left = int(length) if length else None
    while left != 0 and (left is not None or open_ended):
        piece = await reader.read(_PIECE if left is None else min(left, _PIECE))
        if not piece:
            break
        left = None if left is None else left - len(piece)
        yield piece


async def _chunks(reader: StreamReader) -> AsyncIterator[bytes]:
    while True:
        size = await reader.readuntil(b"\r\n")
        if int(size.partition(b";")[0], 16) == 0:
            trailer = size
            while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
                trailer += line
            yield trailer + line
            return
        yield size + await reader.readexactly(int(size.partition(b";")[0], 16) + 2)


async def read_request(reader: StreamReader, *, go_on: bytes, write: Callable[[bytes], object]) -> Request | None:
    """Return the next request, or None where the connection ended. To `Expect: 100-continue` we answer `go_on`."""
    try:
        head = await reader.readuntil(_END)
    except (IncompleteReadError, ConnectionError):
        return None
    line, headers = _parted(head)
    if _first(headers, "expect").lower() == "100-continue":
        write(go_on)
    framed = b"".join([piece async for piece in _pieces(reader, headers, open_ended=False)])
    method, target, _ = line.split(" ", 2)
    body = _unframed(framed) if "chunked" in _first(headers, "transfer-encoding").lower() else framed
    return Request(raw=head + framed, method=method, target=target, headers=headers, body=body)


class Answering:
    """A recipient's answer while it comes: `pieces()` yields its raw bytes, `reply` is what has come so far."""

    def __init__(self, reader: StreamReader, *, method: str) -> None:
        self._reader, self._method = reader, method
        self._head, self._framed = b"", b""

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the head, then the body, as they come; interim answers (1xx) are not passed on."""
        status = 100
        while status < 200:
            self._head = await self._reader.readuntil(_END)
            line, headers = _parted(self._head)
            status = int(line.split(" ")[1])
        yield self._head
        if self._method == "HEAD" or status in (204, 304):
            return
        async for piece in _pieces(self._reader, headers, open_ended=True):
            self._framed += piece
            yield piece

    @property
    def reply(self) -> Reply | None:
        if not self._head:
            return None
        line, headers = _parted(self._head)
        chunked = "chunked" in _first(headers, "transfer-encoding").lower()
        body = _unframed(self._framed) if chunked else self._framed
        status = int(line.split(" ")[1])
        return Reply(raw=self._head + self._framed, status=status, headers=headers, body=body, framed=self._framed)
