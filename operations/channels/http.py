"""Ask a recipient over HTTP: one question, one answer or why there is none; nothing is followed, kept or tried again."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Final

import aiohttp
from yarl import URL

from operations.channels.base import Answered, Ask, Clock, Limits, Network, Reach
from operations.channels.connecting import Resolve, by_system, connector
from operations.channels.failing import FAILURES, told
from operations.channels.guard import Refused, below, check_literal, place
from operations.channels.outgoing import headers_of
from operations.channels.received import Malformed, body_kept, headers_kept

MOST_HEADERS: Final = 100
NAME_THREADS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Connections of one event loop to recipients; open it with `open_client`, share it between concurrent asks."""

    limits: Limits
    resolve: Resolve = field(repr=False)
    tls: ssl.SSLContext | None = field(repr=False)
    # A set of networks and whether only they will do -> the connections made under them.
    sessions: dict[tuple[tuple[Network, ...], bool], aiohttp.ClientSession] = field(repr=False, default_factory=dict)


@asynccontextmanager
async def open_client(
    *, limits: Limits, resolve: Resolve | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Client]:
    """Everything connected through the client is closed with the block.

    `limits` bound every ask that doesn't bring tighter ones. `resolve` stands in for this machine's resolver, `tls`
    for its trusted certificate authorities.
    """
    threads = ThreadPoolExecutor(max_workers=NAME_THREADS, thread_name_prefix="names")
    client = Client(limits=limits, resolve=resolve or by_system(threads), tls=tls)
    try:
        yield client
    finally:
        for session in client.sessions.values():
            await session.close()
        threads.shutdown(wait=False, cancel_futures=True)


async def ask(client: Client, question: Ask, *, reach: Reach, limits: Limits, clock: Clock) -> Answered:
    """Return what came of the question; nothing that a recipient, a name server or an address does raises.

    It asks once, with one exception that is aiohttp's: a GET or HEAD whose connection is closed before any answer is
    sent once more on another (RFC 9112, 9.3.1). That is harmless, since questions only read, but a recipient may count
    two; a POST is never sent again. Redirects are answers. A body without a length that ends with its connection can't
    be told from one that was cut there (RFC 9112, 8): it is as whole as it reads.
    """
    asked_at = clock()
    try:
        where = place(reach.address)
        url = below(where, target=question.target)
        check_literal(where, networks=reach.networks)
        headers = headers_of(question, credential=reach.credential)
    except Refused as refused:
        return _failed(refused, asked_at=asked_at, clock=clock, limits=limits)
    session = _session(client, networks=reach.networks, only_networks=where.scheme == "http")
    bounds = _tighter(limits, client.limits)
    try:
        async with asyncio.timeout(bounds.answer_within), _sent(session, url, question, headers, bounds) as response:
            return await _read(response, reach=reach, limits=bounds, clock=clock, asked_at=asked_at)
    except FAILURES as failure:
        return _failed(failure, asked_at=asked_at, clock=clock, limits=bounds)


def check(question: Ask, *, reach: Reach) -> None:
    """Raise Refused for a question that couldn't go out whatever the recipient does; its address is not judged."""
    try:
        where = place(reach.address)
    except Refused:
        return
    below(where, target=question.target)
    headers_of(question, credential=reach.credential)


def _session(client: Client, *, networks: tuple[Network, ...], only_networks: bool) -> aiohttp.ClientSession:
    """Connections are kept apart by what they were checked against; cookies and proxies there are none."""
    key = (networks, only_networks)
    if key not in client.sessions:
        client.sessions[key] = aiohttp.ClientSession(
            connector=connector(client.resolve, networks=networks, only_networks=only_networks, tls=client.tls),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent", "Content-Type"),
            auto_decompress=False,
            trust_env=False,
            max_headers=MOST_HEADERS,
        )
    return client.sessions[key]


def _sent(
    session: aiohttp.ClientSession, url: str, question: Ask, headers: Sequence[tuple[str, str]], limits: Limits
) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
    timeout = aiohttp.ClientTimeout(
        total=None, connect=limits.connect_within, sock_connect=limits.connect_within, sock_read=limits.idle_within
    )
    return session.request(
        question.method,
        URL(url, encoded=True),  # sent as it was checked, not as yarl would write it
        headers=headers,
        data=question.body,
        allow_redirects=False,
        timeout=timeout,
    )


async def _read(
    response: aiohttp.ClientResponse, *, reach: Reach, limits: Limits, clock: Clock, asked_at: datetime
) -> Answered:
    """Read what is kept; aiohttp closes a connection whose answer wasn't read to its end, so the rest is nobody's."""
    if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
        raise Malformed("The recipient switched to another protocol, which wasn't asked for.")
    headers = headers_kept(response.raw_headers, credential=reach.credential)
    body, truncated = await body_kept(
        response.content.iter_any(),
        coding=",".join(value for name, value in headers if name == "content-encoding"),
        most_bytes=limits.most_bytes,
        credential=reach.credential,
    )
    return Answered(
        asked_at=asked_at,
        received_at=clock(),
        status=response.status,
        headers=headers,
        body=body,
        truncated=truncated,
    )


def _failed(failure: BaseException, *, asked_at: datetime, clock: Clock, limits: Limits) -> Answered:
    failed, detail = told(failure, limits=limits)
    return Answered(asked_at=asked_at, received_at=clock(), failed=failed, detail=detail)


def _tighter(one: Limits, other: Limits) -> Limits:
    if one == other:
        return one
    return Limits(
        connect_within=min(one.connect_within, other.connect_within),
        idle_within=min(one.idle_within, other.idle_within),
        answer_within=min(one.answer_within, other.answer_within),
        most_bytes=min(one.most_bytes, other.most_bytes),
    )
