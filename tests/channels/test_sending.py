"""What is sent goes out once, byte for byte, and what became of it is told exactly."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operations.channels.base import Reach
from operations.channels.reading import Ended
from operations.channels.sending import Sent, Step
from operations.channels.wire import HIDDEN, written
from tests.channels.certificates import certificate
from tests.channels.recipients import LOOPBACK, ok, recipient, said
from tests.channels.recipients import Recipient as Seen
from tests.channels.sent import (
    BODY,
    MOST,
    PATIENT,
    REQUEST,
    SECRET,
    exchange,
    reads_and_closes,
    reads_and_resets,
    reads_and_waits,
    sent_to,
    tear,
)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "GET"])
@pytest.mark.parametrize(
    ("behave", "ended"), [(reads_and_closes, Ended.CLOSED), (reads_and_resets, Ended.RESET)], ids=["closes", "resets"]
)
def test_a_recipient_that_reads_and_closes_counts_one(behave, ended, method):
    found, there = exchange(behave, replace(REQUEST, method=method))
    assert (found.ended, there.connections, len(there.requests)) == (ended, 1, 1)
    assert found.last_byte_written_at is not None
    assert found.first_byte_read_at is None


def test_a_recipient_that_never_answers_is_given_up_and_counts_one():
    found, there = exchange(reads_and_waits, limits=replace(PATIENT, answer_within=0.1))
    assert (found.ended, there.connections, len(there.requests)) == (Ended.TIMEOUT, 1, 1)


def test_a_redirect_is_an_answer_and_is_not_followed():
    answer = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    found, there = exchange(answer)
    assert (found.ended, found.status, dict(found.headers)["location"]) == (Ended.ANSWERED, 307, "/elsewhere")
    assert (there.connections, len(there.requests)) == (1, 1)


@pytest.mark.parametrize("status", [408, 425, 429, 503])
def test_an_answer_that_asks_for_another_try_gets_none(status):
    answer = b"HTTP/1.1 %d Not now\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n" % status
    found, there = exchange(answer)
    assert (found.status, len(there.requests)) == (status, 1)


def test_the_bytes_are_those_that_are_stored():
    found, there = exchange(ok(b"{}"))
    head, _, body = there.requests[0].partition(b"\r\n\r\n")
    assert body == BODY
    assert head.split(b"\r\n") == [
        b"POST /desks/East/tickets?a=%2f HTTP/1.1",
        b"Host: 127.0.0.1:%d" % there.port,
        b"idempotency-key: order-1",
        b"Content-Type: application/json",
        b"Connection: close",
        b"Content-Length: %d" % len(BODY),
        b"User-Agent: Unresolved",
        b"Authorization: Bearer credential-of-one",
    ]
    assert (found.ended, found.status, found.body) == (Ended.ANSWERED, 200, b"{}")


def test_the_target_is_below_the_path_of_the_address():
    reach = Reach(address="http://127.0.0.1:9/api/", networks=LOOPBACK)
    assert written(REQUEST, reach=reach).head.startswith(b"POST /api/desks/East/tickets?a=%2f HTTP/1.1\r\n")


def test_the_secret_is_in_the_bytes_alone():
    reach = Reach(address="http://127.0.0.1:9", networks=LOOPBACK, credential=SECRET)
    going = written(REQUEST, reach=reach)
    assert ("Authorization", HIDDEN) in going.added
    assert b"credential-of-one" in going.whole
    assert "credential-of-one" not in repr(going)


def test_facts_of_the_wire_come_in_their_order():
    steps: list[tuple[Step, Sent]] = []
    found, _ = exchange(ok(), note=lambda step, sent: steps.append((step, sent)))
    assert [step for step, _ in steps] == [Step.RESOLVED, Step.CONNECTED, Step.WRITTEN]
    assert steps[1][1].first_byte_written_at is None
    assert steps[2][1].last_byte_written_at is not None
    told = (found.resolved_at, found.connected_at, found.first_byte_written_at, found.last_byte_written_at)
    times = [at for at in (*told, found.first_byte_read_at, found.ended_at) if at is not None]
    assert len(times) == 6
    assert times == sorted(times)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 201 Created\r\nContent-Length: 40\r\n\r\n{}",
        b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
        b"HTTP/1.1 201 Created\r\nNo colon\r\n\r\n",
        b"HTTP/1.1 201 Created\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 201",
        b"SSH-2.0-desk\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
)
def test_what_is_no_whole_answer_is_none(answer):
    found, there = exchange(answer)
    assert (found.ended, found.status, found.body, len(there.requests)) == (Ended.TRUNCATED, None, None, 1)
    assert found.first_byte_read_at is not None
    assert found.detail.endswith(".")


def test_a_torn_answer_is_no_whole_one():
    async def half(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 40\r\n\r\n{")
        await writer.drain()
        await asyncio.sleep(0.05)
        tear(writer)

    found, there = exchange(half)
    assert (found.ended, len(there.requests)) == (Ended.TRUNCATED, 1)


def test_announcements_are_not_the_answer():
    found, _ = exchange(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok(b"yes"))
    assert (found.status, found.body) == (200, b"yes")


def test_a_long_answer_is_kept_as_far_as_allowed_and_marked():
    found, _ = exchange(ok(b"a" * 10_000))
    assert (found.ended, found.truncated, len(found.body or b"")) == (Ended.ANSWERED, True, 4096)


def test_an_echo_of_the_credential_is_masked():
    found, _ = exchange(ok(b"you are credential-of-one", b"X-Echo: Bearer credential-of-one"))
    assert b"credential-of-one" not in (found.body or b"")
    assert "credential-of-one" not in dict(found.headers)["x-echo"]


def test_an_answer_before_the_whole_request_is_written_is_an_answer():
    """The recipient refuses a large body at its head; what it says counts, and that not all was written is told."""
    big = replace(REQUEST, body=b"a" * MOST)

    def serve(reads: socket.socket) -> None:
        with reads.accept()[0] as wire:
            wire.recv(4096)
            wire.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")

    found = with_socket(serve, lambda there: sent_to(there, big))
    assert found.first_byte_written_at is not None
    assert found.last_byte_written_at is None
    assert found.ended in (Ended.ANSWERED, Ended.RESET)


def test_a_recipient_that_reads_nothing_ends_the_writing():
    big, over = replace(REQUEST, body=b"a" * MOST), threading.Event()

    def serve(reads: socket.socket) -> None:
        with reads.accept()[0]:
            over.wait(60)

    def going(there: Seen) -> Sent:
        found = sent_to(there, big, limits=replace(PATIENT, write_within=0.3))
        over.set()
        return found

    found = with_socket(serve, going)
    assert (found.ended, found.last_byte_written_at) == (Ended.TIMEOUT, None)
    assert found.first_byte_written_at is not None


def with_socket(serve: Callable[[socket.socket], None], going: Callable[[Seen], Sent]) -> Sent:
    """Send to a bare socket that `serve` answers on, on a thread of its own."""
    with socket.create_server(("127.0.0.1", 0)) as reads:
        thread = threading.Thread(target=serve, args=(reads,))
        thread.start()
        found = going(Seen(port=reads.getsockname()[1]))
        thread.join(60)
    return found


def over_tls(made: Any, *, client: ssl.SSLContext, address: str, resolve: Any) -> tuple[Sent, Seen]:
    async def going() -> tuple[Sent, Seen]:
        async with recipient(said(ok(b"yes")), tls=made.server) as there:
            reach = Reach(address=address.format(port=there.port), networks=LOOPBACK)
            return await asyncio.to_thread(sent_to, there, reach=reach, tls=client, resolve=resolve), there

    return asyncio.run(going())


def here(host: str, port: int) -> Sequence[str]:
    return ("127.0.0.1",)


def test_a_certificate_for_another_name_ends_before_anything_is_sent(tmp_path: Path):
    made = certificate(tmp_path, names=("other.example",))
    found, there = over_tls(made, client=made.client, address="https://desk.example:{port}", resolve=here)
    assert (found.ended, found.secured_at, there.requests) == (Ended.NOT_SENT, None, [])
    assert "certificate isn't accepted" in found.detail


def test_over_tls_the_answer_is_read_and_tls_is_dated(tmp_path: Path):
    made = certificate(tmp_path, names=("desk.example",))
    found, there = over_tls(made, client=made.client, address="https://desk.example:{port}", resolve=here)
    assert (found.ended, found.body, len(there.requests)) == (Ended.ANSWERED, b"yes", 1)
    assert found.connected_at is not None
    assert found.secured_at is not None
    assert found.connected_at <= found.secured_at


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_not_used(monkeypatch, name):
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    found, there = exchange(ok())
    assert (found.ended, there.connections) == (Ended.ANSWERED, 1)
