"""An agent has a collection ticket issued, waits for a person, and goes on with what is known by then.

    python openai_agents_collection.py begin  STATE   runs until somebody has to say something, and stores the run there
    python openai_agents_collection.py resume STATE   goes on from there, once more people may have said something

The environment names the desk (DESK_URL, DESK_KEY), the recipient (TICKETS_URL, TICKETS_TOKEN) and the journal (JOURNAL).
Without AGENT_MODEL a script speaks in the model's place, so that nothing else is needed; with it, that model does.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import Agent, FunctionTool, Model, RunConfig, Runner, RunState, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from unresolved import Attempt, Contract, Desk, Header, Journal, OneShot, Recorder, Request, Seen, guarded
from unresolved.adapters.openai_agents import ReadLog, brought_up_to_date, guarded_tool, require_guarded, settle

INSTRUCTIONS = """
A result of issue_ticket is one JSON object. Act on its `next` and on nothing else in it.
`applied`: it happened; go on. `closed`, `not_sent`, `refused`, `no_journal`: it did not happen; say so.
`held`, `left_unresolved`: nobody knows; say so, and do not call the tool again for the same thing, not with other arguments either.
"""
GIVEN = {"order": "order-1001"}  # from what was asked for; the model neither sees nor chooses it


@dataclass(frozen=True)
class Parcels:
    """The agent with what its run needs."""

    agent: Agent[Any]
    tools: list[FunctionTool]
    recorder: Recorder

    @property
    def config(self) -> RunConfig:
        return RunConfig(
            group_id=GIVEN["order"], tracing_disabled=True, call_model_input_filter=brought_up_to_date(self.tools)
        )

    @property
    def log(self) -> ReadLog:
        return ReadLog(self.tools, run=GIVEN["order"])


@function_tool(needs_approval=True, failure_error_function=lambda _ctx, _error: "The printer did not answer.")
def print_label(parcel: str) -> str:
    """Print the parcel's label; somebody has to stand at the printer."""
    return f"A label for {parcel} is printed."


def issuing(recorder: Recorder) -> FunctionTool:
    """The tool with an effect."""

    @guarded(
        recorder,
        "issue_ticket",
        Contract(recipient=os.environ.get("RECIPIENT", "desk"), carrier=Header("Idempotency-Key"), scope="desk/main"),
        intent=lambda given: given["order"],
        request=lambda given: Request.json("POST", f"/desks/{given['place']}/tickets", {"parcel": given["parcel"]}),
        sender=OneShot(
            origin=os.environ["TICKETS_URL"],
            credentials=lambda: {"Authorization": f"Bearer {os.environ['TICKETS_TOKEN']}"},
            patience=float(os.environ.get("PATIENCE", "10")),
        ),
    )
    def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
        """Have one collection ticket issued at a desk."""
        return attempt.send()

    return guarded_tool(
        issue_ticket, given={"order": lambda context: context["order"]}, about=lambda given: given["order"]
    )


def parcels(model: Model | str, *, clock: Callable[[], float] = time.time) -> Parcels:
    """The agent; refused where a tool of it would tell the model to try again."""
    desk = Desk(url=os.environ["DESK_URL"], key=os.environ["DESK_KEY"])
    recorder = Recorder(journal=Journal(os.environ.get("JOURNAL", "ops.db")), desk=desk, clock=clock)
    tools = [issuing(recorder)]
    agent = Agent[Any](name="Parcels", instructions=INSTRUCTIONS, tools=[*tools, print_label], model=model)
    require_guarded(agent, reads={"print_label"})
    return Parcels(agent, tools, recorder)


async def begin(here: Parcels, stored: Path, *, conversation_id: str | None = None) -> Any:
    """Run until somebody has to say something, and store the run."""
    found = await Runner.run(
        here.agent,
        "Order 1001: have a ticket for parcel Cedar issued at desk East, and print its label.",
        context=GIVEN,
        run_config=here.config,
        hooks=here.log,
        conversation_id=conversation_id,
    )
    stored.write_text(found.to_state().to_string())
    return found


async def resume(here: Parcels, stored: Path) -> Any:
    """Go on from what was stored; what waits for the desk's word goes on waiting, what waits for the printer is approved."""
    state = await RunState.from_string(here.agent, stored.read_text(), context_override=GIVEN)
    for item in await settle(state, here.tools, context=GIVEN):
        if item.name == "print_label":
            state.approve(item)
    found = await Runner.run(here.agent, state, run_config=here.config, hooks=here.log)
    stored.write_text(found.to_state().to_string())
    return found


BOTH = [
    function_call("issue_ticket", {"parcel": "Cedar", "place": "East"}, call_id="call_Tk31"),
    function_call("print_label", {"parcel": "Cedar"}, call_id="call_Lb32"),
]
SCRIPTS: dict[str, list[Any]] = {"begin": [BOTH], "resume": [[assistant_message("The ticket is issued.")]]}


def main(arguments: list[str]) -> int:
    """Do one of the two, and say what the model was sent last and what waits."""
    verb, stored = arguments
    model = os.environ.get("AGENT_MODEL") or ScriptedModel(SCRIPTS[verb])
    here = parcels(model)
    found = asyncio.run({"begin": begin, "resume": resume}[verb](here, Path(stored)))
    here.recorder.ship()
    here.recorder.journal.close()
    outputs = [item for item in found.to_input_list() if item.get("type") == "function_call_output"]
    waiting = [item.call_id for item in found.interruptions]
    sys.stdout.write(json.dumps({"outputs": outputs, "waiting": waiting, "says": found.final_output}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
