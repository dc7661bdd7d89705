"""One request on one connection, sent once; whoever owns the socket says truthfully what left."""

import asyncio
import http.client
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import urlsplit

from unresolved.request import Headers, Reply, Request
from unresolved.words import Ended, Sends, Sent

PATIENCE: Final = 30.0  # seconds each wait on the socket may take
MOST_BYTES: Final = 64 * 1024 * 1024  # of an answer's body
_CHUNK: Final = 1024 * 1024


class NotWritten(Exception):
    """Nothing of the request was written: what would have sent it could not even begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came of one attempt: a reply, or how it ended without one. `sent` is what the sender knows of its own side."""

    sent: Sent
    reply: Reply | None = None
    ended: Ended | None = None


class Sender(Protocol):
    """Sends one request; `sends` says whether it can promise that it does so once."""

    @property
    def sends(self) -> Sends:
        """ONE only if no layer below resends."""
        ...

    def send(self, request: Request) -> Seen:
        """Send it and say what came of it; what the wire does raises nothing.

        May raise `NotWritten`, from what kept it from beginning: credentials that are not there, an address that is none.
        """
        ...

    async def send_async(self, request: Request) -> Seen:
        """The same for asyncio."""
        ...


def _no_credentials() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneShot:
    """Sends once on a fresh connection, follows no redirect and repeats nothing.

    `origin` is scheme, host and port. `credentials` gives header lines at the moment of sending; they are neither kept
    nor told to anybody.
    """

    origin: str
    credentials: Callable[[], Mapping[str, str]] = field(default=_no_credentials, repr=False)
    patience: float = PATIENCE

    @property
    def sends(self) -> Sends:
        """One connection, one write of the request."""
        return Sends.ONE

    def send(self, request: Request) -> Seen:
        """Send it once; see `Sender.send`."""
        try:
            lines = dict(self.credentials())
            connection = self._connection()
        except Exception as error:
            raise NotWritten(f"it could not begin: {type(error).__name__}") from error
        try:
            connection.connect()
        except (OSError, ValueError):  # of a name that is none, Python says ValueError
            connection.close()
            return Seen(sent=Sent.NO, ended=Ended.NOT_SENT)
        try:
            return _exchange(connection, request, lines)
        finally:
            connection.close()

    async def send_async(self, request: Request) -> Seen:
        """Send it once from a thread; a cancelled caller leaves it to run, and the outcome is unknown."""
        return await asyncio.to_thread(self.send, request)

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.origin)
        if parts.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(parts.netloc, timeout=self.patience, context=context)
        return http.client.HTTPConnection(parts.netloc, timeout=self.patience)


def _exchange(connection: http.client.HTTPConnection, request: Request, credentials: Mapping[str, str]) -> Seen:
    connection.auto_open = 0  # else a closed connection would be opened anew, and the request sent on it
    try:
        _head(connection, request, credentials)
    except (
        ValueError,
        TypeError,
        http.client.HTTPException,
    ):  # no such request can be written; it was put together only
        return Seen(sent=Sent.NO, ended=Ended.NOT_SENT)
    sent = Sent.UNKNOWN  # a write that broke may have left some of it
    try:
        connection.endheaders(request.body)
        sent = Sent.YES
        with connection.getresponse() as answer:
            return _answered(answer)
    except Exception as error:  # noqa: BLE001  # whatever an answer is made of, something may have left
        return Seen(sent=sent, ended=ended_by(error))


def ended_by(error: BaseException) -> Ended:
    """Return how an attempt ended that broke off with this error after a write was begun."""
    if isinstance(error, TimeoutError) or any("Timeout" in kind.__name__ for kind in type(error).__mro__):
        return Ended.TIMEOUT
    torn = isinstance(error, ConnectionError) and not isinstance(error, http.client.RemoteDisconnected)
    return Ended.RESET if torn else Ended.CLOSED


def _head(connection: http.client.HTTPConnection, request: Request, credentials: Mapping[str, str]) -> None:
    connection.putrequest(request.method, request.target, skip_accept_encoding=True)
    for name, value in (*request.headers, *credentials.items(), ("Connection", "close")):
        connection.putheader(name, value)
    if request.body is not None:
        connection.putheader("Content-Length", str(len(request.body)))


def _answered(answer: http.client.HTTPResponse) -> Seen:
    headers: Headers = tuple(answer.getheaders())
    try:
        body, truncated = _body(answer)
    except OSError:
        return Seen(sent=Sent.YES, ended=Ended.TRUNCATED)
    reply = Reply(status=answer.status, headers=headers, body=body, truncated=truncated)
    return Seen(sent=Sent.YES, reply=reply)


def _body(answer: http.client.HTTPResponse) -> tuple[bytes, bool]:
    """Return the body, and whether bytes of it are missing: the connection ended early, or it is too long to be held."""
    held, room = bytearray(), MOST_BYTES
    try:
        while room and (part := answer.read(min(room, _CHUNK))):
            held += part
            room -= len(part)
    except http.client.IncompleteRead as error:
        return bytes(held + error.partial), True
    return bytes(held), bool(answer.length) or not (room or answer.isclosed())
