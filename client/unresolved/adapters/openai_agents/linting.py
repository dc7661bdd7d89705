"""No tool with an effect answers a failure in the SDK's words: each that would is named, and can be refused."""

from collections.abc import Collection, Iterator
from typing import Any

from agents import Agent, FunctionTool, default_tool_error_function
from agents.tool import resolve_function_tool_failure_error_function

from unresolved.adapters.openai_agents.tool import answers_of


class Unguarded(ValueError):
    """Tools of an agent that may have an effect are not guarded; the sentences say which, and what they would answer."""


def unguarded(agent: Agent[Any], *, reads: Collection[str] = ()) -> list[str]:
    """Return a sentence about each tool of an agent, and of the agents it hands over to, that is not guarded.

    `reads` names the tools that only read: you say so, nobody else can.
    """
    return [sentence for tool in _tools(agent, seen=set()) if _name(tool) not in reads for sentence in _wrong(tool)]


def require_guarded(agent: Agent[Any], *, reads: Collection[str] = ()) -> None:
    """Raise `Unguarded` where `unguarded` finds something; call it where the agent is made."""
    found = unguarded(agent, reads=reads)
    if found:
        raise Unguarded(" ".join(found))


def _tools(agent: Agent[Any], *, seen: set[int]) -> Iterator[Any]:
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield from agent.tools
    for other in agent.handoffs:
        if isinstance(other, Agent):
            yield from _tools(other, seen=seen)


def _name(tool: Any) -> str:
    return str(getattr(tool, "name", type(tool).__name__))


def _wrong(tool: Any) -> Iterator[str]:
    if answers_of(tool) is None:
        yield f"{_name(tool)} is not guarded: {_says(tool)}"
    elif resolve_function_tool_failure_error_function(tool) is default_tool_error_function:
        yield f"{_name(tool)} has lost its own words: {_says(tool)}"


def _says(tool: Any) -> str:
    if not isinstance(tool, FunctionTool):
        return "nothing of it is recorded before it is sent."
    words = resolve_function_tool_failure_error_function(tool)
    if words is default_tool_error_function:
        return "a failure tells the model to try again."
    return "a failure ends the run, and its call is lost." if words is None else "its failures are no envelopes."
