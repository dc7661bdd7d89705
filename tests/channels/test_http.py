"""What goes out and what comes back."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from operations.channels.base import Ask, Credential, Failed
from operations.channels.http import open_client
from tests.channels.recipients import NOW, PATIENT, answer_to, asked_with, clock_of, ok, recipient, resolving, run, said

GET = Ask(method="GET", target="/receipts/1")


async def reads_and_closes(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.close()


REFUSED = {
    "PUT": Ask(method="PUT", target="/x"),
    "DELETE": Ask(method="DELETE", target="/x"),
    "get": Ask(method="get", target="/x"),
    "a method with a line break": Ask(method="GET / HTTP/1.1\r\nX: y\r\n", target="/x"),
    "GET with a body": Ask(method="GET", target="/x", body=b"{}"),
    "a line break in the target": Ask(method="GET", target="/x\r\nX: y"),
    "a target above the address": Ask(method="GET", target="/../x"),
    "another host": Ask(method="GET", target="//other.example/"),
    "a line break in a value": replace(GET, headers=(("X-A", "b\r\nX-C: d"),)),
    "a line feed in a value": replace(GET, headers=(("X-A", "b\nX-C: d"),)),
    "NUL in a value": replace(GET, headers=(("X-A", "b\0"),)),
    "outside of ASCII": replace(GET, headers=(("X-A", "é"),)),
    "a line break in a name": replace(GET, headers=(("X-A: b\r\nX-C", "d"),)),
    "a space in a name": replace(GET, headers=(("X A", "b"),)),
    "no name": replace(GET, headers=(("", "b"),)),
    "a long value": replace(GET, headers=(("X-A", "b" * 8001),)),
    "many headers": replace(GET, headers=(("X-A", "b"),) * 33),
    "Host": replace(GET, headers=(("host", "other.example"),)),
    "Content-Length": replace(GET, headers=(("Content-Length", "5"),)),
    "Transfer-Encoding": replace(GET, headers=(("Transfer-Encoding", "chunked"),)),
    "Connection": replace(GET, headers=(("Connection", "Upgrade"),)),
    "Expect": replace(GET, headers=(("Expect", "100-continue"),)),
    "another method behind a header": replace(GET, headers=(("X-HTTP-Method-Override", "DELETE"),)),
    "another path behind a header": replace(GET, headers=(("X-Original-URL", "/admin"),)),
    "a secret that isn't a reference": replace(GET, headers=(("Authorization", "Bearer invented"),)),
    "a cookie": replace(GET, headers=(("Cookie", "a=b"),)),
    "a large body": Ask(method="POST", target="/x", body=b"a" * (1024 * 1024 + 1)),
}


@pytest.mark.parametrize("question", REFUSED.values(), ids=REFUSED.keys())
def test_what_does_not_only_read_or_says_more_than_one_question_never_leaves(question: Ask) -> None:
    answer, there = answer_to(ok(), question=question)
    assert (answer.failed, there.connections) == (Failed.REFUSED_HERE, 0)
    assert answer.detail.endswith(".")


@pytest.mark.parametrize(
    "credential",
    [
        Credential(header="Authorization", value="Bearer invented\r\nX-A: b"),
        Credential(header="Authorization: x\r\nX-A", value="Bearer invented"),
        Credential(header="Host", value="other.example"),
        Credential(header="Accept", value="said twice"),
    ],
)
def test_a_credential_that_is_not_one_header_never_leaves(credential: Credential) -> None:
    question = replace(GET, headers=(("accept", "application/json"),))
    answer, there = answer_to(ok(), question=question, credential=credential)
    assert (answer.failed, there.connections) == (Failed.REFUSED_HERE, 0)


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    answer, there = answer_to(
        b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n"
    )
    assert (answer.status, len(there.requests)) == (302, 1)
    assert ("location", "http://169.254.169.254/latest/meta-data/") in answer.headers


def test_a_redirect_to_the_recipient_itself_is_not_followed() -> None:
    answer, there = answer_to(said(b"HTTP/1.1 307 Found\r\nLocation: /receipts/2\r\nContent-Length: 0\r\n\r\n"))
    assert (answer.status, len(there.requests)) == (307, 1)


def test_a_cookie_is_neither_kept_nor_sent_back() -> None:
    async def going():
        answer = said(ok(b"{}", b"Set-Cookie: session=invented; Path=/"))
        resolve, _ = resolving(["127.0.0.1"])
        async with recipient(answer) as there, open_client(limits=PATIENT, resolve=resolve) as client:
            # By name: no cookie jar keeps a cookie for an IP address.
            answers = [await asked_with(client, f"http://desk.example:{there.port}") for _ in range(2)]
            return answers, there.requests

    answers, requests = run(going())
    assert len(requests) == 2
    assert not any(b"cookie" in request.lower() for request in requests)
    assert not any(name == "set-cookie" for answer in answers for name, _ in answer.headers)


def test_a_post_is_never_sent_again() -> None:
    answer, there = answer_to(reads_and_closes, question=Ask(method="POST", target="/search", body=b"{}"))
    assert (answer.failed, len(there.requests)) == (Failed.RESET, 1)


def test_a_get_whose_connection_closes_is_sent_once_more_and_no_more() -> None:
    answer, there = answer_to(reads_and_closes)
    assert (answer.failed, len(there.requests)) == (Failed.RESET, 2)


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_an_error_is_an_answer_and_is_not_asked_again(status: int) -> None:
    answer, there = answer_to(said(b"HTTP/1.1 %d No\r\nContent-Length: 2\r\n\r\n{}" % status))
    assert (answer.status, answer.body, answer.failed, len(there.requests)) == (status, b"{}", None, 1)


def test_the_question_goes_out_as_it_was_put() -> None:
    question = Ask(
        method="POST",
        target="/search/a%20b;c?q=%7Bx%7D&r=a+b&s=\"<|>^`{}'",
        headers=(("Content-Type", "application/json"), ("Accept", "application/json")),
        body=b'{"order": 7}',
    )
    _, there = answer_to(ok(), question=question, credential=Credential(header="X-Api-Key", value="invented-key"))
    head, _, body = there.requests[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /search/a%20b;c?q=%7Bx%7D&r=a+b&s=\"<|>^`{}' HTTP/1.1"
    assert sorted(lines[1:]) == [
        b"Accept-Encoding: identity",
        b"Accept: application/json",
        b"Content-Length: 12",
        b"Content-Type: application/json",
        b"Host: 127.0.0.1:%d" % there.port,
        b"User-Agent: Unresolved",
        b"X-Api-Key: invented-key",
    ]
    assert body == b'{"order": 7}'


@pytest.mark.parametrize("question", [GET, Ask(method="POST", target="/receipts/1", body=b"")])
def test_nothing_is_said_that_was_not_asked_for(question: Ask) -> None:
    _, there = answer_to(ok(), question=question)
    names = {line.partition(b":")[0] for line in there.requests[0].strip().split(b"\r\n")[1:]}
    assert names - {b"Content-Length"} == {b"Host", b"User-Agent", b"Accept", b"Accept-Encoding"}


def test_the_targets_are_below_the_addresses_path() -> None:
    async def going():
        async with recipient(said(ok())) as there, open_client(limits=PATIENT) as client:
            await asked_with(client, there.address + "/v1/desk/")
            return there.requests

    assert run(going())[0].startswith(b"GET /v1/desk/receipts/1 HTTP/1.1\r\n")


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_that_has_no_body_is_whole(status: int) -> None:
    answer, _ = answer_to(b'HTTP/1.1 %d X\r\nETag: "a"\r\nContent-Length: 10\r\n\r\n' % status)
    assert (answer.status, answer.body, answer.failed, answer.truncated) == (status, b"", None, False)
    assert ("etag", '"a"') in answer.headers


@pytest.mark.parametrize("coding", [b"identity", b"gzip", b"br"])
def test_the_answer_to_head_has_no_body_whatever_its_headers_say(coding: bytes) -> None:
    answer, there = answer_to(
        said(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Encoding: %s\r\n\r\n" % coding),
        question=Ask(method="HEAD", target="/x"),
    )
    assert (answer.status, answer.body, answer.truncated) == (200, b"", False)
    assert there.requests[0].startswith(b"HEAD /x HTTP/1.1\r\n")


def test_what_a_recipient_says_on_the_way_is_not_its_answer() -> None:
    answer, _ = answer_to(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok(b"done"))
    assert (answer.status, answer.body) == (200, b"done")


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    answer, _ = answer_to(b"HTTP/1.0 200 OK\r\n\r\n{}")
    assert (answer.status, answer.body) == (200, b"{}")


def test_chunks_are_put_together() -> None:
    answer, _ = answer_to(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
    assert answer.body == b"{}"


def test_a_header_outside_of_ascii_is_kept_byte_for_byte_as_text() -> None:
    answer, _ = answer_to(ok(b"{}", b"X-Name: J\xc3\xbcrgen \xff"))
    value = dict(answer.headers)["x-name"]
    assert value.encode("latin-1") == b"J\xc3\xbcrgen \xff"
    assert value.encode("utf-8")  # no lone surrogate, which a database refuses


def test_question_and_answer_are_dated_apart() -> None:
    later = NOW + timedelta(seconds=3)
    answer, _ = answer_to(ok(), clock=clock_of(NOW, later))
    assert (answer.asked_at, answer.received_at) == (NOW, later)


def test_hundreds_are_asked_at_once() -> None:
    async def going():
        async with recipient(said(ok())) as there, open_client(limits=PATIENT) as client:
            return await asyncio.gather(*(asked_with(client, there.address) for _ in range(300)))

    assert {answer.status for answer in run(going())} == {200}


def test_who_stops_waiting_is_not_told_a_failure() -> None:
    async def going():
        async def never(request: bytes, writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(3600)

        async with recipient(never) as there, open_client(limits=PATIENT) as client:
            asking = asyncio.create_task(asked_with(client, there.address))
            while not there.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking

    run(going())
