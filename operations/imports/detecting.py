"""What a record is shows in its content, never in its name; what no reader of its format knows is told."""

from collections.abc import Callable, Sequence
from typing import Final

from operations.core.strict_json import Json
from operations.imports import anthropic, chat, codeflowmu, langgraph, mcp_log, responses, run_state
from operations.imports.call import Call
from operations.imports.document import Document, ImportRefused, items, member
from operations.imports.requests import Request, requests_of

# The members that each format is known to have; others are told, since what is not read could have mattered.
_KNOWN: Final = {
    "run_state": frozenset(
        [
            "$schemaVersion",
            "current_turn",
            "current_agent",
            "original_input",
            "pending_input",
            "model_responses",
            "context",
            "tool_use_tracker",
            "max_turns",
            "no_active_agent_run",
            "input_guardrail_results",
            "output_guardrail_results",
            "tool_input_guardrail_results",
            "tool_output_guardrail_results",
            "conversation_id",
            "previous_response_id",
            "auto_previous_response_id",
            "generated_prompt_cache_key",
            "reasoning_item_id_policy",
            "nested_history_owned_session_item_refs",
            "generated_session_item_indexes",
            "current_response_generated_item_ownership",
            "generated_items",
            "session_items",
            "current_step",
            "last_model_response",
            "last_processed_response",
            "current_turn_persisted_item_count",
            "trace",
        ]
    ),
    "chat": frozenset({"format", "messages", "model"}),
    "anthropic": frozenset({"format", "sdk", "messages", "requests", "model", "system"}),
    "langgraph": frozenset({"format", "langgraph", "checkpointer", "thread_id", "state_snapshot", "checkpoints"}),
    "conversation_items": frozenset({"object", "data", "first_id", "last_id", "has_more"}),
}


def calls_of(record: Document, requests: list[Request] | None) -> tuple[str, list[Call]]:
    """Return the format of a record and its calls, not judged yet; raises `ImportRefused` where it is none that can be read."""
    value = record.value
    one_line = mcp_log.is_line(value) or codeflowmu.is_action(value)  # a log of one line is JSON of its own
    lines = ((1, value),) if one_line else record.lines
    if lines:
        return _of_lines(lines)
    if isinstance(value, dict) and "$schemaVersion" in value and isinstance(value.get("model_responses"), list):
        return "run_state", run_state.calls_of(value, requests)
    if requests is not None:
        raise ImportRefused("request log", "format", "goes with a state of the Agents SDK alone")
    chain = requests_of(value)
    if chain is not None:
        return "requests", responses.calls_of_chain(chain)
    for form, holds, read_as in _FORMATS:
        if holds(value):
            return form, read_as(value)
    raise ImportRefused("", "format", f"is none of the records that can be read: {_READABLE}")


def _of_lines(lines: Sequence[tuple[int, Json]]) -> tuple[str, list[Call]]:
    if all(codeflowmu.is_action(line) for _, line in lines):
        return "codeflowmu_actions", codeflowmu.calls_of_actions(lines)
    for number, line in lines:
        if not mcp_log.is_line(line):
            raise ImportRefused(
                f"line {number}",
                "format",
                "must be a line of an MCP log: t, dir (client->server or server->client), msg",
            )
    return "mcp", mcp_log.calls_of(lines)


def _is_conversation(value: Json) -> bool:
    return member(value, "object") == "list" and isinstance(member(value, "data"), list)


def _is_thread(value: Json) -> bool:
    exported = isinstance(member(value, "checkpoints"), list)
    return exported or (isinstance(member(value, "values"), dict) and isinstance(member(value, "tasks"), list))


def _messages(value: Json) -> list[dict[str, Json]]:
    return [one for _, one in items(value, *(() if isinstance(value, list) else ("messages",)))]


def _has_blocks(value: Json) -> bool:
    blocks = [block for message in _messages(value) for _, block in items(message, "content")]
    return any(str(block.get("type")).endswith(("tool_use", "tool_result")) for block in blocks)


def _is_chat(value: Json) -> bool:
    return any("tool_calls" in one or one.get("role") == "tool" for one in _messages(value)) or (
        isinstance(member(value, "messages"), list)
    )


def _are_items(value: Json) -> bool:
    kinds = [str(one.get("type")) for one in _messages(value)] if isinstance(value, list) else []
    return any(kind.endswith(("_call", "_call_output")) for kind in kinds)


def _thread(value: Json) -> list[Call]:
    return langgraph.calls_of(value) if isinstance(value, dict) else []


_FORMATS: Final[tuple[tuple[str, Callable[[Json], bool], Callable[[Json], list[Call]]], ...]] = (
    ("codeflowmu_approval", codeflowmu.is_approval, codeflowmu.calls_of_approval),
    ("conversation_items", _is_conversation, responses.calls_of_items),
    ("langgraph", _is_thread, _thread),
    ("items", _are_items, responses.calls_of_items),
    ("anthropic", _has_blocks, anthropic.calls_of),
    ("chat", _is_chat, chat.calls_of),
)
_READABLE: Final = (
    "a state of the Agents SDK, a list of Responses items or requests, a conversation's items, a Chat Completions or"
    " Messages transcript, an MCP log of lines, a LangGraph thread, an approval or a log of actions of CodeFlowMu"
)


def unknown(form: str, value: Json) -> list[str]:
    """Say which members at the top of a record no reader of its format knows."""
    known = _KNOWN.get(form)
    if known is None or not isinstance(value, dict):
        return []
    more = ["the list has more items than this record holds"] if value.get("has_more") is True else []
    return [*more, *[f"the member {name!r} is not read" for name in value if name not in known]]
