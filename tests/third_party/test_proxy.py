"""The proxy loses what it is told to, and nothing else; what it can't have recorded it does not send."""

import json
from collections.abc import Iterator

import pytest

from tests.recipients.client import Ended, Facts, send
from tests.recipients.fixtures import CollectionDesk, desk_on
from tests.third_party.proxy import Loss, Proxy, proxy_before

PATH = "/desks/East/tickets"


@pytest.fixture
def desk() -> Iterator[CollectionDesk]:
    with desk_on({"mechanism": "none"}) as found:
        yield found


@pytest.fixture
def proxy(desk: CollectionDesk) -> Iterator[Proxy]:
    with proxy_before(int(desk.url.rpartition(":")[2])) as found:
        yield found


def ask(proxy: Proxy, key: str) -> Facts:
    headers = {
        "Authorization": "Bearer credential-of-one",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    return send("POST", proxy.url + PATH, headers=headers, body=b'{"parcel": "Cedar"}')


def test_what_can_not_be_recorded_is_not_sent(proxy, desk):
    def refuse(request):
        raise LookupError("the door is shut")

    proxy.before = refuse
    assert ask(proxy, "k-1").ended is Ended.CLOSED
    assert [str(error) for error in proxy.refused] == ["the door is shut"]
    assert desk.control.tickets("k-1") == []


def test_who_records_has_the_whole_request_before_the_recipient_has_a_byte(proxy, desk):
    seen = []
    proxy.before = lambda request: seen.append((request.body, len(desk.control.tickets("k-2"))))
    assert ask(proxy, "k-2").reply is not None
    assert seen == [(b'{"parcel": "Cedar"}', 0)]


def test_a_lost_request_and_a_lost_reply_look_the_same_and_differ_in_tickets(proxy, desk):
    proxy.tell("POST", PATH, loss=Loss.REQUEST)
    unseen = ask(proxy, "k-3")
    proxy.tell("POST", PATH, loss=Loss.REPLY)
    unheard = ask(proxy, "k-4")
    assert unseen == unheard
    assert (len(desk.control.tickets("k-3")), len(desk.control.tickets("k-4"))) == (0, 1)
    assert [(one.forwarded, one.given) for one in proxy.of("POST", PATH)] == [(False, 0), (True, 0)]


def test_of_a_reply_that_is_cut_the_head_and_half_of_the_body_arrive(proxy, desk):
    proxy.tell("POST", PATH, loss=Loss.HALF_REPLY)
    seen = ask(proxy, "k-5")
    whole = proxy.of("POST", PATH)[0].reply.raw
    assert seen.reply is None
    assert whole.startswith(seen.received)
    assert whole.index(b"\r\n\r\n") < len(seen.received) < len(whole)
    assert len(desk.control.tickets("k-5")) == 1


def test_an_instruction_is_for_so_many_requests_and_for_no_others(proxy, desk):
    proxy.tell("POST", "/elsewhere", loss=Loss.REQUEST)
    proxy.tell("POST", PATH, loss=Loss.REQUEST, times=2)
    assert [ask(proxy, f"k-{number}").reply is None for number in range(6, 9)] == [True, True, False]


def test_a_reply_that_is_held_back_arrives_whole(proxy, desk):
    proxy.tell("POST", PATH, delay=0.05)
    reply = ask(proxy, "k-9").reply
    assert reply is not None
    exchange = proxy.of("POST", PATH)[0]
    assert exchange.reply is not None
    assert json.loads(reply.body) == json.loads(exchange.reply.body)
    assert exchange.given == len(exchange.reply.raw)
