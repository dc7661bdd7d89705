"""For asyncio the same holds, and whoever is cancelled leaves an outcome behind that is told as it is."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from unresolved import (
    Attempt,
    Call,
    Contract,
    Desk,
    Envelope,
    Header,
    Journal,
    Next,
    NotBegun,
    OneShot,
    Recorder,
    Request,
    Seen,
    Sent,
    backlog,
    called,
    guarded,
)

NOWHERE = "http://127.0.0.1:9"  # nobody listens there
SHOP = Contract(recipient="shop", carrier=Header("Idempotency-Key"), scope="test")


def tool(
    recorder: Recorder, url: str, *, after: Callable[[], Awaitable[None]] | None = None
) -> Callable[..., Coroutine[Any, Any, Envelope]]:
    """A guarded tool that sends, and then goes on to something else where it is given it."""

    @guarded(
        recorder,
        "order",
        SHOP,
        intent=lambda given: given["order"],
        request=lambda given: Request.json("POST", "/orders", {"parcel": given["parcel"]}),
        sender=OneShot(origin=url),
    )
    async def order(attempt: Attempt, *, order: str, parcel: str = "Cedar") -> Seen:
        """Order a parcel."""
        seen = await attempt.send_async()
        if after is not None:
            await after()
        return seen

    return order


def left(recorder: Recorder) -> list[tuple[Sent, list[str]]]:
    """What the journal knows of each attempt."""
    known = recorder.journal.operation("shop", identity="one")
    return [] if known is None else [(one.sent, [*one.marks]) for one in recorder.journal.attempts(known.key)]


def test_an_answer_comes_back_as_an_envelope(server, recorder):
    found = asyncio.run(tool(recorder, server.url)(order="one"))
    assert isinstance(found, Envelope)
    assert (found.sent, found.reply is not None, len(server.arrived)) == (Sent.YES, True, 1)


def test_of_many_at_once_one_sends(server, recorder):
    order = tool(recorder, server.url)

    async def all_at_once() -> list[Envelope]:
        return await asyncio.gather(*[order(order="one") for _ in range(6)])

    found = asyncio.run(all_at_once())
    assert len(server.arrived) == 1
    assert {one.next for one in found} == {Next.HELD}
    assert [one.reply is not None for one in found].count(True) == 1


def test_a_call_that_is_cancelled_after_it_sent_is_recorded_as_sent(server, recorder):
    async def cancelled() -> None:
        asked = asyncio.Event()

        async def after() -> None:
            asked.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(tool(recorder, server.url, after=after)(order="one"))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert left(recorder) == [(Sent.YES, ["unasked", "ended"])]


def test_a_call_that_is_cancelled_while_it_sends_is_unknown(server, recorder):
    class Slow(OneShot):
        async def send_async(self, request: Request) -> Seen:  # noqa: ARG002  # it never gets so far
            await asyncio.Event().wait()
            raise AssertionError

    async def cancelled() -> None:
        async with asyncio.timeout(None) as limit:
            async with recorder.attempt_async(call(Slow(origin=server.url))) as under:
                limit.reschedule(asyncio.get_running_loop().time())
                await under.attempt.send_async()

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert left(recorder) == [(Sent.UNKNOWN, ["unasked", "ended"])]
    assert [one.kind for one in events(recorder)] == ["register", "fact", "seal"]


def test_a_call_that_is_cancelled_before_it_may_send_is_recorded_as_never_sent(server, tmp_path):
    async def cancelled() -> Recorder:
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell(event: asyncio.Event) -> None:
            loop.call_soon_threadsafe(event.set)

        recorder = Recorder(
            journal=Journal(tmp_path / "ops.db"),
            desk=Desk(url=NOWHERE, key="unr_none"),
            passing=lambda step: tell(begun) if step == "journalled" else None,
        )
        task = asyncio.ensure_future(tool(recorder, server.url)(order="one"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not any("ended" in marks for _, marks in left(recorder)):
            await asyncio.sleep(0.01)
        return recorder

    recorder = asyncio.run(cancelled())
    assert left(recorder) == [(Sent.NO, ["unasked", "ended"])]
    assert server.arrived == []


def call(sender: OneShot):
    return Call(tool="order", contract=SHOP, identity="one", request=Request.json("POST", "/orders", {}), sender=sender)


def events(recorder: Recorder):
    return backlog.pending(recorder.journal)


def test_where_a_call_comes_from_is_told_and_names_nothing(server, recorder):
    order = tool(recorder, server.url)
    with called(call="call_1", run="run_1", agent="parcels"):
        asyncio.run(order(order="one"))
    with called(call="call_2", run="run_2", agent="parcels"):
        assert asyncio.run(order(order="one")).next is Next.HELD
    [first, *_] = events(recorder)
    assert '"call": "call_1", "run": "run_1", "agent": "parcels", "tool": "order"' in first.item
    assert len(server.arrived) == 1


def test_a_held_call_raises_nothing_and_the_block_of_an_attempt_does_not_run(server, recorder):
    asyncio.run(tool(recorder, server.url)(order="one"))

    async def again() -> None:
        async with recorder.attempt_async(call(OneShot(origin=server.url))):
            raise AssertionError("the block runs")

    with pytest.raises(NotBegun) as held:
        asyncio.run(again())
    assert held.value.envelope.next is Next.REFUSED  # other arguments than the first
