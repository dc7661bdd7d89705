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
        """Send it and say what came of it; what the wire does raises nothing."""
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
        lines = dict(self.credentials())
        connection = self._connection()
        try:
            connection.connect()
        except OSError:
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
    except (ValueError, http.client.HTTPException):  # no such request can be written; it was put together only
        return Seen(sent=Sent.NO, ended=Ended.NOT_SENT)
    sent = Sent.UNKNOWN  # a write that broke may have left some of it
    try:
        connection.endheaders(request.body)
        sent = Sent.YES
        with connection.getresponse() as answer:
            return _answered(answer)
    except (OSError, http.client.HTTPException) as error:
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
        body, truncated = answer.read(), False
    except http.client.IncompleteRead as error:
        body, truncated = error.partial, True
    except OSError:
        return Seen(sent=Sent.YES, ended=Ended.TRUNCATED)
    reply = Reply(status=answer.status, headers=headers, body=body, truncated=truncated)
    return Seen(sent=Sent.YES, reply=reply)
