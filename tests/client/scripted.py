"""An agent of the Agents SDK as it is, with a guarded tool, whose model says what a test has it say; nothing calls home."""

import json
from typing import Any

from agents import Agent, RunConfig, Runner, RunState, set_tracing_disabled
from agents.testing import ModelCall, ScriptedModel, assistant_message, function_call

set_tracing_disabled(True)


def calls(call_id: str, *, tool: str = "issue_ticket", **arguments: Any) -> Any:
    """The model calls a tool."""
    return function_call(tool, arguments, call_id=call_id)


def says(text: str = "Done.") -> Any:
    """The model ends with a sentence."""
    return assistant_message(text)


def scripted(*turns: Any) -> ScriptedModel:
    """A model of which each turn is one item, or a list of them, or an error."""
    return ScriptedModel([turn if isinstance(turn, (list, Exception)) else [turn] for turn in turns])


def agent_of(model: ScriptedModel, *tools: Any) -> Agent[Any]:
    """An agent with these tools."""
    return Agent(name="Parcels", instructions="Act on `next`.", tools=[*tools], model=model)


async def runs(agent: Agent[Any], given: str | RunState[Any], **more: Any) -> Any:
    """Run the agent to its end, or to where it stops for a person."""
    config = more.pop("config", None) or RunConfig(tracing_disabled=True)
    if not more.pop("streamed", False):
        return await Runner.run(agent, given, run_config=config, **more)
    streamed = Runner.run_streamed(agent, given, run_config=config, **more)
    async for _ in streamed.stream_events():
        pass
    return streamed


def outputs(call: ModelCall) -> dict[str, list[Any]]:
    """The outputs that a request to the model carried, by the call that each is for; an envelope is read."""
    found: dict[str, list[Any]] = {}
    for item in call.input if isinstance(call.input, list) else []:
        if item.get("type") == "function_call_output":
            found.setdefault(item["call_id"], []).append(read(item["output"]))
    return found


def read(text: str) -> Any:
    """An envelope as it reads, any other text as it is."""
    return json.loads(text) if text.startswith("{") else text


def request_of(call: ModelCall) -> dict[str, Any]:
    """A request as it is taken down."""
    taken: dict[str, Any] = {"input": call.input}
    managed = {"conversation": call.conversation_id, "previous_response_id": call.previous_response_id}
    return taken | {name: value for name, value in managed.items() if value is not None}
