"""What the runtime breaks off leaves an outcome behind that is told as it is; and no tool answers in the SDK's own words."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, RunHooks, function_tool
from agents.tool_context import ToolContext

from tests.client.counted import Counted
from tests.client.scripted import agent_of, calls, outputs, runs, says, scripted
from unresolved import Attempt, Contract, Header, OneShot, Recorder, Request, Seen, Sends, Sent, guarded
from unresolved.adapters.openai_agents import ReadLog, Unguarded, guarded_tool, require_guarded, unguarded
from unresolved.adapters.openai_agents.tool import answers_of

SHOP = Contract(recipient="shop", carrier=Header("Idempotency-Key"), scope="test")


class Hurried(asyncio.SelectorEventLoop):
    """A loop whose clock a test can put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class Never:
    """A sender that writes, and whose answer never comes."""

    sends = Sends.ONE

    def __init__(self, server: Counted) -> None:
        self._real = OneShot(origin=server.url)
        self.sent = asyncio.Event()

    def send(self, request: Request) -> Seen:
        return self._real.send(request)

    async def send_async(self, request: Request) -> Seen:
        await self._real.send_async(request)
        self.sent.set()
        loop = asyncio.get_running_loop()
        if isinstance(loop, Hurried):
            loop.ahead += 600.0  # nobody has to wait until the runtime stops waiting
        return await asyncio.Future()


def tool_of(recorder: Recorder, sender: Any, **more: Any) -> Any:
    @guarded(
        recorder,
        "order",
        SHOP,
        intent=lambda given: given["order"],
        request=lambda given: Request.json("POST", "/orders", {"parcel": given["parcel"]}),
        sender=sender,
    )
    async def order(attempt: Attempt, *, order: str, parcel: str) -> Seen:
        """Order a parcel."""
        return await attempt.send_async()

    return guarded_tool(order, given={"order": lambda _: "one"}, **more)


def left(recorder: Recorder) -> list[tuple[Sent, list[str]]]:
    """What the journal knows of each attempt."""
    known = recorder.journal.operation("shop", identity="one")
    return [] if known is None else [(one.sent, [*one.marks]) for one in recorder.journal.attempts(known.key)]


ASKED = calls("call_1", tool="order", parcel="Cedar")


def test_an_asynchronous_tool_answers_as_any_other(recorder, server):
    model = scripted(ASKED, says())
    asyncio.run(runs(agent_of(model, tool_of(recorder, OneShot(origin=server.url))), "Order it."))
    [told] = outputs(model.calls[-1])["call_1"]
    assert (told["sent"], told["reply"]["status"], len(server.arrived)) == ("yes", 200, 1)


def test_a_tool_that_the_runtime_stops_waiting_for_is_told_as_unknown(recorder, server):
    async def stops() -> Any:
        model = scripted(ASKED, ASKED_AGAIN, says())
        await runs(agent_of(model, tool_of(recorder, Never(server), timeout=300.0)), "Order it.")
        return outputs(model.calls[-1])

    with asyncio.Runner(loop_factory=Hurried) as hurried:
        told = hurried.run(stops())
    assert [told[call][0]["next"] for call in ("call_1", "call_2")] == ["held", "held"]
    assert "timed out after" not in str(told)
    assert "try again" not in str(told).lower()
    assert (left(recorder), len(server.arrived)) == ([(Sent.UNKNOWN, ["unasked", "ended"])], 1)


ASKED_AGAIN = calls("call_2", tool="order", parcel="Cedar")


def unreadable(recorder: Recorder) -> None:
    """From here on the journal's file can't be read."""
    recorder.journal.close()
    path = Path(recorder.journal._path)
    for one in path.parent.iterdir():
        one.unlink()
    path.mkdir()


def test_a_journal_that_is_lost_after_the_send_makes_nothing_unsent(recorder, server):
    class Losing(OneShot):
        def send(self, request: Request) -> Seen:
            found = OneShot.send(self, request)
            unreadable(recorder)
            return found

    model = scripted(ASKED, says())
    asyncio.run(runs(agent_of(model, tool_of(recorder, Losing(origin=server.url))), "Order it."))
    [told] = outputs(model.calls[-1])["call_1"]
    assert (told["next"], told["sent"], len(server.arrived)) == ("held", "unknown", 1)


def test_of_a_tool_that_has_not_begun_when_the_runtime_stops_waiting_nobody_says_that_it_will_not(recorder):
    answers = answers_of(tool_of(recorder, OneShot(origin="http://127.0.0.1:9")))
    assert answers is not None
    context = ToolContext(context=None, tool_name="order", tool_call_id="call_1", tool_arguments='{"parcel": "Cedar"}')
    told = json.loads(asyncio.run(answers.timed_out(context, TimeoutError())))
    assert (told["next"], told["sent"]) == ("held", "unknown")
    told = json.loads(asyncio.run(answers.failed(context, TypeError())))
    assert (told["next"], told["sent"]) == ("refused", "no")


def test_a_run_that_is_cancelled_leaves_its_attempt_as_unknown(recorder, server):
    async def broken_off() -> None:
        sender = Never(server)
        running = asyncio.ensure_future(runs(agent_of(scripted(ASKED), tool_of(recorder, sender)), "Order it."))
        await sender.sent.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(broken_off())
    assert (left(recorder), len(server.arrived)) == ([(Sent.UNKNOWN, ["unasked", "ended"])], 1)


def test_a_run_that_starts_again_sends_nothing_under_the_same_name(recorder, server):
    tool = tool_of(recorder, OneShot(origin=server.url))
    for call in (ASKED, ASKED_AGAIN):
        model = scripted(call, says())
        asyncio.run(runs(agent_of(model, tool), "Order it."))
    assert outputs(model.calls[-1])["call_2"][0]["next"] == "held"
    assert len(server.arrived) == 1


# The lint.


@function_tool
def bare(parcel: str) -> str:
    """Order a parcel."""
    raise ConnectionResetError


def test_a_tool_that_would_tell_the_model_to_try_again_is_named(recorder, server):
    agent = agent_of(scripted(), tool_of(recorder, OneShot(origin=server.url)), bare)
    assert unguarded(agent) == ["bare is not guarded: a failure tells the model to try again."]
    assert unguarded(agent, reads={"bare"}) == []
    with pytest.raises(Unguarded, match="bare is not guarded"):
        require_guarded(agent)


def test_what_is_named_does_say_so(server):
    model = scripted(calls("call_1", tool="bare", parcel="Cedar"), says())
    asyncio.run(runs(agent_of(model, bare), "Order it."))
    assert "Please try again" in outputs(model.calls[-1])["call_1"][0]


def test_tools_of_the_agents_that_it_hands_over_to_are_named_once():
    second: Agent[Any] = Agent(name="Second", tools=[bare])
    first: Agent[Any] = Agent(name="First", handoffs=[second])
    second.handoffs = [first]
    assert len(unguarded(first)) == 1


@pytest.mark.parametrize(
    ("words", "says_"), [(None, "a failure ends the run, and its call is lost."), (lambda *_: "No.", "no envelopes.")]
)
def test_words_of_ones_own_are_no_guard(words, says_):
    @function_tool(failure_error_function=words)
    def other() -> str:
        """Do something."""
        return ""

    [found] = unguarded(agent_of(scripted(), other))
    assert found.endswith(says_)


def test_a_run_without_guarded_tools_is_logged_as_nothing(recorder):
    model = scripted(calls("call_1", tool="bare", parcel="Cedar"), says())
    log: RunHooks[Any] = ReadLog([bare])
    done = asyncio.run(runs(agent_of(model, bare), "Order it.", hooks=log, config=RunConfig(tracing_disabled=True)))
    assert done.final_output == "Done."
    assert recorder.journal.open_attempts() == []
