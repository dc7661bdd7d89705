"""What really left, counted by the server, for each library with its retries on, bare and with the transport under it."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

import httpx
import pytest
import requests
import stripe
from urllib3.util.retry import Retry

from tests.client.counted import Counted
from unresolved import BodyField, Contract, Header, Next, NotBegun, NotCarried, Recorder, Sends, Sent
from unresolved.transports import NoIntent, intended
from unresolved.transports.over_httpx import GuardedAsyncTransport, GuardedTransport
from unresolved.transports.over_requests import GuardedAdapter

NOWHERE = "http://127.0.0.1:9"  # nobody listens there
BY_HEADER = Contract(recipient="shop", carrier=Header("Idempotency-Key"), scope="test")
BY_FIELD = Contract(recipient="shop", carrier=BodyField("request_id"), scope="test")
TIMES = 3


def attempts(recorder: Recorder) -> list[tuple[str, str]]:
    """How each attempt of the journal was told, and what it knows of whether it left."""
    known = recorder.journal.operation("shop", identity="order-1")
    return [] if known is None else [(one.sends, one.sent) for one in recorder.journal.attempts(known.key)]


def over_httpx(recorder: Recorder | None, url: str) -> None:
    """A library above httpx that repeats a request for as long as it fails, as many do."""
    transport = httpx.HTTPTransport() if recorder is None else GuardedTransport(recorder, BY_HEADER)
    with httpx.Client(transport=transport) as client:
        for _ in range(TIMES):
            with suppress(httpx.HTTPError, NotBegun):
                if client.post(f"{url}/orders", json={"parcel": "Cedar"}).is_success:
                    return


def over_async_httpx(recorder: Recorder | None, url: str) -> None:
    """The same for asyncio."""

    async def calls() -> None:
        transport = httpx.AsyncHTTPTransport() if recorder is None else GuardedAsyncTransport(recorder, BY_HEADER)
        async with httpx.AsyncClient(transport=transport) as client:
            for _ in range(TIMES):
                with suppress(httpx.HTTPError, NotBegun):
                    if (await client.post(f"{url}/orders", json={"parcel": "Cedar"})).is_success:
                        return

    asyncio.run(calls())


def over_requests(recorder: Recorder | None, url: str) -> None:
    """requests with urllib3's retries on, for a POST too."""
    retries = Retry(total=TIMES - 1, allowed_methods=None, status_forcelist=[500], backoff_factor=0)
    with requests.Session() as session:
        session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retries))
        if recorder is not None:
            session.mount("http://", GuardedAdapter(recorder, BY_HEADER, max_retries=retries))
        with suppress(requests.RequestException):
            session.post(f"{url}/orders", json={"parcel": "Cedar"})


def over_stripe(recorder: Recorder | None, url: str) -> None:
    """Stripe's own library, which repeats under one key, here the intent's."""
    session = requests.Session()
    if recorder is not None:
        session.mount("http://", GuardedAdapter(recorder, BY_HEADER))
    http = stripe.RequestsClient(session=session)
    http._sleep_time_seconds = lambda *_, **__: 0  # type: ignore[method-assign]  # what it would wait
    client = stripe.StripeClient(
        "sk_test_none", http_client=http, base_addresses={"api": url}, max_network_retries=TIMES - 1
    )
    with session, suppress(stripe.StripeError, NotBegun):
        client.v1.payment_intents.create({"amount": 100, "currency": "eur"}, {"idempotency_key": "order-1"})


LIBRARIES = [over_httpx, over_async_httpx, over_requests, over_stripe]
EACH = pytest.mark.parametrize("library", LIBRARIES)
FAILS = pytest.mark.parametrize("status", [None, 500])
Library = Callable[[Recorder | None, str], None]


@EACH
@FAILS
def test_without_the_transport_it_is_sent_again(server: Counted, library: Library, status: int | None):
    server.status = status
    library(None, server.url)
    assert len(server.arrived) == TIMES


@EACH
@FAILS
def test_with_it_one_request_leaves_under_the_callers_name(
    server: Counted, recorder: Recorder, library: Library, status: int | None
):
    server.status = status
    with intended("order-1", tool="order") as intent:
        library(recorder, server.url)
    assert server.kept("Idempotency-Key") == ["order-1"]
    [attempt] = attempts(recorder)
    assert attempt == (Sends.ONE, Sent.YES if status else Sent.UNKNOWN)
    assert intent.envelope is not None
    assert intent.envelope.next is Next.HELD


@EACH
def test_what_found_no_connection_is_told_as_not_sent(recorder: Recorder, library: Library):
    with intended("order-1", tool="order"):
        library(recorder, NOWHERE)
    assert attempts(recorder) == [(Sends.ONE, Sent.NO)]


@EACH
def test_outside_of_an_intent_nothing_leaves(server: Counted, recorder: Recorder, library: Library):
    with suppress(NoIntent):
        library(recorder, server.url)
    assert (server.arrived, attempts(recorder)) == ([], [])


@EACH
def test_an_answer_is_handed_up_and_told(server: Counted, recorder: Recorder, library: Library):
    with intended("order-1", tool="order") as intent:
        library(recorder, server.url)
    assert len(server.arrived) == len(intent.calls) == 1
    assert intent.envelope is not None
    assert intent.envelope.reply == {"status": 200, "body": '{"ok": true}', "truncated": False}


def test_retries_that_are_switched_on_below_are_told_as_many(server: Counted, recorder: Recorder):
    server.status = 500
    adapter = GuardedAdapter(recorder, BY_HEADER)
    adapter.max_retries = Retry(total=2, allowed_methods=None, status_forcelist=[500], backoff_factor=0)
    with requests.Session() as session, intended("order-1", tool="order"), suppress(requests.RequestException):
        session.mount("http://", adapter)
        session.post(f"{server.url}/orders", json={})
    assert len(server.arrived) == 3
    assert [sends for sends, _ in attempts(recorder)] == [Sends.MANY]


def test_a_transport_that_is_not_ours_is_told_as_many(recorder: Recorder):
    answers = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    with (
        httpx.Client(transport=GuardedTransport(recorder, BY_HEADER, inner=answers)) as client,
        intended("order-1", tool="order"),
    ):
        client.post("http://shop.invalid/orders")
    assert attempts(recorder) == [(Sends.MANY, Sent.YES)]


def test_a_library_that_names_the_effect_by_itself_is_refused(server: Counted, recorder: Recorder):
    with (
        httpx.Client(transport=GuardedTransport(recorder, BY_HEADER)) as client,
        intended("order-1", tool="order"),
        pytest.raises(NotCarried),
    ):
        client.post(f"{server.url}/orders", headers={"Idempotency-Key": "made-up-for-this-run"})
    assert server.arrived == []


@pytest.mark.parametrize("kind", ["httpx", "requests"])
def test_a_field_of_the_body_carries_the_name_too(server: Counted, recorder: Recorder, kind: str):
    with intended("order-1", tool="order"):
        if kind == "httpx":
            with httpx.Client(transport=GuardedTransport(recorder, BY_FIELD)) as client:
                client.post(f"{server.url}/orders?fast=1", json={"parcel": "Cedar"})
        else:
            with requests.Session() as session:
                session.mount("http://", GuardedAdapter(recorder, BY_FIELD))
                session.post(f"{server.url}/orders", params={"fast": "1"}, json={"parcel": "Cedar"})
    [arrived] = server.arrived
    assert (arrived.path, json.loads(arrived.body)) == (
        "/orders?fast=1",
        {"parcel": "Cedar", "request_id": "order-1"},
    )


def test_no_credential_is_kept(server: Counted, recorder: Recorder):
    with httpx.Client(transport=GuardedTransport(recorder, BY_HEADER)) as client, intended("order-1", tool="order"):
        client.post(f"{server.url}/orders", headers={"Authorization": "Bearer hush", "Cookie": "hush"})
    assert server.kept("Authorization") == ["Bearer hush"]
    with recorder.journal.reading() as connection:
        assert "hush" not in "".join(connection.iterdump())


def test_what_asks_for_no_effect_passes(server: Counted, recorder: Recorder):
    with httpx.Client(transport=GuardedTransport(recorder, BY_HEADER)) as client:
        assert client.get(f"{server.url}/orders").json() == {"ok": True}
    with requests.Session() as session:
        session.mount("http://", GuardedAdapter(recorder, BY_HEADER))
        assert session.get(f"{server.url}/orders").json() == {"ok": True}
    assert attempts(recorder) == []


def test_a_body_that_comes_in_pieces_leaves_as_one_with_one_length(recorder, server):
    with httpx.Client(transport=GuardedTransport(recorder, BY_HEADER)) as client, intended("order-1", tool="order"):
        client.post(f"{server.url}/orders", content=iter([b"Ce", b"dar"]))
    [arrived] = server.arrived
    assert (arrived.body, arrived.headers.get("transfer-encoding")) == (b"Cedar", None)
