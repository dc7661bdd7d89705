"""Status events come signed, late, twice and out of order, and each tells what was so when it happened."""

import json
import queue
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.recipients.client import WAIT
from tests.recipients.collection_desk import clock
from tests.recipients.collection_desk.serving import Message, Port, plain
from tests.recipients.collection_desk.webhooks import signature
from tests.recipients.desk_control import ControlRefused
from tests.recipients.fixtures import CollectionDesk, desk_on

SECRET = "whsec_" + "aW52ZW50ZWQgZm9yIHRlc3RzIGFsb25l"
NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


@dataclass(slots=True)
class Listener:
    """Somebody who is told; answers `status`."""

    url: str = ""
    status: int = 204
    heard: queue.Queue[Message] = field(default_factory=queue.Queue)

    def next(self) -> Message:
        return self.heard.get(timeout=WAIT)


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()

    def respond(message: Message):
        listening.heard.put(message)
        return plain(listening.status)

    port = Port(0, respond=respond, now=lambda: NOON)
    listening.url = f"{port.url}/hooks"
    yield listening
    port.stop()


@pytest.fixture
def desk() -> Iterator[CollectionDesk]:
    with desk_on(clock=clock.stopped(NOON)) as opened:
        yield opened


def types(listener: Listener) -> list[str]:
    return [json.loads(listener.next().body)["type"] for _ in range(listener.heard.qsize())]


def test_the_signature_is_that_of_standard_webhooks():
    """The example that the specification's own libraries are tested with."""
    made = signature(
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        event="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_an_event_is_signed_and_tells_of_its_operation(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET)
    desk.public.ask_for_ticket("order-1")
    [event] = desk.control.events()
    [delivery] = desk.control.deliver(event["id"])
    message = listener.next()
    assert delivery["status"] == 204
    assert message.headers["webhook-id"] == event["id"]
    assert message.headers["webhook-timestamp"] == str(int(NOON))
    signed = signature(secret=SECRET, event=event["id"], timestamp=int(NOON), body=message.body)
    assert message.headers["webhook-signature"] == signed
    told = json.loads(message.body)
    assert (told["type"], told["data"]["key"], told["data"]["parcel"]) == ("operation.issued", "order-1", "Cedar")


def test_nothing_is_told_before_control_says(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET)
    desk.public.ask_for_ticket("order-1")
    assert [event["sent"] for event in desk.control.events()] == [0]
    assert listener.heard.empty()


def test_events_come_late_twice_and_out_of_order(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET)
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket("order-1")
    desk.control.advance(60)
    desk.control.finish("p1")
    pending, issued = [event["id"] for event in desk.control.events()]
    desk.control.advance(3600)
    desk.control.deliver(issued, pending, issued)
    assert types(listener) == ["operation.issued", "operation.pending", "operation.issued"]
    assert [event["sent"] for event in desk.control.events()] == [1, 2]


def test_a_late_event_tells_what_was_so_then(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET)
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket("order-1")
    desk.control.advance(60)
    desk.control.finish("p1")
    desk.control.deliver(desk.control.events()[0]["id"], stamped="then")
    message = listener.next()
    told = json.loads(message.body)
    assert (told["data"]["state"], told["timestamp"]) == ("pending", "2026-01-01T12:00:00.000Z")
    assert message.headers["webhook-timestamp"] == str(int(NOON))
    desk.control.deliver(desk.control.events()[0]["id"])
    assert listener.next().headers["webhook-timestamp"] == str(int(NOON) + 60)


def test_events_can_come_as_they_happen(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET, mode="prompt")
    desk.public.ask_for_ticket("order-1")
    desk.control.collect("T-1001")
    desk.public.close("order-2")
    told = [json.loads(listener.next().body)["type"] for _ in range(3)]
    assert told == ["operation.issued", "ticket.collected", "operation.closed"]


def test_without_keys_an_event_tells_of_its_request(listener: Listener):
    with desk_on({"mechanism": "none"}) as desk:
        desk.control.aim(listener.url, secret=SECRET, mode="prompt")
        desk.public.ask_for_ticket("order-1")
        data = json.loads(listener.next().body)["data"]
        assert (data["key"], data["ticket"]["number"]) == (None, "T-1001")


def test_without_keys_too_a_late_event_tells_what_was_so_then(listener: Listener):
    with desk_on({"mechanism": "none"}) as desk:
        desk.control.aim(listener.url, secret=SECRET)
        desk.control.tell(handling="accept")
        desk.public.ask_for_ticket("order-1")
        desk.control.finish("p1")
        desk.control.deliver(desk.control.events()[0]["id"])
        assert json.loads(listener.next().body)["data"]["state"] == "pending"


def test_a_listener_that_refuses_is_not_asked_again(desk: CollectionDesk, listener: Listener):
    listener.status = 500
    desk.control.aim(listener.url, secret=SECRET)
    desk.public.ask_for_ticket("order-1")
    [delivery] = desk.control.deliver(desk.control.events()[0]["id"])
    assert delivery["status"] == 500
    assert listener.heard.qsize() == 1


def test_a_listener_that_has_gone_harms_nothing(desk: CollectionDesk, listener: Listener):
    port = Port(0, respond=lambda _: plain(204), now=lambda: NOON)
    port.stop()
    desk.control.aim(f"{port.url}/hooks", secret=SECRET)
    desk.public.ask_for_ticket("order-1")
    [delivery] = desk.control.deliver(desk.control.events()[0]["id"])
    assert delivery["status"] is None


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://127.0.0.1/hooks", SECRET),
        ("http://desk.example/hooks", SECRET),
        ("http://127.0.0.1/hooks", "whsec_not base64"),
    ],
)
def test_events_go_to_this_machine_alone_and_signed(desk: CollectionDesk, url, secret):
    with pytest.raises(ControlRefused):
        desk.control.aim(url, secret=secret)


def test_events_that_are_not_are_not_sent(desk: CollectionDesk, listener: Listener):
    desk.control.aim(listener.url, secret=SECRET)
    with pytest.raises(ControlRefused, match="no such event"):
        desk.control.deliver("msg_desk_1")
