"""Under a requests session, or a library that takes one: every request that may have an effect is one attempt, or is held.

As over_httpx.py: what is above may repeat as it likes; what is below is urllib3 with retries off.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import MaxRetryError, NewConnectionError

from unresolved.carriers import Contract
from unresolved.recorder import Call, NotBegun, Recorder, Under
from unresolved.request import Reply
from unresolved.sending import Seen
from unresolved.transports.intent import SAFE, Heard, Intent, binding, current, undecoded
from unresolved.words import Ended, Sends, Sent


class GuardedAdapter(HTTPAdapter):
    """`session.mount("https://", GuardedAdapter(recorder, contract))`.

    Retries that somebody switches on afterwards are told as what they are: the attempt then counts as sent any number of
    times. Raises `NotBegun` in place of sending, and `NoIntent` outside of `intended`.
    """

    def __init__(self, recorder: Recorder, contract: Contract, **more: Any) -> None:
        super().__init__(**{**more, "max_retries": 0})
        self._recorder = recorder
        self._contract = contract

    @property
    def _sends(self) -> Sends:
        return Sends.ONE if self.max_retries.total == 0 else Sends.MANY

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002  # requests' own signature
        timeout: float | tuple[float | None, float | None] | None = None,
        verify: bool | str = True,  # noqa: FBT001, FBT002  # likewise
        cert: str | tuple[str, str] | None = None,
        proxies: dict[str, str] | None = None,
    ) -> requests.Response:
        """Send one request that was recorded, or refuse."""
        how: dict[str, Any] = {"stream": stream, "timeout": timeout, "verify": verify, "cert": cert, "proxies": proxies}
        if request.method in SAFE:
            return super().send(request, **how)
        intent, sends = current(), self._sends
        try:
            with self._recorder.attempt(_call(request, self._contract, intent, sends)) as under:
                intent.calls.append(under)
                return self._sent(under, request, sends, how)
        except NotBegun as held:
            intent.calls.append(held)
            raise

    def _sent(
        self, under: Under, request: requests.PreparedRequest, sends: Sends, how: Mapping[str, Any]
    ) -> requests.Response:
        try:
            response = super().send(_carried(request, under), **how)
        except requests.RequestException as error:
            if sends is Sends.ONE and _never_connected(error):
                under.attempt.seen = Seen(sent=Sent.NO, ended=Ended.NOT_SENT)
            raise
        headers = undecoded(tuple(response.headers.items()))
        under.attempt.reply = Reply(status=response.status_code, headers=headers, body=response.content)
        return response


def _call(request: requests.PreparedRequest, contract: Contract, intent: Intent, sends: Sends) -> Call:
    where = urlsplit(request.url or "")
    heard = Heard(
        method=request.method or "",
        target=(where.path or "/") + (f"?{where.query}" if where.query else ""),
        headers=tuple([(name, _text(value)) for name, value in request.headers.items()]),
        body=_body(request.body),
    )
    return heard.call(contract, intent=intent, sends=sends, binds=binding(contract))


def _carried(request: requests.PreparedRequest, under: Under) -> requests.PreparedRequest:
    """Return the request with the bound bytes and lines: the carrier may have put the identity there."""
    bound, carried = under.attempt.request, request.copy()
    for name, value in bound.headers:
        carried.headers[name] = value
    if bound.body is not None:
        carried.body = bound.body
        carried.headers["Content-Length"] = str(len(bound.body))
    return carried


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _body(body: object) -> bytes | None:
    """Return a body's bytes; one that can be read only once can't be recorded before it is sent."""
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    raise TypeError("a guarded request's body must be bytes or text, so that it can be recorded first")


def _never_connected(error: requests.RequestException) -> bool:
    """Say whether there was no connection yet to write on."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)
