"""A guarded function becomes a tool, a node or a task of LangGraph: one effect each, and nothing else beside it."""

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.config import get_config
from langgraph.func import task
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import Runtime, get_runtime

from unresolved.adapters.langgraph.effects import MARK, NO_CALL, Effect, Given, NamedByTheRun, where_of
from unresolved.adapters.langgraph.stopping import settled, settled_async
from unresolved.envelope import Envelope

Writes = Callable[[dict[str, Any]], Any]


def guarded_tool(
    function: Callable[..., Any], *, given: Given | None = None, description: str | None = None
) -> BaseTool:
    """Return the tool of a function that `unresolved.guarded` guards, for a `ToolNode`.

    `given`: parameters that come from the `ToolRuntime` (its state, context, config) and not from the model, which
    doesn't see them; the intent's name should be one. Its message is an envelope. Raises TypeError for a function that is
    not guarded.
    """
    effect = Effect(function=function, given=dict(given or {}))

    def send(runtime: ToolRuntime, **chosen: Any) -> str:
        return _answered(effect, chosen, runtime, runtime, node=effect.guard.tool).as_text()

    async def send_async(runtime: ToolRuntime, **chosen: Any) -> str:
        return (await _answered_async(effect, chosen, runtime, runtime, node=effect.guard.tool)).as_text()

    words = description or inspect.getdoc(function) or effect.guard.tool
    shaped = _marked(_shaped(effect, send_async if effect.is_async else send), effect)
    if effect.is_async:
        return StructuredTool.from_function(coroutine=shaped, name=effect.guard.tool, description=words)
    return StructuredTool.from_function(func=shaped, name=effect.guard.tool, description=words)


def guarded_node(
    function: Callable[..., Any], *, arguments: Mapping[str, Callable[[Any], Any]], writes: Writes
) -> Callable[..., Any]:
    """Return a node that sends this one effect. `arguments`: each parameter by the state; `writes`: the update by the envelope."""
    effect = Effect(function=function, given=dict(arguments))

    def node(state: Any, runtime: Runtime[Any]) -> Any:
        return writes(_plain(_answered(effect, {}, state, runtime, node=_node())))

    async def node_async(state: Any, runtime: Runtime[Any]) -> Any:
        return writes(_plain(await _answered_async(effect, {}, state, runtime, node=_node())))

    return typing.cast("Callable[..., Any]", _marked(_untyped(node_async if effect.is_async else node), effect))


def guarded_task(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a task of the functional API, whose future is the envelope. It has no RetryPolicy and no cache, and takes none."""
    effect = Effect(function=function)

    def send(*args: Any, **kwargs: Any) -> dict[str, Any]:
        chosen = inspect.signature(function).bind(*args, **kwargs).arguments
        return _plain(_answered(effect, chosen, None, get_runtime(), node=effect.guard.tool))

    async def send_async(*args: Any, **kwargs: Any) -> dict[str, Any]:
        chosen = inspect.signature(function).bind(*args, **kwargs).arguments
        return _plain(await _answered_async(effect, chosen, None, get_runtime(), node=effect.guard.tool))

    found: Any = task(name=effect.guard.tool)(send_async if effect.is_async else send)
    return typing.cast("Callable[..., Any]", _marked(found, effect))


def _answered(effect: Effect, chosen: Mapping[str, Any], source: Any, runtime: Any, *, node: str) -> Envelope:
    where = where_of(runtime, node=node)
    try:
        arguments = effect.arguments(chosen, source)
        effect.call(arguments, where).meant()
    except NO_CALL as error:
        return _refused(effect, chosen, error)
    return settled(effect, arguments, where)


async def _answered_async(
    effect: Effect, chosen: Mapping[str, Any], source: Any, runtime: Any, *, node: str
) -> Envelope:
    where = where_of(runtime, node=node)
    try:
        arguments = effect.arguments(chosen, source)
        effect.call(arguments, where).meant()
    except NO_CALL as error:
        return _refused(effect, chosen, error)
    return await settled_async(effect, arguments, where)


def _refused(effect: Effect, chosen: Mapping[str, Any], error: Exception) -> Envelope:
    if isinstance(error, NamedByTheRun):
        raise error  # the application's mistake, which no model can mend
    return effect.no_call(dict(chosen), f"these arguments make no request: {type(error).__name__}")


def _shaped(effect: Effect, function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function the parameters that the model chooses, behind the runtime."""
    runtime = inspect.Parameter("runtime", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=ToolRuntime)
    chosen = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in effect.chosen]
    function.__signature__ = inspect.Signature([runtime, *chosen])  # type: ignore[attr-defined]  # what inspect reads
    function.__annotations__ = {"runtime": ToolRuntime, **{one.name: one.annotation for one in chosen}, "return": str}
    function.__name__, function.__doc__ = effect.guard.tool, effect.function.__doc__
    return function


def _untyped(node: Callable[..., Any]) -> Callable[..., Any]:
    """Let the graph's own schema be the node's: it would read `Any` as one."""
    node.__annotations__ = {"runtime": Runtime}
    return node


def _marked(thing: Any, effect: Effect) -> Any:
    setattr(thing, MARK, effect)
    return thing


def _plain(told: Envelope) -> dict[str, Any]:
    """Return an envelope of plain JSON values, as a checkpoint keeps them."""
    found: dict[str, Any] = json.loads(told.as_text())
    return found


def _node() -> str:
    return str(get_config().get("metadata", {}).get("langgraph_node", ""))
