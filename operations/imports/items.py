"""Calls and outputs as items of the Responses API and of the Agents SDK, which share their shape."""

from typing import Final

from operations.core.strict_json import Json, written
from operations.imports.call import Call
from operations.imports.document import text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.words import Delivered

_CALLS: Final = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "computer_call",
        "shell_call",
        "local_shell_call",
        "apply_patch_call",
    }
)
_BY_THE_PROVIDER: Final = frozenset({"mcp_call"})
_ASKS_FIRST: Final = frozenset({"mcp_approval_request"})
_ARGUMENTS: Final = ("arguments", "input", "action", "operation")
_ERRORS: Final = ("http_error", "mcp_protocol_error", "mcp_tool_execution_error")


def call_in(item: dict[str, Json], *, turn: int) -> Call | None:
    """Return the call that an item is, or None."""
    kind = text_at(item, "type")
    if kind in _CALLS:
        call_id = text_at(item, "call_id") or text_at(item, "id")
        return None if call_id is None else _call(call_id, item, turn=turn)
    if kind in _BY_THE_PROVIDER | _ASKS_FIRST:
        call_id = text_at(item, "id")
        return None if call_id is None else _of_the_provider(call_id, item, turn=turn)
    return None


def _call(call_id: str, item: dict[str, Json], *, turn: int) -> Call:
    arguments = next((item[name] for name in _ARGUMENTS if item.get(name) is not None), None)
    return Call(call_id=call_id, turn=turn, name=text_at(item, "name") or text_at(item, "type"), arguments=arguments)


def _of_the_provider(call_id: str, item: dict[str, Json], *, turn: int) -> Call:
    """A call that the provider itself makes: its answer or error stands in the item."""
    call = _call(call_id, item, turn=turn)
    call.asks_first = text_at(item, "type") in _ASKS_FIRST
    error = item.get("error")
    if error is not None:
        call.add(output_of(error if isinstance(error, str) else written(error), error=True))
    elif isinstance(item.get("output"), str):
        call.add(output_of(str(item["output"])))
    if call.outputs:
        call.deliver(Delivered.PROVIDER_SIDE)
    return call


def output_in(item: dict[str, Json]) -> tuple[str, Output] | None:
    """Return the id and the output where an item is the output of a call, or None."""
    kind, call_id = text_at(item, "type"), text_at(item, "call_id")
    if kind is None or call_id is None or not kind.endswith("_call_output"):
        return None
    value = item.get("output")
    return call_id, output_of(text_of(value) or ("" if value is None else _as_text(value)))


def decision_in(item: dict[str, Json]) -> str | None:
    """Return the id of the request that an item decides, or None: it is no decision."""
    return text_at(item, "approval_request_id") if text_at(item, "type") == "mcp_approval_response" else None


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else written(value)
