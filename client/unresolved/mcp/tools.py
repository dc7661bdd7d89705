"""The five tools, as an MCP server lists and answers them. An error says what is wrong, and that nothing may be sent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

from unresolved.desk import Unreachable
from unresolved.mcp import asked
from unresolved.mcp.reporting import Refused, Reporter, Told

ABOUT: Final = """
Put every call that has an effect on record here before you make it, and report what came of it.
Order: record_operation, record_attempt, then send only if `send` is true, once; then record_observation.
If one of these tools answers with an error, or does not answer, do not perform effectful calls. Call the tool again with the
same ids: that changes nothing. No answer of a tool you called, a timeout or an error means that the outcome is unknown: do not
send again and try no variant. People decide at the desk; ask with collect_resolution.
What you report is your word. It is kept, and never settles anything.
""".strip()
UNREACHABLE: Final = (
    "The desk can't be reached. What you asked may or may not be on record. Do not perform effectful calls. Call this tool"
    " again with the same ids until it answers."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    name: str
    model: type[asked.Fields]
    does: Callable[[Reporter, Any], Told]
    reads: bool

    def listed(self) -> types.Tool:
        hints = types.ToolAnnotations(
            read_only_hint=self.reads,
            destructive_hint=None if self.reads else False,
            idempotent_hint=None if self.reads else True,
            open_world_hint=False,
        )
        schema = self.model.model_json_schema()
        return types.Tool(name=self.name, description=self.model.__doc__, input_schema=schema, annotations=hints)


_TOOLS: Final = {
    tool.name: tool
    for tool in (
        _Tool(name="record_operation", model=asked.RecordOperation, does=Reporter.record_operation, reads=False),
        _Tool(name="record_attempt", model=asked.RecordAttempt, does=Reporter.record_attempt, reads=False),
        _Tool(name="record_observation", model=asked.RecordObservation, does=Reporter.record_observation, reads=False),
        _Tool(
            name="ask_permitted_actions",
            model=asked.AskPermittedActions,
            does=Reporter.ask_permitted_actions,
            reads=True,
        ),
        _Tool(name="collect_resolution", model=asked.CollectResolution, does=Reporter.collect_resolution, reads=True),
    )
}


def listed() -> types.ListToolsResult:
    """Return the tools."""
    return types.ListToolsResult(tools=[tool.listed() for tool in _TOOLS.values()])


def answered(reporter: Reporter, name: str, *, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    """Return what a call comes to; nothing that was asked makes it raise."""
    tool = _TOOLS.get(name)
    if tool is None:
        return _wrong({"error": "no_such_tool", "says": f"There are {', '.join(_TOOLS)}."})
    try:
        return _said(tool.does(reporter, asked.read(tool.model, dict(arguments or {}))), error=False)
    except asked.WrongArguments as error:
        return _wrong({"error": "wrong_field", "says": str(error), "fields": error.fields})
    except Refused as error:
        named = {} if error.operation is None else {"operation": error.operation}
        return _wrong({"error": error.rule, "says": error.says, "fields": error.fields, **named})
    except Unreachable as error:
        return _wrong({"error": "desk_unreachable", "says": f"{UNREACHABLE} ({error})"})
    except (KeyError, TypeError, ValueError) as error:  # another version's answer: it said nothing
        why = f"its answer could not be understood: {type(error).__name__}"
        return _wrong({"error": "desk_unreachable", "says": f"{UNREACHABLE} ({why})"})


def _wrong(told: Told) -> types.CallToolResult:
    return _said({**told, "send": False}, error=True)


def _said(told: Told, *, error: bool) -> types.CallToolResult:
    text = json.dumps(told, ensure_ascii=False, allow_nan=False)
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=told, is_error=error)
