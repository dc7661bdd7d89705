"""Lives in a runtime: a run of the Agents SDK that stops for somebody and goes on, and a thread of LangGraph."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, Final

from agents import Agent as Sdk
from agents import RunConfig, Runner, RunState, function_tool
from django.core.management import call_command
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from operations import models
from operations.reading.owed import results_owed
from tests.agentfaults.agent import Agent
from tests.agentfaults.network import TICKETS, Breaking
from tests.agentfaults.world import Case, World, find
from tests.client import graphs, scripted
from tests.faults.process import Outcome, Process
from tests.faults.scenes import Intended
from unresolved.adapters.openai_agents import ReadLog, brought_up_to_date, guarded_tool, settle

CALL: Final = "call_1"
SINCE: Final = 60.0
Said = Mapping[str, Any]


@function_tool(needs_approval=True, failure_error_function=lambda _ctx, _error: "The printer did not answer.")
def print_label(parcel: str) -> str:
    """Print the parcel's label; somebody has to stand at the printer."""
    return f"A label for {parcel} is printed."


def _run(agent: Agent, *turns: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
    """The agent's recorder, the SDK's agent, its model, and how it is run."""
    recorder, model = agent.recorder(), scripted.scripted(*turns)
    tools = [guarded_tool(agent.tool(recorder), given={"order": lambda context: context["order"]})]
    config = RunConfig(group_id=agent.order, tracing_disabled=True, call_model_input_filter=brought_up_to_date(tools))
    how = {"run_config": config, "hooks": ReadLog(tools, run=agent.order)}
    return recorder, Sdk(name="Parcels", tools=[*tools, print_label], model=model), model, {"tools": tools, "how": how}


def begins(agent: Agent) -> Outcome:
    """A run that stops for whoever stands at the printer, and is stored then; what was stored is not begun anew."""
    stored = agent.folder / "run.json"
    if stored.exists():
        return Outcome(status=200, said="{}")
    both = [
        scripted.calls(CALL, **agent.chosen),
        scripted.calls("call_2", tool="print_label", parcel=agent.parcel),
    ]
    recorder, sdk, _, more = _run(agent, both)
    found = asyncio.run(Runner.run(sdk, "Issue it.", context={"order": agent.order}, **more["how"]))
    _store(stored, found.to_state().to_string())
    recorder.ship()
    return Outcome(status=200, said="{}")


def _store(file: Path, text: str) -> None:
    """All of it or nothing, as whoever stores a run has to."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)


def resumes(agent: Agent) -> Outcome:
    """The stored run goes on: the label is approved, and the model replies to what it is sent then."""
    recorder, sdk, model, more = _run(agent, scripted.says())

    async def run() -> None:
        given = {"order": agent.order}
        state = await RunState.from_string(sdk, (agent.folder / "run.json").read_text(), context_override=given)
        for item in await settle(state, more["tools"], context=given):
            state.approve(item)
        await Runner.run(sdk, state, **more["how"])

    asyncio.run(run())
    recorder.ship()
    request = model.calls[-1]
    _store(agent.folder / "request.json", json.dumps(scripted.request_of(request)))
    return Outcome(status=200, said=json.dumps({"outputs": scripted.outputs(request).get(CALL, [])}))


def learns(made: Intended) -> None:
    """The desk reads the recipient's record, where it has the operation and does not know yet."""
    row = find(made)
    if row is not None and row.evidence != "applied":
        made.asked(by="the desk")


def a_run_begins(world: World) -> Case:
    """A run calls the tool and stops; later the desk learns what happened, and the run goes on."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=SINCE)
    return Case(
        made=made,
        agent=agent,
        do=begins,
        again=begins,
        person=lambda: learns(made),
        last=lambda agent: resumes(replace(agent, ago=0.0)),
        wrong=partial(_read_once, agent, made),
    )


def a_run_goes_on(world: World) -> Case:
    """The reply was lost and the run stopped; the desk learnt that it happened; now the run goes on with that."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=SINCE)
    world.network.breaks(TICKETS, Breaking(way="reply lost"))
    ran = Process(partial(begins, agent), armed=lambda _: None).end()
    assert ran.outcome is not None
    assert ran.outcome.good, ran.outcome
    learns(made)
    later = replace(agent, ago=0.0)

    def wrong(said: list[Said]) -> Iterator[str]:
        yield from _read_once(later, made, said)
        yield from _handed_over(made)

    return Case(made=made, agent=later, do=resumes, again=resumes, wrong=wrong)


def _read_once(agent: Agent, made: Intended, said: list[Said]) -> Iterator[str]:
    """The next input holds exactly one output of the call, by what the model was sent and by the desk's own check."""
    yield from _inputs(made, said)
    files = [str(agent.folder / name) for name in ("run.json", "request.json")]
    told = StringIO()
    try:
        call_command("check_next_input", *files, stdout=told)
    except SystemExit as ended:
        yield f"check_next_input ends with {ended.code}: {told.getvalue().strip()}"


def _inputs(made: Intended, said: list[Said]) -> Iterator[str]:
    requests = [one["outputs"] for one in said if "outputs" in one]
    if not requests:
        yield "next input: the model was never asked"
    for outputs in requests:
        if len(outputs) != 1:
            yield f"next input: it holds {len(outputs)} outputs of the call"
    happened = made.operation is not None and made.row.evidence == "applied"
    if happened and requests and requests[-1] and requests[-1][-1]["next"] != "applied":
        yield f"next input: the last says {requests[-1][-1]['next']} of what the desk knows to have happened"


def _handed_over(made: Intended) -> Iterator[str]:
    """What the model replied to is on record as read, and is owed no more."""
    answered = models.Delivery.objects.filter(operation=made.operation, step="answered").count()
    if answered != 1:
        yield f"read: {answered} deliveries say that the model replied to it"
    if any(one.operation.id == made.operation for one in results_owed(among=None, limit=1000)):
        yield "read: it is owed still"


# LangGraph.


def threads(agent: Agent) -> Outcome:
    """A thread starts, or goes on from where its checkpoints say that it was."""
    tool = graphs.tool_of(agent.tool(agent.recorder()))
    model = graphs.Scripted(turns=[])
    thread = graphs.Thread(door=None, folder=agent.folder, model=model, tools=[tool], orders={CALL: agent.order})
    with SqliteSaver.from_conn_string(str(agent.folder / "threads.db")) as saver:
        graph = thread.built().compile(checkpointer=saver)
        state = graph.get_state(thread.config)
        asked = [one for one in state.values.get("messages", []) if getattr(one, "tool_calls", None)]
        model.turns = [*([] if asked else [graphs.calls(CALL, **agent.chosen)]), graphs.says()]
        if state.interrupts:
            given: Any = Command(resume={})
        else:
            given = None if state.next else {"messages": ["Issue it."], "orders": thread.orders}
        if state.values and not state.next:
            return Outcome(status=200, said="{}")  # it had ended
        found = graph.invoke(given, thread.config, durability="sync")
    read = [outputs for one in model.requests if (outputs := graphs.outputs(one).get(CALL)) is not None]
    told: dict[str, Any] = {"outputs": read[-1]} if read else {}
    return Outcome(status=200, said=json.dumps({**told, "stopped": len(graphs.stopped_for(found))}))


def a_thread(world: World) -> Case:
    """A node of LangGraph sends; what is not known stops the thread, which goes on once the desk has learnt it."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=SINCE)

    def wrong(said: list[Said]) -> Iterator[str]:
        if any("outputs" in one for one in said):
            yield from _inputs(made, [one for one in said if "outputs" in one])

    return Case(
        made=made,
        agent=agent,
        do=threads,
        again=threads,
        person=lambda: learns(made),
        last=lambda agent: threads(replace(agent, ago=0.0)),
        wrong=wrong,
    )
