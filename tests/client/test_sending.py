"""The client's own sender sends once, and says truthfully what left."""

import json
import socket
import threading

import pytest

from unresolved import (
    BodyField,
    Contract,
    Ended,
    Header,
    NotCarried,
    OneShot,
    Reply,
    Request,
    Sends,
    Sent,
    reply_of,
    sending,
)

ORDER = Request.json("POST", "/orders?fast=1", {"parcel": "Cédar"})


def talking(said: bytes) -> str:
    """The address of a server that takes one request, says this and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listening.accept()
        with listening, connection:
            connection.recv(65_536)
            connection.sendall(said)

    threading.Thread(target=answer).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_it_sends_the_bytes_that_were_bound_with_credentials_that_were_not(server):
    seen = OneShot(origin=server.url, credentials=lambda: {"Authorization": "Bearer hush"}).send(ORDER)
    [arrived] = server.arrived
    assert (arrived.method, arrived.path, arrived.body) == ("POST", "/orders?fast=1", ORDER.body)
    assert json.loads(arrived.body) == {"parcel": "Cédar"}
    assert arrived.headers["authorization"] == "Bearer hush"
    assert seen.sent is Sent.YES
    assert seen.reply is not None
    assert seen.reply.status == 200


@pytest.mark.parametrize("status", [301, 307, 500, 503])
def test_no_answer_makes_it_send_again(server, status):
    server.status = status
    seen = OneShot(origin=server.url).send(ORDER)
    assert seen.reply is not None
    assert (len(server.arrived), seen.reply.status) == (1, status)
    assert OneShot(origin=server.url).sends is Sends.ONE


def test_a_connection_that_ends_without_an_answer_is_not_opened_again(server):
    server.status = None
    seen = OneShot(origin=server.url).send(ORDER)
    assert (len(server.arrived), seen.sent, seen.ended) == (1, Sent.YES, Ended.CLOSED)


def test_without_a_connection_nothing_left():
    seen = OneShot(origin="http://127.0.0.1:9").send(ORDER)
    assert (seen.sent, seen.ended) == (Sent.NO, Ended.NOT_SENT)


def test_a_request_that_can_not_be_written_did_not_leave(server):
    seen = OneShot(origin=server.url).send(Request(method="POST", target="/a b"))
    assert (seen.sent, seen.ended, server.arrived) == (Sent.NO, Ended.NOT_SENT, [])


def test_an_answer_that_does_not_come_is_waited_for_once():
    listening = socket.create_server(("127.0.0.1", 0))
    with listening:
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        seen = OneShot(origin=origin, patience=0.05).send(ORDER)
    assert (seen.sent, seen.ended) == (Sent.YES, Ended.TIMEOUT)


def test_half_an_answer_is_told_as_half():
    seen = OneShot(origin=talking(b"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nhalf")).send(ORDER)
    assert seen.reply == Reply(status=201, headers=(("Content-Length", "9"),), body=b"half", truncated=True)


def test_what_is_no_http_is_no_answer():
    seen = OneShot(origin=talking(b"SSH-2.0-none\r\n")).send(ORDER)
    assert (seen.sent, seen.reply, seen.ended) == (Sent.YES, None, Ended.CLOSED)


CARRIED = [
    (Header("Idempotency-Key"), Request(method="POST", target="/"), (("Idempotency-Key", "one"),), None),
    (Header("X-Id"), Request(method="POST", target="/", headers=(("x-id", "one"),)), (("x-id", "one"),), None),
    (BodyField("id"), Request(method="POST", target="/", body=b'{"a":1}'), (), b'{"a":1,"id":"one"}'),
    (BodyField("id"), Request(method="POST", target="/", body=b'{"id": "one"}'), (), b'{"id": "one"}'),
]


@pytest.mark.parametrize(("carrier", "request_", "headers", "body"), CARRIED)
def test_the_name_stands_where_it_protects(carrier, request_, headers, body):
    found = carrier.carry(request_, identity="one")
    assert (found.headers, found.body) == (headers, body)
    assert carrier.carry(found, identity="one") == found


NOT_CARRIED = [
    (Header("Idempotency-Key"), Request(method="POST", target="/", headers=(("idempotency-key", "two"),))),
    (BodyField("id"), Request(method="POST", target="/", body=b'{"id": "two"}')),
    (BodyField("id"), Request(method="POST", target="/", body=b"[1]")),
    (BodyField("id"), Request(method="POST", target="/", body=b"id=one")),
    (BodyField("id"), Request(method="POST", target="/")),
]


@pytest.mark.parametrize(("carrier", "request_"), NOT_CARRIED)
def test_another_name_in_its_place_or_no_place_is_refused(carrier, request_):
    with pytest.raises(NotCarried):
        carrier.carry(request_, identity="one")


@pytest.mark.parametrize("what", [None, 7, "text", {"status_code": 200}, Contract])
def test_what_is_no_answer_is_not_taken_for_one(what):
    assert reply_of(what) is None


def test_an_answer_that_is_longer_than_can_be_held_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(sending, "MOST_BYTES", 4)
    seen = OneShot(origin=talking(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789")).send(ORDER)
    assert seen.reply is not None
    assert (seen.reply.body, seen.reply.truncated) == (b"1234", True)


@pytest.mark.parametrize(
    ("said", "body"),
    [(b"Content-Length: 999999999999\r\n\r\n12", b"12"), (b"Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\nzz", b"12"),
     (b"Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\n5\r\n345", b"12")],
)  # fmt: skip
def test_what_arrived_of_an_answer_is_kept_however_long_it_says_to_be(said, body):
    seen = OneShot(origin=talking(b"HTTP/1.1 200 OK\r\n" + said)).send(ORDER)
    assert seen.reply is not None
    assert (seen.reply.body, seen.reply.truncated) == (body, True)


def test_the_identity_is_written_into_the_bytes_and_nothing_else_of_them_changes():
    asked = Request(method="POST", target="/", body=b'{"amount": 12345678901234567.89, "x": 1.10 }\n')
    assert (
        BodyField("id").carry(asked, identity="é").body
        == '{"amount": 12345678901234567.89, "x": 1.10,"id":"é"}'.encode()
    )
    assert BodyField("id").carry(Request(method="POST", target="/", body=b" {} "), identity="a").body == b' {"id":"a"}'


@pytest.mark.parametrize(
    "body", [b'{"id":"a","id":"a"}', b'{"id":"b","id":"a"}', '{"x":1}'.encode("utf-16"), b"[" * 99_999]
)
def test_a_body_that_two_readers_may_read_differently_carries_no_identity(body):
    with pytest.raises(NotCarried):
        BodyField("id").carry(Request(method="POST", target="/", body=body), identity="a")
