"""One fresh connection to exactly the address that was checked; resolved once, kept in no pool, through no proxy."""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TypeAlias

from operations.channels.base import Network
from operations.channels.connecting import Forbidden, check
from operations.channels.guard import Place

# host, port -> the addresses behind the name, each as text; OSError where there are none.
Resolve: TypeAlias = Callable[[str, int], Sequence[str]]


class Unconnected(Exception):
    """No connection came about, so nothing was sent; the message is a sentence."""


@dataclass(slots=True)
class Allowance:
    """Seconds that several steps share, on a clock that nobody sets (`time.monotonic`)."""

    seconds: float
    monotonic: Callable[[], float] = time.monotonic
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = self.monotonic() + self.seconds

    def left(self) -> float:
        """Return the seconds that are left; raises TimeoutError where none are."""
        left = self._until - self.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def by_system(host: str, port: int) -> Sequence[str]:
    """Resolve as this machine does."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def resolved(where: Place, *, resolve: Resolve, allowance: Allowance) -> Sequence[str]:
    """Return the addresses behind the recipient's name, asked for once; raises Unconnected.

    On a thread of its own, because a resolver can't be told to give up.
    """
    answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(resolve(where.host, where.port))
        except (OSError, UnicodeError):
            answers.put(())

    threading.Thread(target=look_up, daemon=True, name="names").start()
    try:
        found = answers.get(timeout=allowance.left())
    except (queue.Empty, TimeoutError):
        raise Unconnected("The name of the recipient's address wasn't resolved in time.") from None
    if not found:
        raise Unconnected("The name of the recipient's address can't be resolved.")
    return found


def connected(
    where: Place, addresses: Sequence[str], *, networks: tuple[Network, ...], allowance: Allowance
) -> socket.socket:
    """Return an open socket to the first of the addresses that accepts one; raises Unconnected.

    One forbidden address refuses all of them, as for asking. No byte is written to any of them here.
    """
    try:
        for text in addresses:
            check(text, host=where.host, networks=networks, only_networks=where.scheme == "http")
    except Forbidden as forbidden:
        raise Unconnected(str(forbidden)) from None
    for text in addresses:
        made = _socket(text, where.port, allowance=allowance)
        if made is not None:
            return made
    raise Unconnected("The recipient's address doesn't accept connections.")


def _socket(text: str, port: int, *, allowance: Allowance) -> socket.socket | None:
    made = socket.socket(socket.AF_INET6 if ip_address(text).version == 6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.settimeout(allowance.left())
        made.connect((text, port))
    except OSError:  # TimeoutError is one
        made.close()
        return None
    return made


def secured(
    open_socket: socket.socket, where: Place, *, tls: ssl.SSLContext | None, allowance: Allowance
) -> ssl.SSLSocket:
    """Return the socket under TLS, with the certificate verified for the recipient's name; raises Unconnected."""
    context = tls or ssl.create_default_context()
    try:
        open_socket.settimeout(allowance.left())
        return context.wrap_socket(open_socket, server_hostname=where.host)
    except ssl.SSLCertVerificationError as error:
        open_socket.close()
        raise Unconnected(f"The recipient's certificate isn't accepted: {error.verify_message}") from None
    except OSError:
        open_socket.close()
        raise Unconnected("No TLS connection to the recipient came about.") from None
