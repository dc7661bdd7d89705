"""Under an httpx client, or a library that takes one: every request that may have an effect is one attempt, or is held.

What is above may repeat as it likes: the second request under the same intent is a repeat, takes a grant, and doesn't
leave without one. What is below is httpx's own transport without retries, so that an attempt goes out once.
"""

from typing import Final

import httpx

from unresolved.carriers import Contract
from unresolved.recorder import Call, NotBegun, Recorder, Under
from unresolved.request import Reply, Request
from unresolved.sending import Seen
from unresolved.transports.intent import SAFE, Heard, Intent, binding, current, undecoded
from unresolved.words import Ended, Sends, Sent

# httpcore raises these while there is no connection yet to write on.
_NO_BYTE: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class GuardedTransport(httpx.BaseTransport):
    """`httpx.Client(transport=GuardedTransport(recorder, contract))`.

    `inner` is what sends; of one that isn't ours nobody here knows how often it does, and its attempts are told as such.
    Raises `NotBegun` in place of sending, and `NoIntent` outside of `intended`.
    """

    def __init__(self, recorder: Recorder, contract: Contract, *, inner: httpx.BaseTransport | None = None) -> None:
        self._recorder = recorder
        self._contract = contract
        self._sends = Sends.ONE if inner is None else Sends.MANY
        self._inner = httpx.HTTPTransport(retries=0) if inner is None else inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request that was recorded, or refuse."""
        if request.method in SAFE:
            return self._inner.handle_request(request)
        request.read()
        intent = current()
        try:
            with self._recorder.attempt(_call(request, self._contract, intent, self._sends)) as under:
                intent.calls.append(under)
                return self._sent(under, _carried(request, under))
        except NotBegun as held:
            intent.calls.append(held)
            raise

    def _sent(self, under: Under, request: httpx.Request) -> httpx.Response:
        try:
            response = self._inner.handle_request(request)
        except _NO_BYTE:
            _nothing_left(under, self._sends)
            raise
        response.read()
        under.attempt.reply = _reply(response)
        return response

    def close(self) -> None:
        """Close what sends."""
        self._inner.close()


class GuardedAsyncTransport(httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`."""

    def __init__(
        self, recorder: Recorder, contract: Contract, *, inner: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._recorder = recorder
        self._contract = contract
        self._sends = Sends.ONE if inner is None else Sends.MANY
        self._inner = httpx.AsyncHTTPTransport(retries=0) if inner is None else inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request that was recorded, or refuse."""
        if request.method in SAFE:
            return await self._inner.handle_async_request(request)
        await request.aread()
        intent = current()
        try:
            async with self._recorder.attempt_async(_call(request, self._contract, intent, self._sends)) as under:
                intent.calls.append(under)
                return await self._sent(under, _carried(request, under))
        except NotBegun as held:
            intent.calls.append(held)
            raise

    async def _sent(self, under: Under, request: httpx.Request) -> httpx.Response:
        try:
            response = await self._inner.handle_async_request(request)
        except _NO_BYTE:
            _nothing_left(under, self._sends)
            raise
        await response.aread()
        under.attempt.reply = _reply(response)
        return response

    async def aclose(self) -> None:
        """Close what sends."""
        await self._inner.aclose()


def _call(request: httpx.Request, contract: Contract, intent: Intent, sends: Sends) -> Call:
    heard = Heard(
        method=request.method,
        target=request.url.raw_path.decode("ascii"),
        headers=tuple(request.headers.multi_items()),
        body=request.content or None,
    )
    return heard.call(contract, intent=intent, sends=sends, binds=binding(contract))


def _carried(request: httpx.Request, under: Under) -> httpx.Request:
    """Return the request with the bound bytes and lines: the carrier may have put the identity there."""
    bound: Request = under.attempt.request
    headers = request.headers.copy()
    for name, value in bound.headers:
        headers[name] = value
    for framing in ("Content-Length", "Transfer-Encoding"):  # both would be two lengths for one body
        headers.pop(framing, None)
    return httpx.Request(
        request.method, request.url, headers=headers, content=bound.body, extensions=request.extensions
    )


def _reply(response: httpx.Response) -> Reply:
    headers = undecoded(tuple(response.headers.multi_items()))
    return Reply(status=response.status_code, headers=headers, body=response.content)


def _nothing_left(under: Under, sends: Sends) -> None:
    if sends is Sends.ONE:
        under.attempt.seen = Seen(sent=Sent.NO, ended=Ended.NOT_SENT)
