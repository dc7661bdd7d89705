"""A credential is sent and is nowhere else: not in a value, a log, an exception or an answer."""

import asyncio
import base64
import dataclasses
import gzip
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from operations.channels.base import Answered, Ask, Credential, Reach
from operations.channels.http import open_client
from operations.channels.received import body_kept, secrets_of
from tests.channels.recipients import LOOPBACK, PATIENT, answer_to, asked_with, ok, recipient, run, said

SECRET = "invented-0123456789abcdef"  # noqa: S105 - as the name says
BEARER = Credential(header="Authorization", value=f"Bearer {SECRET}")
PAIR = base64.b64encode(f"desk-user:{SECRET}".encode()).decode()
BASIC = Credential(header="Authorization", value=f"Basic {PAIR}")


def everything_in(answer: Answered) -> str:
    return repr(answer) + str(answer) + repr(dataclasses.asdict(answer))


async def echoes(request: bytes, writer: asyncio.StreamWriter) -> None:
    """A recipient that hands back whatever it was given, wherever it can."""
    value = next(line for line in request.split(b"\r\n") if line.lower().startswith(b"authorization"))
    secret = value.partition(b": ")[2]
    headers = (value, b"X-Echo: " + secret, b"Set-Cookie: token=" + secret, b"WWW-Authenticate: " + secret)
    await said(ok(b'{"you sent": "' + secret + b'", "in short": "' + secret.split(b" ")[1] + b'"}', *headers))(
        request, writer
    )


@pytest.mark.parametrize("credential", [BEARER, BASIC], ids=["bearer", "basic"])
def test_an_echo_of_the_credential_is_not_kept(credential: Credential) -> None:
    answer, there = answer_to(echoes, credential=credential)
    assert credential.value.encode() in there.requests[0]
    for secret in secrets_of(credential):
        assert secret.decode() not in everything_in(answer)
        assert secret not in (answer.body or b"")
    assert answer.status == 200
    assert not {"authorization", "set-cookie"} & {name for name, _ in answer.headers}


def test_a_basic_password_is_not_kept_though_it_was_sent_encoded() -> None:
    answer, _ = answer_to(ok(f"password {SECRET} of desk-user".encode()), credential=BASIC)
    assert answer.body == b"password " + b"*" * len(SECRET) + b" of desk-user"


def test_a_key_that_is_a_user_name_without_a_password_is_not_kept() -> None:
    credential = Credential(header="Authorization", value="Basic " + base64.b64encode(f"{SECRET}:".encode()).decode())
    answer, _ = answer_to(ok(f"key {SECRET}".encode()), credential=credential)
    assert SECRET.encode() not in (answer.body or b"")


def test_a_compressed_echo_is_not_kept() -> None:
    answer, _ = answer_to(ok(gzip.compress(SECRET.encode()), b"Content-Encoding: gzip"), credential=BEARER)
    assert answer.body == b"*" * len(SECRET)


@pytest.mark.parametrize("before", range(100 - len(SECRET) - 1, 101))
def test_half_a_secret_is_not_kept_where_the_body_is_cut(before: int) -> None:
    async def byte_by_byte() -> AsyncIterator[bytes]:
        for byte in b"." * before + SECRET.encode() + b"." * 100:
            yield bytes((byte,))

    body, truncated = run(body_kept(byte_by_byte(), coding="", most_bytes=100, credential=BEARER))
    assert (body, truncated) == ((b"." * before + b"*" * len(SECRET) + b".")[:100], True)


def test_the_header_that_carries_the_credential_is_dropped_from_answers() -> None:
    answer, _ = answer_to(ok(b"{}", b"X-Api-Key: another"), credential=Credential(header="x-api-key", value=SECRET))
    assert not any(name == "x-api-key" for name, _ in answer.headers)


FAILING = {
    "garbage with the secret": f"{SECRET}\r\n\r\n".encode(),
    "a bad header with the secret": f"HTTP/1.1 200 OK\r\nX: {SECRET}\0\r\n\r\n".encode(),
    "a bad chunk with the secret": f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{SECRET}\r\n".encode(),
    "cut off after the secret": f"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{SECRET}".encode(),
    "closed": b"",
    "an invalid cookie with the secret": ok(b"{}", f"Set-Cookie: a[]={SECRET}; Max-Age=x".encode()),
}


@pytest.mark.parametrize("answered", FAILING.values(), ids=FAILING.keys())
def test_no_failure_and_no_log_tells_the_secret(answered: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def going():
        asyncio.get_running_loop().set_debug(True)  # asyncio then says the most it ever says
        async with recipient(said(answered, then_close=True)) as there, open_client(limits=PATIENT) as client:
            return await asked_with(client, there.address, credential=BEARER), repr(client)

    answer, shown = run(going())
    assert SECRET not in everything_in(answer)
    assert SECRET not in shown
    for record in caplog.records:
        assert SECRET not in record.getMessage() + repr(record.__dict__)


@pytest.mark.parametrize("limits", [replace(PATIENT, idle_within=0.2), replace(PATIENT, answer_within=0.2)])
def test_no_limit_that_strikes_tells_the_secret(limits, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def silent(request: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600)

    answer, _ = answer_to(silent, credential=BEARER, limits=limits)
    assert SECRET not in everything_in(answer) + caplog.text


def test_a_refusal_does_not_tell_the_secret() -> None:
    refused = [
        answer_to(ok(), credential=Credential(header="Authorization", value=f"Bearer {SECRET}\r\n"))[0],
        answer_to(ok(), credential=Credential(header="Host", value=SECRET))[0],
        answer_to(ok(), question=Ask(method="GET", target="/x", headers=(("X-A", f"{SECRET}\n"),)))[0],
    ]
    assert not any(SECRET in everything_in(answer) for answer in refused)


def test_who_is_cancelled_does_not_tell_the_secret() -> None:
    async def going():
        async def silent(request: bytes, writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(3600)

        async with recipient(silent) as there, open_client(limits=PATIENT) as client:
            asking = asyncio.create_task(asked_with(client, there.address, credential=BEARER))
            while not there.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            try:
                await asking
            except asyncio.CancelledError as cancelled:
                return repr(cancelled) + repr(cancelled.__cause__) + repr(cancelled.__context__)

    assert SECRET not in str(run(going()))


def test_a_credential_is_not_shown_by_what_holds_it() -> None:
    reach = Reach(address="https://desk.example", networks=LOOPBACK, credential=BEARER)
    assert SECRET not in f"{BEARER!r} {BEARER} {reach!r} {reach} {[reach]}"
