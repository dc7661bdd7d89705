"""The resumes of the predecessor and of the fix, as a state before and the request that followed."""

import json
from typing import Any, Final

from tests.operations.imports.records import DATA, encoded, log, run

VERSIONS: Final = ("0.22.1", "0.24.0")
MODES: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "conversation_id": {"conversation_id": "conv_7f3a"},
    "previous_response_id": {"previous_response_id": "resp_1"},
    "auto_previous_response_id": {"previous_response_id": "resp_1", "auto_previous_response_id": True},
}


def matrix(version: str) -> list[dict[str, Any]]:
    """The rows of the matrix of one version of the SDK."""
    rows: list[dict[str, Any]] = json.loads((DATA / f"matrix_{version}.json").read_bytes())["rows"]
    return rows


def state_of(mode: str) -> bytes:
    """The interrupted state of the matrix: one call waits for approval, one named a missing tool and has its output."""
    text = run("02_mixed_missing_tool_pending").decode()
    state = json.loads(text.replace("call_Tk31", "call_ticket").replace("call_Sm32", "call_missing"))
    managed = {"conversation_id": None, "previous_response_id": None, "auto_previous_response_id": False}
    return encoded({**state, **managed, **MODES[mode]})


def output(call_id: str) -> dict[str, str]:
    """An output for a call, as an item of a request."""
    return {"type": "function_call_output", "call_id": call_id, "output": "T-1001"}


def request_of(row: dict[str, Any]) -> bytes:
    """The request that a row of the matrix says was sent."""
    calls = [
        {"type": "function_call", "call_id": one, "name": "issue_ticket", "arguments": "{}"}
        for one in row["sent_calls"]
    ]
    sent = [*calls, *[output(call_id) for call_id in row["sent_outputs"]]]
    return encoded({"input": sent, "conversation": row["conv"], "previous_response_id": row["prev"]})


def without_pending_run(mode: str) -> bytes:
    """The interrupted state in which nothing waits any more."""
    state = json.loads(state_of(mode))
    state["current_step"]["data"]["interruptions"] = []
    return encoded(state)


_EARLY: Final = encoded({"conversation": "conv_1", "input": [output("call_c3"), output("call_a1")]})
_NO_RUN: Final = encoded({"conversation": "conv_7f3a", "input": [output("call_ticket")]})
_WHOLE: Final = encoded({"conversation": "conv_7f3a", "input": [output("call_ticket"), output("call_missing")]})
# What it is, the state, the request that followed, and the calls that it lacks.
STAGED: Final[tuple[tuple[str, bytes, bytes, list[str]], ...]] = (
    ("staged, asked before the second was decided", run("03a_staged_two_pending"), _EARLY, ["call_b2"]),
    (
        "staged, both decided, 0.22.1",
        run("03a_staged_two_pending__sdk0.22.1"),
        log("03c_staged_completed__sdk0.22.1"),
        ["call_c3"],
    ),
    ("staged, both decided, 0.24.0", run("03a_staged_two_pending"), log("03c_staged_completed"), []),
    ("interrupted, no run pending, predecessor", without_pending_run("conversation_id"), _NO_RUN, ["call_missing"]),
    ("interrupted, no run pending, fix", without_pending_run("conversation_id"), _WHOLE, []),
)
