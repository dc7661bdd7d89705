"""The answer to a request that was sent, read by a strict parser from the one connection, or why there is none."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import h11

from operations.channels.base import Credential
from operations.channels.connection import Allowance
from operations.channels.received import MOST_HEADER_BYTES, Body, Headers, Malformed, headers_kept

MOST_LINES: Final = 200
_PIECE: Final = 64 * 1024


class Ended(StrEnum):
    """How a send ended. `not_sent`: no write was begun. `truncated`: something came that is no whole answer.

    `closed`: the connection was closed in order before any answer, `reset`: it was torn.
    """

    ANSWERED = "answered"
    NOT_SENT = "not_sent"
    TIMEOUT = "timeout"
    RESET = "reset"
    CLOSED = "closed"
    TRUNCATED = "truncated"


class NoAnswer(Exception):
    """No byte of an answer came; the message is a sentence."""

    def __init__(self, ended: Ended, sentence: str) -> None:
        super().__init__(sentence)
        self.ended = ended


class Cut(Exception):
    """Something came that can't be read as a whole answer; the message is a sentence and quotes nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer; `truncated`: its body was longer than is kept."""

    status: int
    headers: Headers
    body: bytes
    truncated: bool


@dataclass(slots=True, kw_only=True)
class _Reader:
    wire: socket.socket
    first_byte: Callable[[], None]
    allowance: Allowance
    parser: h11.Connection
    came: bool = False

    def next(self) -> object:
        """Return the next event of the answer."""
        while (event := self.parser.next_event()) is h11.NEED_DATA:
            self.parser.receive_data(self._more())
        return event

    def _more(self) -> bytes:
        """Return what comes next; empty where the recipient closed the connection after something came."""
        try:
            self.wire.settimeout(self.allowance.left())
            data = self.wire.recv(_PIECE)
        except TimeoutError:
            raise self._none(Ended.TIMEOUT, "wasn't whole in time.") from None
        except OSError:
            raise self._none(Ended.RESET, "ended with a torn connection.") from None
        if not data and not self.came:
            raise NoAnswer(Ended.CLOSED, "The recipient closed the connection without an answer.")
        if data and not self.came:
            self.came = True
            self.first_byte()
        return data

    def _none(self, ended: Ended, how: str) -> Exception:
        return Cut(f"The answer {how}") if self.came else NoAnswer(ended, f"There is no answer: it {how}")


def read_answer(
    wire: socket.socket,
    *,
    method: str,
    first_byte: Callable[[], None],
    allowance: Allowance,
    most_bytes: int,
    credential: Credential | None,
) -> Answer:
    """Return the answer on an open connection; raises NoAnswer and Cut.

    `method` is the request's; `first_byte` is called when one comes.
    """
    reader = _Reader(wire=wire, first_byte=first_byte, allowance=allowance, parser=_parser(method))
    try:
        response = _response(reader)
        headers = headers_kept(response.headers, credential=credential)
        body = Body(
            coding=",".join([value for name, value in headers if name == "content-encoding"]),
            most_bytes=most_bytes,
            credential=credential,
        )
        kept, truncated = _body(reader, body)
    except h11.RemoteProtocolError:
        raise Cut("What came isn't a whole HTTP answer that can be read.") from None
    except Malformed as malformed:
        raise Cut(str(malformed)) from None
    return Answer(status=response.status_code, headers=headers, body=kept, truncated=truncated)


def _parser(method: str) -> h11.Connection:
    """Return a parser that knows what is being answered: the method says whether a body comes (RFC 9112, 6.3)."""
    parser = h11.Connection(our_role=h11.CLIENT, max_incomplete_event_size=MOST_HEADER_BYTES)
    parser.send(h11.Request(method=method, target="/", headers=[("Host", "recipient"), ("Connection", "close")]))
    parser.send(h11.EndOfMessage())
    return parser


def _response(reader: _Reader) -> h11.Response:
    """Return the final answer; announcements before it (1xx) say nothing."""
    while True:
        event = reader.next()
        if isinstance(event, h11.Response):
            if len(event.headers) > MOST_LINES:
                raise Malformed(f"The answer has more than {MOST_LINES} headers.")
            return event
        if not isinstance(event, h11.InformationalResponse):
            raise Malformed("What came isn't an HTTP answer that can be read.")


def _body(reader: _Reader, body: Body) -> tuple[bytes, bool]:
    while True:
        event = reader.next()
        if isinstance(event, h11.Data):
            if not body.feed(bytes(event.data)):
                return body.kept()
        elif isinstance(event, h11.EndOfMessage):
            return body.kept()
        else:
            raise Malformed("What came isn't an HTTP answer that can be read.")
