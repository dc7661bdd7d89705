"""What a recipient can do to whoever asks it: nothing but be told from an answer."""

import asyncio
import gzip
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operations.channels.base import Ask, Failed
from operations.channels.http import open_client
from operations.channels.received import MOST_HEADER_BYTES
from tests.channels.recipients import PATIENT, answer_to, asked_with, ok, recipient, run

NEVER = 3600.0
POST = Ask(method="POST", target="/search", body=b"{}")


async def silent(request: bytes, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(NEVER)


async def silent_in_the_headers(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Le")
    await writer.drain()
    await asyncio.sleep(NEVER)


async def silent_in_the_body(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(NEVER)


async def dripping_headers(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    await dripping(writer)


async def dripping_body(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await dripping(writer)


async def dripping_informational(request: bytes, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def dripping(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("behave", [silent, silent_in_the_headers, silent_in_the_body])
def test_silence_ends_at_the_idle_limit(behave) -> None:
    answer, _ = answer_to(behave, limits=replace(PATIENT, idle_within=0.2))
    assert (answer.failed, answer.status, answer.body) == (Failed.TIMEOUT, None, None)
    assert answer.detail == "The recipient was silent for 0.2 s."


@pytest.mark.parametrize("behave", [dripping_headers, dripping_body, dripping_informational, silent])
def test_a_byte_now_and_then_ends_at_the_limit_of_the_whole(behave) -> None:
    answer, _ = answer_to(behave, limits=replace(PATIENT, answer_within=0.4))
    assert (answer.failed, answer.status, answer.body) == (Failed.TIMEOUT, None, None)
    assert answer.detail == "The answer wasn't whole within 0.4 s."


def test_a_server_that_accepts_and_shakes_no_hands_ends_at_the_connect_limit() -> None:
    async def going():
        async with recipient(silent) as there, open_client(limits=PATIENT) as client:
            return await asked_with(
                client, f"https://127.0.0.1:{there.port}", limits=replace(PATIENT, connect_within=0.3)
            )

    answer = run(going())
    assert (answer.failed, answer.detail) == (Failed.NOT_CONNECTED, "No connection came about within 0.3 s.")


def test_the_clients_limits_hold_where_an_ask_allows_more() -> None:
    async def going():
        async with recipient(silent) as there, open_client(limits=replace(PATIENT, idle_within=0.2)) as client:
            return await asked_with(client, there.address, limits=PATIENT)

    assert run(going()).detail == "The recipient was silent for 0.2 s."


async def endless_header_lines(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-A: b\r\n" * 100)
        await writer.drain()


async def endless_header_value(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX-A: ")
    while True:
        writer.write(b"a" * 1000)
        await writer.drain()


async def endless_status_line(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 ")
    while True:
        writer.write(b"O" * 1000)
        await writer.drain()


async def endless_body(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"b" * 1000)
        await writer.drain()


async def endless_chunks(request: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1\r\nb\r\n" * 100)
        await writer.drain()


@pytest.mark.parametrize("behave", [endless_header_lines, endless_header_value, endless_status_line])
def test_endless_headers_are_no_answer(behave) -> None:
    answer, _ = answer_to(behave)
    assert (answer.failed, answer.headers) == (Failed.MALFORMED, ())


@pytest.mark.parametrize(("lines", "failed"), [(99, None), (101, Failed.MALFORMED)])
def test_header_lines_are_counted(lines: int, failed: Failed | None) -> None:
    answer, _ = answer_to(b"HTTP/1.1 204 No Content\r\n" + b"X-A: b\r\n" * lines + b"\r\n")
    assert answer.failed == failed


def test_headers_each_allowed_but_too_much_together_are_no_answer() -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 7000) for number in range(MOST_HEADER_BYTES // 7000 + 1))
    answer, _ = answer_to(b"HTTP/1.1 204 No Content\r\n" + lines + b"\r\n")
    assert answer.detail == f"The answer's headers are longer than {MOST_HEADER_BYTES} bytes."


@pytest.mark.parametrize("behave", [endless_body, endless_chunks, ok(b"b" * 4097)])
def test_a_body_that_is_too_long_is_cut_and_says_so(behave) -> None:
    answer, _ = answer_to(behave)
    assert (answer.status, answer.body, answer.truncated) == (200, b"b" * 4096, True)


def test_a_body_as_long_as_allowed_is_whole() -> None:
    answer, _ = answer_to(ok(b"b" * 4096))
    assert (answer.body, answer.truncated) == (b"b" * 4096, False)


@pytest.mark.parametrize(("coding", "pack"), [(b"gzip", gzip.compress), (b"deflate", zlib.compress)])
def test_a_compression_bomb_is_cut_at_the_size_it_unpacks_to(coding: bytes, pack) -> None:
    bomb = pack(b"\0" * 50_000_000)
    answer, _ = answer_to(ok(bomb, b"Content-Encoding: " + coding), limits=replace(PATIENT, most_bytes=100_000))
    assert (answer.body, answer.truncated) == (b"\0" * 100_000, True)


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"not gzip at all", b"gzip"),
        (gzip.compress(b"{}", mtime=0)[:-4], b"gzip"),
        (gzip.compress(b"{}", mtime=0) + b"more", b"gzip"),
        (b"{}", b"br"),
        (gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0), b"gzip, gzip"),
    ],
)
def test_a_body_that_is_not_encoded_as_it_says_is_no_answer(body: bytes, coding: bytes) -> None:
    answer, _ = answer_to(ok(body, b"Content-Encoding: " + coding))
    assert (answer.failed, answer.body) == (Failed.MALFORMED, None)


def test_a_compressed_body_is_read_though_it_was_not_asked_for() -> None:
    answer, there = answer_to(ok(gzip.compress(b'{"a": 1}'), b"Content-Encoding: gzip"))
    assert answer.body == b'{"a": 1}'
    assert b"Accept-Encoding: identity\r\n" in there.requests[0]


async def endless_empty_blocks(request: bytes, writer: asyncio.StreamWriter) -> None:
    """Compressed data that never comes to anything: flushes without a byte between them."""
    packing = zlib.compressobj(wbits=31)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    while True:
        writer.write(packing.flush(zlib.Z_FULL_FLUSH) or packing.compress(b"") + b"\0\0\0\xff\xff")
        await writer.drain()


def test_compressed_data_that_never_unpacks_to_anything_is_cut() -> None:
    answer, _ = answer_to(endless_empty_blocks)
    assert (answer.status, answer.body, answer.truncated) == (200, b"", True)


GARBAGE = {
    "no status line": b"\x16\x03\x01garbage\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "HTTP/0.9": b"<html>hello</html>",
    "HTTP/3 in text": b"HTTP/3.0 200 OK\r\n\r\n",
    "a status of four digits": b"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
    "a status in words": b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "a length in words": b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
    "a length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a space before the colon": b"HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n",
    "NUL in a header": b"HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n",
    "a control character in a header": b"HTTP/1.1 200 OK\r\nX-A: a\x1bb\r\nContent-Length: 0\r\n\r\n",
    "chunks without a size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a chunk that is longer than it says": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "a chunk size beyond any": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}",
    "another protocol by upgrade": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
def test_what_is_not_an_http_answer_is_no_answer(garbage: bytes) -> None:
    answer, _ = answer_to(garbage)
    assert (answer.failed, answer.status, answer.body) == (Failed.MALFORMED, None, None)
    assert answer.detail


@settings(max_examples=60)
@given(st.binary(max_size=80), st.sampled_from([b"", b"HTTP/1.1 ", b"HTTP/1.1 200 OK\r\n", *GARBAGE.values()]))
def test_whatever_bytes_come_something_is_told(tail: bytes, start: bytes) -> None:
    answer, _ = answer_to(start + tail)
    assert (answer.status is None) == (answer.failed is not None) == bool(answer.detail)


CUT = {
    "nothing": b"",
    "within the status line": b"HTTP/1.1 20",
    "within the headers": b"HTTP/1.1 200 OK\r\nContent-",
    "within the body": b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"receipts": []}',
}


@pytest.mark.parametrize("answered", CUT.values(), ids=CUT.keys())
def test_an_answer_that_is_cut_off_is_no_answer(answered: bytes) -> None:
    answer, _ = answer_to(answered)
    assert (answer.failed, answer.status, answer.body) == (Failed.RESET, None, None)


def test_chunks_that_are_cut_off_are_no_answer() -> None:
    answer, _ = answer_to(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
    assert answer.failed in (Failed.RESET, Failed.MALFORMED)
    assert answer.body is None


def test_a_connection_that_is_reset_is_no_answer() -> None:
    async def resetting(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    answer, _ = answer_to(resetting, question=POST)
    assert answer.failed == Failed.RESET
