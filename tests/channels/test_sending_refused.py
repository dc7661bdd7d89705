"""What may not be sent is not: before the first byte there are many ways to say no, and each is told as not sent."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from operations.channels.base import Reach
from operations.channels.guard import Refused
from operations.channels.reading import Ended
from operations.channels.sending import Sent, Step, send
from operations.channels.wire import written
from tests.channels.recipients import LOOPBACK, ok, recipient, said
from tests.channels.recipients import Recipient as Seen
from tests.channels.sent import (
    PATIENT,
    REQUEST,
    exchange,
    never_late,
    now,
    sent_to,
)

NOT_ASKED_FOR = {
    "a line break in the target": replace(REQUEST, target="/x\r\nX: y"),
    "a target above the address": replace(REQUEST, target="/../x"),
    "another host": replace(REQUEST, target="//other.example/x"),
    "a line break in a value": replace(REQUEST, headers=(("X-A", "b\r\nX-C: d"),)),
    "its own Host": replace(REQUEST, headers=(("host", "other.example"),)),
    "its own framing": replace(REQUEST, headers=(("Transfer-Encoding", "chunked"),)),
    "a stored secret": replace(REQUEST, headers=(("Authorization", "Bearer invented"),)),
    "no method": replace(REQUEST, method="PO ST"),
    "too many headers": replace(REQUEST, headers=(("X-A", "b"),) * 101),
}


@pytest.mark.parametrize("request_", NOT_ASKED_FOR.values(), ids=NOT_ASKED_FOR.keys())
def test_what_says_more_than_one_request_is_not_written(request_):
    with pytest.raises(Refused, match=r"\.$"):
        written(request_, reach=Reach(address="http://127.0.0.1:9", networks=LOOPBACK))


def test_an_address_outside_of_the_allowed_networks_is_not_connected_to():
    with pytest.raises(Refused, match="allow-listed"):
        written(REQUEST, reach=Reach(address="http://127.0.0.1:9"))


def test_a_name_with_one_forbidden_address_is_not_connected_to():
    def resolve(host: str, port: int) -> Sequence[str]:
        return ("127.0.0.1", "10.0.0.7")

    reach = Reach(address="http://desk.example:9", networks=LOOPBACK)
    found = send(written(REQUEST, reach=reach), reach=reach, clock=now, too_late=never_late, resolve=resolve)
    assert (found.ended, found.connected_at) == (Ended.NOT_SENT, None)
    assert "10.0.0.7" in found.detail


def test_a_name_that_leads_nowhere_is_not_sent_to():
    def resolve(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror

    reach = Reach(address="http://desk.example:9", networks=LOOPBACK)
    found = send(written(REQUEST, reach=reach), reach=reach, clock=now, too_late=never_late, resolve=resolve)
    assert (found.ended, found.resolved_at) == (Ended.NOT_SENT, None)


def test_a_resolver_that_hangs_is_given_up():
    let_go = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        let_go.wait(60)
        return ()

    reach = Reach(address="http://desk.example:9", networks=LOOPBACK)
    limits = replace(PATIENT, connect_within=0.05)
    going = written(REQUEST, reach=reach)
    found = send(going, reach=reach, clock=now, too_late=never_late, resolve=resolve, limits=limits)
    let_go.set()
    assert (found.ended, found.detail) == (
        Ended.NOT_SENT,
        "The name of the recipient's address wasn't resolved in time.",
    )


def test_where_nobody_listens_nothing_was_sent():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        there = Seen(port=taken.getsockname()[1])
        found = sent_to(there)
    assert (found.ended, found.resolved_at is None, found.connected_at) == (Ended.NOT_SENT, False, None)


def test_what_is_too_late_is_not_sent_though_the_connection_stood():
    found, there = exchange(ok(), too_late=lambda: "The window is over.")
    assert (found.ended, found.detail, found.first_byte_written_at) == (Ended.NOT_SENT, "The window is over.", None)
    assert (there.connections, there.requests) == (1, [])


def test_what_can_not_be_noted_before_the_first_byte_is_not_sent():
    class Gone(Exception):
        pass

    def note(step: Step, sent: Sent) -> None:
        raise Gone

    seen: list[Seen] = []

    async def going() -> None:
        async with recipient(said(ok())) as there:
            seen.append(there)
            with pytest.raises(Gone):
                await asyncio.to_thread(sent_to, there, note=note)

    asyncio.run(going())
    assert seen[0].requests == []
