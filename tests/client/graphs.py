"""A graph of LangGraph as it is: a model that says what a test has it say, guarded tools, and a checkpoint file."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from unresolved.adapters.langgraph import (
    ReadLog,
    brought_up_to_date,
    guarded_tool,
    in_envelopes,
    one_task_each,
    require_guarded,
)

if TYPE_CHECKING:
    from tests.client.ferry import Ferried  # a process that only runs a thread has no desk of its own

EAST = {"parcel": "Cedar", "place": "East"}


class Asked(MessagesState):
    """What was asked for: the application names the intent, by the call that the model makes for it."""

    orders: dict[str, str]


class Scripted(BaseChatModel):
    """A chat model of which each turn is a message or an error; `requests` are what it was sent."""

    turns: list[Any]
    requests: list[list[BaseMessage]] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.requests.append(list(messages))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return ChatResult(generations=[ChatGeneration(message=turn)])


def calls(*some: str, **arguments: Any) -> AIMessage:
    """The model calls the tool, once for each id."""
    chosen = arguments or EAST
    return AIMessage("", tool_calls=[{"name": "issue_ticket", "args": chosen, "id": one} for one in some])


def both() -> AIMessage:
    """The model calls the tool for two parcels at once."""
    return AIMessage(
        "", tool_calls=[*calls("call_1").tool_calls, *calls("call_2", parcel="Elm", place="East").tool_calls]
    )


def says(text: str = "Done.") -> AIMessage:
    """The model ends with a sentence."""
    return AIMessage(text)


def outputs(request: Sequence[BaseMessage]) -> dict[str, list[Any]]:
    """The tool messages that a request to the model carried, by the call that each is for; envelopes are read."""
    found: dict[str, list[Any]] = {}
    for message in request:
        if isinstance(message, ToolMessage):
            found.setdefault(message.tool_call_id, []).append(json.loads(str(message.content)))
    return found


def tool_of(function: Callable[..., Any]) -> Any:
    """The guarded tool; the order is the application's, by the id of the call."""
    return guarded_tool(function, given={"order": lambda runtime: runtime.state["orders"][runtime.tool_call_id]})


@dataclass(slots=True, kw_only=True)
class Thread:
    """One thread of one graph. Each call of it opens the checkpoints anew, as another process would."""

    door: "Ferried | None"
    folder: Path
    model: Scripted
    tools: list[Any]
    edge: Callable[..., Any] = field(default_factory=lambda: one_task_each())
    orders: dict[str, str] = field(default_factory=lambda: {"call_1": "order-1001"})
    asynchronous: bool = False
    reads: tuple[str, ...] = ()

    @property
    def config(self) -> Any:
        return {"configurable": {"thread_id": "chat-7"}, "callbacks": [ReadLog(self.tools, run="chat-7")]}

    def built(self) -> Any:
        """The graph, before it is compiled."""
        graph = StateGraph(Asked)
        graph.add_node("model", lambda state, config: {"messages": [self.model.invoke(state["messages"], config)]})
        graph.add_node("tools", ToolNode(self.tools, handle_tool_errors=in_envelopes(self.tools)))
        graph.add_node("news", brought_up_to_date(self.tools))
        graph.add_edge(START, "news")
        graph.add_edge("news", "model")
        graph.add_conditional_edges("model", self.edge, ["tools", "__end__"])
        graph.add_edge("tools", "news")
        return graph

    def starts(self) -> Any:
        """Begin."""
        return self.goes({"messages": ["Issue it."], "orders": self.orders})

    def resumes(self, value: Any) -> Any:
        """Go on with an answer to what the thread stopped for."""
        return self.goes(Command(resume=value))

    def goes(self, given: Any) -> Any:
        """Run until the end, or until the thread stops."""
        assert self.door is not None
        return self.door.beside(self._goes_async(given) if self.asynchronous else asyncio.to_thread(self._goes, given))

    def goes_from(self, node: str) -> Any:
        """Wind the thread back to the checkpoint before a node, and run it from there."""
        assert self.door is not None
        return self.door.beside(asyncio.to_thread(self._goes_from, node))

    def _goes_from(self, node: str) -> Any:
        with SqliteSaver.from_conn_string(str(self.folder / "threads.db")) as saver:
            graph = self.built().compile(checkpointer=saver)
            earlier = next(one for one in graph.get_state_history(self.config) if one.next == (node,))
            return graph.invoke(None, {**self.config, **earlier.config})

    def _goes(self, given: Any) -> Any:
        with SqliteSaver.from_conn_string(str(self.folder / "threads.db")) as saver:
            graph = self.built().compile(checkpointer=saver)
            require_guarded(graph, reads=self.reads)
            return graph.invoke(given, self.config)

    async def _goes_async(self, given: Any) -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(self.folder / "threads.db")) as saver:
            graph = self.built().compile(checkpointer=saver)
            require_guarded(graph, reads=self.reads)
            return await graph.ainvoke(given, self.config)


def stopped_for(found: Any) -> list[dict[str, Any]]:
    """What a thread stopped for, each as a person is asked."""
    return [one.value for one in found.get("__interrupt__", [])]
