"""A connection that is used again: nothing but the answer to a question is read as the answer to it."""

import asyncio

from operations.channels.http import open_client
from tests.channels.recipients import PATIENT, asked_with, ok, recipient, run, said


def test_the_rest_of_a_cut_body_is_not_the_answer_to_the_next_question() -> None:
    async def going():
        answers = [b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n" + b"b" * 5000, ok(b"second")]

        async def behave(request: bytes, writer: asyncio.StreamWriter) -> None:
            await said(answers.pop(0))(request, writer)

        async with recipient(behave) as there, open_client(limits=PATIENT) as client:
            return [(await asked_with(client, there.address)).body for _ in range(2)], there.connections

    assert run(going()) == ([b"b" * 4096, b"second"], 2)


def test_what_follows_an_answer_is_not_the_answer_to_the_next_question() -> None:
    """A recipient that sends more than was asked for can't have it read as an answer about something else."""

    async def going():
        answers = [ok(b"first") + ok(b"smuggled"), ok(b"second")]

        async def behave(request: bytes, writer: asyncio.StreamWriter) -> None:
            await said(answers.pop(0))(request, writer)

        async with recipient(behave) as there, open_client(limits=PATIENT) as client:
            return [(await asked_with(client, there.address)).body for _ in range(2)]

    assert run(going()) == [b"first", b"second"]


def test_what_comes_on_an_idle_connection_is_not_the_answer_to_the_next_question() -> None:
    """Servers say 408 on a connection that they give up, unasked."""

    async def going():
        writers = []

        async def behave(request: bytes, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            await said(ok(b"answer %d" % len(writers)))(request, writer)

        async with recipient(behave) as there, open_client(limits=PATIENT) as client:
            first = await asked_with(client, there.address)
            writers[0].write(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
            await writers[0].drain()
            await asyncio.sleep(0.1)
            second = await asked_with(client, there.address)
            return first.body, second.status, second.body, there.connections

    assert run(going()) == (b"answer 1", 200, b"answer 2", 2)


def test_a_connection_is_used_for_the_next_question() -> None:
    async def going():
        async with recipient(said(ok())) as there, open_client(limits=PATIENT) as client:
            answers = [await asked_with(client, there.address) for _ in range(5)]
            return [answer.status for answer in answers], there.connections

    assert run(going()) == ([200] * 5, 1)
