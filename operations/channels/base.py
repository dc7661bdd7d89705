"""The values of asking: where a recipient is reached, what is asked, and what came of it. No rows, no contract, no clock.

Whoever asks passes a clock, because a question and its answer are dated apart (semantics.md, Claims: `as_of`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network
from typing import Final, TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network
Clock: TypeAlias = Callable[[], datetime]

CONNECT_WITHIN: Final = 5.0
ANSWER_WITHIN: Final = 15.0
IDLE_WITHIN: Final = 10.0
MOST_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A secret as the header line that carries it; it is never shown, stored or logged."""

    header: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where a recipient is asked: `address` is its origin, with a path before every target where it has one.

    `networks` are the private networks that may be connected to for this recipient; without one, none may.
    """

    address: str
    networks: tuple[Network, ...] = ()
    credential: Credential | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question as it goes out. It only reads: GET, HEAD, or a POST that the contract quotes as a read."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one ask, in seconds and bytes.

    `answer_within` is the whole, connecting included; `idle_within` the longest silence on an open connection.
    """

    connect_within: float = CONNECT_WITHIN
    idle_within: float = IDLE_WITHIN
    answer_within: float = ANSWER_WITHIN
    most_bytes: int = MOST_BYTES


class Failed(StrEnum):
    """Why there is no answer to read. `refused_here`: the guard let nothing leave. `not_connected`: nothing was sent.

    `reset`: the connection ended before the answer was whole. `malformed`: what came isn't an answer (RFC 9112).
    """

    REFUSED_HERE = "refused_here"
    NO_NAME = "no_name"
    NOT_CONNECTED = "not_connected"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of one ask: a status with its headers and body, or why there is none, in a sentence (`detail`).

    Headers have lower-case names, their values one character a byte; those that carry secrets are left out, and an
    echo of the credential is masked, in the body too. `truncated`: the body was longer than allowed and is cut.
    """

    asked_at: datetime
    received_at: datetime
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    truncated: bool = False
    failed: Failed | None = None
    detail: str = ""
