"""One request leaves once, and the client knows exactly how far it came."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.recipients.client import WAIT, Ended, Facts, send

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def listening(meet: Callable[[socket.socket], None]) -> Iterator[str]:
    """A port whose first visitor is met once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def met() -> None:
            connection, _ = listener.accept()
            with connection:
                meet(connection)

        visitor = threading.Thread(target=met)
        visitor.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/where?it=goes"
        visitor.join(WAIT)
        assert not visitor.is_alive()


def read_all(connection: socket.socket) -> bytes:
    """The request up to its body's end."""
    received = b""
    while not received.endswith(b"}"):
        received += connection.recv(65_536)
    return received


def asked(meet: Callable[[socket.socket], None], *, within: float = WAIT) -> Facts:
    with listening(meet) as url:
        return send("POST", url, headers={"X-Sent": "once"}, body=b"{}", within=within)


def answering(answer: bytes) -> Callable[[socket.socket], None]:
    def meet(connection: socket.socket) -> None:
        read_all(connection)
        connection.sendall(answer)

    return meet


def resetting(connection: socket.socket) -> None:
    read_all(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def test_nothing_was_sent_where_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    facts = send("POST", f"http://127.0.0.1:{port}/", body=b"{}")
    assert facts == Facts()
    assert facts.not_sent


def test_a_request_that_ends_unanswered_was_sent():
    facts = asked(answering(b""))
    assert facts == Facts(connected=True, first_byte_written=True, last_byte_written=True, ended=Ended.CLOSED)
    assert not facts.not_sent


def test_a_reset_is_not_an_orderly_end():
    assert asked(resetting).ended is Ended.RESET


def test_silence_ends_with_the_wait():
    over = threading.Event()

    def silent(connection: socket.socket) -> None:
        read_all(connection)
        over.wait(WAIT)

    with listening(silent) as url:
        facts = send("POST", url, body=b"{}", within=0.05)
        over.set()
    assert (facts.ended, facts.last_byte_written, facts.first_byte_read) == (Ended.TIMED_OUT, True, False)


@pytest.mark.parametrize("length", [1, 20, len(WHOLE) - 1])
def test_part_of_an_answer_is_no_reply(length):
    facts = asked(answering(WHOLE[:length]))
    assert facts.first_byte_read
    assert facts.received == WHOLE[:length]
    assert (facts.ended, facts.reply) == (Ended.CLOSED, None)


def test_an_answer_is_read_whole():
    facts = asked(answering(WHOLE))
    assert facts.reply is not None
    assert (facts.ended, facts.reply.status, facts.reply.body) == (Ended.ANSWERED, 200, b"ok")
    assert facts.reply.headers == {"content-length": "2"}


def test_what_leaves_is_what_was_given():
    seen: list[bytes] = []

    def meet(connection: socket.socket) -> None:
        seen.append(read_all(connection))
        connection.sendall(WHOLE)

    body = json.dumps({"a": 1}).encode()
    with listening(meet) as url:
        send("POST", url, headers={"X-Sent": "once"}, body=body)
    head, _, sent = seen[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /where?it=goes HTTP/1.1"
    assert {"X-Sent: once", "Connection: close", f"Content-Length: {len(body)}"} <= set(lines)
    assert sent == body
