"""A graph in which something would send by itself, or could not stop for a person, is refused before it runs."""

from collections.abc import Collection, Iterator
from typing import Any

from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from unresolved.adapters.langgraph.answering import effect_behind


class Unguarded(ValueError):
    """The sentences say which node would be run again by itself, or what of it is not guarded."""


def require_guarded(graph: Pregel[Any, Any, Any, Any], *, reads: Collection[str] = ()) -> None:
    """Raise `Unguarded` where `unguarded` finds something; call it where the graph is compiled."""
    found = unguarded(graph, reads=reads)
    if found:
        raise Unguarded(" ".join(found))


def unguarded(graph: Pregel[Any, Any, Any, Any], *, reads: Collection[str] = ()) -> list[str]:
    """Return a sentence about each effect of a compiled graph, and of its subgraphs, that something would run again unasked.

    `reads` names the tools that only read: you say so, nobody else can. A guarded function that a node's own code calls
    can't be seen from here; its journal holds it all the same.
    """
    found = list(_of(graph, reads, again=[]))
    if not graph.checkpointer and _has_effects(graph):
        found.append("The graph has no checkpointer: what stops for a person could not go on.")
    return found


def _has_effects(graph: Any) -> bool:
    nodes = list(graph.nodes.values())
    return any(effects(one.bound) for one in nodes) or any(
        _has_effects(inner) for one in nodes for inner in _inner(one)
    )


def _inner(node: Any) -> list[Any]:
    """Return the graphs that a node runs, each once."""
    return list({id(one): one for one in (node.bound, *(node.subgraphs or ())) if isinstance(one, Pregel)}.values())


def _of(graph: Any, reads: Collection[str], *, again: list[str]) -> Iterator[str]:
    """Yield what is wrong in a graph; `again` says what around it would run it again."""
    policies = [*again, *(["its graph has a RetryPolicy"] if graph.retry_policy else [])]
    for name, node in graph.nodes.items():
        here = [*policies, *_again(node)]
        if effects(node.bound):
            yield from [f"The node {name} has an effect, and {why}." for why in here]
        if isinstance(node.bound, ToolNode):
            yield from _tools(name, node.bound, reads)
        for inner in {
            id(one): one for one in (node.bound, *(node.subgraphs or ())) if isinstance(one, Pregel)
        }.values():
            yield from _of(inner, reads, again=here)


def _again(node: Any) -> Iterator[str]:
    if node.retry_policy:
        yield "has a RetryPolicy: whoever may send again is a person at the desk"
    if node.cache_policy:
        yield "has a CachePolicy: an earlier answer would stand for a call that was never made"


def effects(bound: Any) -> list[str]:
    """Return the tools behind a node that have an effect."""
    things = list(bound.tools_by_name.values()) if isinstance(bound, ToolNode) else [bound]
    return [effect.guard.tool for one in things if (effect := effect_behind(one)) is not None]


def _tools(name: str, node: ToolNode, reads: Collection[str]) -> Iterator[str]:
    for tool in node.tools_by_name.values():
        if effect_behind(tool) is None and tool.name not in reads:
            yield f"{tool.name} in the node {name} is not guarded: nothing of it is recorded before it is sent."
    if not getattr(node._handle_tool_errors, "unresolved_answers", False):  # noqa: SLF001  # it says it nowhere else
        yield f"The node {name} answers failures in its own words: give it handle_tool_errors=in_envelopes(tools)."
