"""What would run an effect again by itself is refused, and a node and a task are held as a tool is."""

import asyncio
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import CachePolicy, Command, RetryPolicy
from typing_extensions import TypedDict

from tests.client.graphs import EAST, calls, outputs, says, stopped_for
from tests.client.settled import settled
from tests.client.threads import async_tool, door, passages, thread
from unresolved.adapters.langgraph import (
    UNRESOLVED,
    NamedByTheRun,
    Unguarded,
    guarded_node,
    guarded_task,
    guarded_tool,
    in_envelopes,
    require_guarded,
    unguarded,
)

pytestmark = pytest.mark.django_db
__all__ = ["door"]
THREAD: Any = {"configurable": {"thread_id": "chat-7"}}


class Order(TypedDict, total=False):
    order: str
    told: dict[str, Any]


def node_of(parcels, function=None):
    """A node that has one ticket issued."""
    given = {"order": lambda state: state["order"], "parcel": lambda _: "Cedar", "place": lambda _: "East"}
    return guarded_node(function or parcels.tool(), arguments=given, writes=lambda told: {"told": told})


def graph_of(node, *, saver=True, defaults=None, **more):
    """A graph with this one node, compiled."""
    graph = StateGraph(Order)
    graph.add_node("issue", node, **more)
    graph.add_edge(START, "issue")
    if defaults is not None:
        graph.set_node_defaults(retry_policy=defaults)
    return graph.compile(checkpointer=InMemorySaver() if saver else None)


# Refused where the graph is compiled.


@pytest.mark.parametrize(
    ("more", "says"),
    [({"retry_policy": RetryPolicy()}, "has a RetryPolicy"), ({"retry_policy": [RetryPolicy()]}, "has a RetryPolicy"),
     ({"defaults": RetryPolicy()}, "has a RetryPolicy"), ({"cache_policy": CachePolicy()}, "has a CachePolicy"),
     ({"saver": False}, "has no checkpointer")],
)  # fmt: skip
def test_what_would_run_an_effect_again_unasked_is_refused(parcels, more, says):
    with pytest.raises(Unguarded, match=says):
        require_guarded(graph_of(node_of(parcels), **more))


def test_a_retry_around_a_graph_with_an_effect_is_refused(parcels):
    outer = graph_of(graph_of(node_of(parcels), saver=False), retry_policy=RetryPolicy())
    with pytest.raises(Unguarded, match="The node issue has an effect, and has a RetryPolicy"):
        require_guarded(outer)


def test_an_effect_in_a_graph_within_one_without_a_checkpointer_is_refused(parcels):
    inner = graph_of(node_of(parcels), saver=False)
    require_guarded(graph_of(inner))
    with pytest.raises(Unguarded, match="has no checkpointer"):
        require_guarded(graph_of(inner, saver=False))


@tool
def lend(parcel: str) -> str:
    """Lend a parcel out."""
    raise ConnectionResetError(f"nobody knows whether {parcel} is lent")


def test_a_tool_that_is_not_guarded_is_named_unless_it_only_reads(parcels):
    graph = graph_of(ToolNode([lend], handle_tool_errors=in_envelopes([lend])))
    assert unguarded(graph) == ["lend in the node issue is not guarded: nothing of it is recorded before it is sent."]
    assert unguarded(graph, reads=["lend"]) == []


def test_failures_in_the_runtimes_own_words_are_refused(parcels):
    with pytest.raises(Unguarded, match="in_envelopes"):
        require_guarded(graph_of(ToolNode([guarded_tool(parcels.tool())])))


def test_a_node_that_is_left_to_the_journal_is_let_through(parcels):
    require_guarded(graph_of(node_of(parcels)))


def test_a_function_that_is_not_guarded_is_no_tool_node_or_task():
    for wraps in (guarded_tool, guarded_task, lambda one: guarded_node(one, arguments={}, writes=dict)):
        with pytest.raises(TypeError, match="is not guarded"):
            wraps(print)


def test_a_failure_of_another_tool_is_told_as_unknown_and_asks_for_nothing(parcels):
    given = {"name": "lend", "args": {"parcel": "Oak"}, "id": "call_2"}
    found = thread(parcels, calls("call_1").model_copy(update={"tool_calls": [{**given, "type": "tool_call"}]}), says())
    found.tools.append(lend)
    found.reads = ("lend",)
    found.starts()
    [told] = outputs(found.model.requests[-1])["call_2"]
    assert (told["next"], told["sent"], told["evidence"]) == ("held", "unknown", "unknown")
    assert told["reason"] == "the tool ended with ConnectionResetError, and is not guarded"


# Named by the caller.


@pytest.mark.parametrize(
    "named",
    [lambda runtime: runtime.tool_call_id, lambda runtime: f"order {runtime.execution_info.task_id}",
     lambda runtime: runtime.execution_info.checkpoint_id],
    ids=["call", "task", "checkpoint"],
)  # fmt: skip
def test_an_intent_that_is_named_by_the_run_is_refused_and_not_sent(parcels, desk, named):
    found = thread(parcels, calls("call_1"), says())
    found.tools = [guarded_tool(parcels.tool(), given={"order": named})]
    with pytest.raises(NamedByTheRun):
        found.starts()
    assert desk.control.truth()["passages"] == []


# A node and a task.


def run(parcels, graph, *given, awaited=False):
    """Run a graph once for each input; returns what it came to the last time, and what it stopped for before."""

    def goes(one):
        return graph.ainvoke(one, THREAD) if awaited else asyncio.to_thread(graph.invoke, one, THREAD)

    found = parcels.door.beside(goes(given[0]))
    stopped = stopped_for(found)
    for one in stopped:
        settled(one["operation"])
    for one in given[1:]:
        found = parcels.door.beside(goes(one))
    return found, stopped


def test_a_node_stops_and_goes_on_with_one_ticket(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    found, stopped = run(parcels, graph_of(node_of(parcels)), {"order": "order-1001"}, Command(resume={}))
    assert [one["kind"] for one in stopped] == [UNRESOLVED]
    assert (found["told"]["next"], passages(desk)) == ("applied", 1)


def test_a_task_stops_and_goes_on_with_one_ticket(parcels, desk):
    issue = guarded_task(parcels.tool())
    desk.control.tell(key="order-1001", reply="lost")

    @entrypoint(checkpointer=InMemorySaver())
    def workflow(order: str) -> dict[str, Any]:
        told: dict[str, Any] = issue(order=order, **EAST).result()
        return told

    found, stopped = run(parcels, workflow, "order-1001", Command(resume={}))
    assert [one["kind"] for one in stopped] == [UNRESOLVED]
    assert (found["next"], passages(desk)) == ("applied", 1)


def test_a_node_and_a_task_that_are_awaited_stop_and_go_on_alike(parcels, desk):
    function = async_tool(parcels)
    issue = guarded_task(function)
    for order in ("order-1001", "order-1002"):
        desk.control.tell(key=order, reply="lost")

    @entrypoint(checkpointer=InMemorySaver())
    async def workflow(order: str) -> dict[str, Any]:
        told: dict[str, Any] = await issue(order=order, parcel="Elm", place="East")
        return told

    resume: Any = Command(resume={})
    found, _ = run(parcels, graph_of(node_of(parcels, function)), {"order": "order-1001"}, resume, awaited=True)
    told, _ = run(parcels, workflow, "order-1002", resume, awaited=True)
    assert (found["told"]["next"], told["next"]) == ("applied", "applied")
    assert [passages(desk, order) for order in ("order-1001", "order-1002")] == [1, 1]


def test_a_retried_node_sends_nothing_again_where_nobody_checked_the_graph(parcels, desk):
    node, failed = node_of(parcels), list[Any]()

    def fails_once(state, runtime):
        told = node(state, runtime)
        if not failed:
            failed.append(told)
            raise ConnectionResetError("behind the effect")
        return told

    fails_once.__annotations__ = node.__annotations__
    graph = graph_of(fails_once, retry_policy=RetryPolicy(initial_interval=0, max_interval=0, jitter=False))
    found, stopped = run(parcels, graph, {"order": "order-1001"})
    assert (stopped, found["told"]["next"], passages(desk)) == ([], "applied", 1)
