"""A run of the Agents SDK that stops for an approval beside a call that had its output at once; then it goes on.

python -P mixed_response.py FOLDER MODE THROUGH: run by the interpreter of whichever version is meant. It leaves `state.json`,
as it was before the run went on, and `request.json`, the request that followed. It needs the SDK and nothing of ours.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from agents import Agent, ModelResponse, RunConfig, Runner, RunState, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

MODES: dict[str, dict[str, Any]] = {
    "none": {},
    "conversation_id": {"conversation_id": "conv_7f3a"},
    "auto_previous_response_id": {"auto_previous_response_id": True},
}


class Scripted(Model):
    """Calls a tool that nobody registered and one that waits for a person, and then says that it is done."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    async def get_response(self, *_: Any, **more: Any) -> ModelResponse:
        """Answer as scripted, and keep what was asked."""
        managed = {
            "conversation": more.get("conversation_id"),
            "previous_response_id": more.get("previous_response_id"),
        }
        self.requests.append({"input": more["input"], **{name: one for name, one in managed.items() if one}})
        text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
        said = ResponseOutputMessage(id="m1", type="message", role="assistant", status="completed", content=[text])
        output: list[Any] = (
            [said] if len(self.requests) > 1 else [_call("send_letter", "call_1"), _call("issue", "call_2")]
        )
        return ModelResponse(output=output, usage=Usage(), response_id=f"resp_{len(self.requests)}")

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError  # the SDK asks for it of every model; these runs are not streamed


def _call(name: str, call_id: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(type="function_call", name=name, arguments="{}", call_id=call_id)


@function_tool(needs_approval=True)
def issue() -> str:
    """Issue one ticket."""
    return "T-1001"


async def main(folder: str, mode: str, through: str) -> None:
    """Run it to its end, going on from the state itself (`live`) or from its JSON (`json`)."""
    set_tracing_disabled(True)
    model = Scripted()
    agent: Agent[Any] = Agent(name="Parcels", tools=[issue], model=model)
    config = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    stopped = await Runner.run(agent, "Go.", run_config=config, **MODES[mode])
    state: RunState[Any, Any] = stopped.to_state()
    for waiting in stopped.interruptions:
        state.approve(waiting)
    text = json.dumps(state.to_json())
    Path(folder, "state.json").write_text(text)
    goes_on = await RunState.from_json(agent, json.loads(text)) if through == "json" else state
    await Runner.run(agent, goes_on, run_config=config, **MODES[mode])
    Path(folder, "request.json").write_text(json.dumps(model.requests[-1], default=lambda one: one.model_dump()))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
