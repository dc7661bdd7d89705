"""Ids that are used again, and records so long that each call may be looked at a few times only."""

import sys

from operations.imports import imported
from tests.operations.imports.records import encoded


def blocks(*messages: tuple[str, list[dict[str, object]]]) -> bytes:
    return encoded({"messages": [{"role": role, "content": content} for role, content in messages]})


def use(call_id: str, **more: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call_id, "name": "issue_ticket", "input": more}


def result(call_id: str, text: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}


REUSED = (
    ("assistant", [use("a", n=1)]),
    ("user", [result("a", "T-1")]),
    ("assistant", [use("a", n=2), use("a", n=3)]),
    ("user", [result("a", "T-2")]),
)


def test_a_tool_use_whose_id_was_used_before_is_a_call_of_its_own():
    found = imported(blocks(*REUSED)).calls
    assert [(call.call_id, [one.text for one in call.outputs]) for call in found] == [
        ("a", ["T-1"]),
        ("a@2", ["T-2"]),
        ("a@2.1", []),
    ]
    assert [call.reasons for call in found] == [[], ["delivery_unknown"], ["no_output"]]


def test_a_log_of_requests_says_nothing_of_an_id_that_several_calls_have():
    messages = [{"role": role, "content": content} for role, content in REUSED]
    requests = [{"messages": messages, "answer": {"id": "m"}}]
    found = imported(encoded({"messages": messages, "requests": requests})).calls
    assert [call.delivered for call in found] == ["replayed_history", "unknown", None]


def test_many_approvals_and_many_tasks_are_read_in_one_walk():
    """Twice as many take about twice as long: counted in steps of the interpreter, not in seconds."""
    assert steps(waiting(800)) < 3 * steps(waiting(400))
    assert steps(tasks(800)) < 3 * steps(tasks(400))


def waiting(number: int) -> bytes:
    """A state with this many calls that wait, of which each was approved by itself."""
    ids = [f"c{one}" for one in range(number)]
    asked = [{"type": "function_call", "call_id": one, "name": "t", "arguments": "{}"} for one in ids]
    approvals = [
        {"tool_key": "t", "agent": {"name": "A"}, "decision": {"approved": [one], "rejected": []}} for one in ids
    ]
    stops = [{"raw_item": one, "agent": {"name": "A"}} for one in asked]
    return encoded(
        {
            "$schemaVersion": "1.15",
            "model_responses": [{"output": asked}],
            "context": {"function_tool_approvals": approvals, "approvals": {"t": {"approved": ids}}},
            "current_step": {"type": "next_step_interruption", "data": {"interruptions": stops}},
        }
    )


def tasks(number: int) -> bytes:
    """A thread whose head has this many tasks that wrote an error."""
    ids = [f"c{one}" for one in range(number)]
    asked = {"type": "ai", "tool_calls": [{"id": one, "name": "t", "args": {}} for one in ids]}
    pushed = [{"arg": {"call": {"id": one}}} for one in ids]
    writes = [[f"t{one}", "__error__", "lost"] for one in ids]
    row = {
        "checkpoint": {"id": "1", "channel_values": {"messages": [asked], "__pregel_tasks": pushed}},
        "pending_writes": writes,
    }
    snapshot = [{"id": f"t{one}", "path": ["__pregel_push", index]} for index, one in enumerate(ids)]
    return encoded({"checkpoints": [row], "state_snapshot": {"tasks": snapshot}})


def steps(content: bytes) -> int:
    """How many calls of functions reading a record takes."""
    counted = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        imported(content)
    finally:
        sys.setprofile(None)
    return counted
