"""Exactly the address that was checked is connected to: names are resolved once, and every socket is checked again.

A name whose answer holds one forbidden address is refused whole. Nobody publishes a service under a public and a
private address at once, except to have a checker see the first and a connection use the second (DNS rebinding).
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import TypeAlias

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from operations.channels.base import Network
from operations.channels.ranges import why_not

# host, port -> the addresses behind the name, each as text; OSError where there are none.
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
# As asyncio hands it over: family, type, protocol, canonical name, socket address.
Target: TypeAlias = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]


class Forbidden(OSError):
    """The address may not be connected to. It is an OSError because a connector expects one of its resolver and socket.

    The message is a sentence.
    """


class CheckedResolver(AbstractResolver):
    """Resolves to addresses that may be connected to, or raises Forbidden."""

    def __init__(self, resolve: Resolve, *, networks: tuple[Network, ...], only_networks: bool) -> None:
        self._resolve = resolve
        self._networks = networks
        self._only_networks = only_networks

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Every address behind the name; aiohttp asks once and connects to these, for ten seconds without asking again."""
        found = await self._resolve(host, port)
        for text in found:
            check(text, host=host, networks=self._networks, only_networks=self._only_networks)
        results = [_as_result(text, host=host, port=port) for text in found]
        usable = [result for result in results if family in (socket.AF_UNSPEC, result["family"])]
        if not usable:
            raise OSError("The name has no address.")
        return usable

    async def close(self) -> None:
        """Nothing is held."""


class _Connector(aiohttp.TCPConnector):
    """Reuses no connection on which something came unasked: it would be read as the answer to the next question."""

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        while True:
            connection = await super().connect(req, traces, timeout)
            if connection.protocol is not None and not connection.protocol.should_close:
                return connection
            connection.close()


def check(text: str, *, host: str, networks: Sequence[Network], only_networks: bool) -> None:
    """Raise Forbidden unless the address may be connected to for whoever has these networks."""
    reason = why_not(ip_address(text), networks=networks, only_networks=only_networks)
    if reason is not None:
        raise Forbidden(f"{host} is at {text}, which {reason}.")


def connector(
    resolve: Resolve, *, networks: tuple[Network, ...], only_networks: bool, tls: ssl.SSLContext | None
) -> aiohttp.TCPConnector:
    """Connections to permitted addresses only; one for each set of networks, so that none is reused under another's."""

    def checked_socket(target: Target) -> socket.socket:
        # The last word: this is the address that the kernel is given, whoever resolved it.
        check(target[4][0], host="The recipient", networks=networks, only_networks=only_networks)
        return socket.socket(target[0], target[1], target[2])

    return _Connector(
        resolver=CheckedResolver(resolve, networks=networks, only_networks=only_networks),
        socket_factory=checked_socket,
        ssl=True if tls is None else tls,
        limit=0,  # how many are asked at once is polling's to say
    )


def by_system(threads: ThreadPoolExecutor) -> Resolve:
    """Resolve as this machine does, on threads of its own: a slow name server holds up no other work of the loop."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))

    return resolve


def _as_result(text: str, *, host: str, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=text,
        port=port,
        family=socket.AF_INET6 if ":" in text else socket.AF_INET,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
