"""CodeFlowMu's records: an approval of an operation with its decision, and the log of actions that the runtime evidenced.

Forms: `OperationApprovalRecord` and `action-log-v1` of CodeFlowMu-open (docs/integrate/fcop.md). A decision that was
delivered is not an output that was, so the two are kept apart. `failed` says nothing sure of an effect.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from operations.core.strict_json import Json, written
from operations.imports.call import Call
from operations.imports.document import items, member, place, text_at
from operations.imports.outputs import Output
from operations.imports.words import Delivered, Gate, OutputClass, Started

_PENDING: Final = frozenset({"pending", "pending_information", "pending_executor", "pending_approval"})
_REFUSED: Final = frozenset({"rejected", "cancelled"})
_DONE: Final = frozenset({"succeeded", "executed"})
_TROUBLE: Final = frozenset({"failed", "partial_failed", "execution_failed"})
_LOG: Final = "action-log-v1"
# Members of a row that say which action it was and when, and are no arguments of it.
_ABOUT: Final = frozenset(
    [
        "schema_version", "event_id", "event_type", "at", "task_id", "report_id", "thread_key", "session_id", "run_id",
        "agent_id", "role", "source", "status", "call_id", "exit_code", "duration_ms", "stdout_ref", "stderr_ref",
        "row_count", "screenshot_ref",
    ]
)  # fmt: skip


def is_approval(value: Json) -> bool:
    """Say whether a value is an approval record."""
    return text_at(value, "approval_id") is not None and isinstance(member(value, "request", "action"), dict)


def is_action(value: Json) -> bool:
    """Say whether a line is one of a log of actions."""
    return text_at(value, "schema_version") == _LOG and text_at(value, "event_id") is not None


def calls_of_approval(value: Json) -> list[Call]:
    """Return the one call that an approval is about."""
    return [_approval(value)] if is_approval(value) else []


def _approval(value: Json) -> Call:
    call = Call(
        call_id=text_at(value, "approval_id") or "",
        name=text_at(value, "request", "action", "capability"),
        arguments={"action": member(value, "request", "action"), "resource": member(value, "request", "resource")},
        sdk_fingerprint=text_at(value, "operation_fingerprint") or text_at(value, "operation_digest"),
        t=_seconds(text_at(value, "requested_at")),
    )
    call.point("requested", "/request")
    call.gate, call.started = _gate(value), _started(value)
    call.point("gate", "/decision" if member(value, "decision") is not None else "/status")
    _decided(call, value)
    for output, pointer in _outputs(value):
        call.add(output, pointer=pointer)
        call.persisted = ["approval_record"]
    if call.outputs:
        call.deliver(Delivered.UNKNOWN)  # what was delivered is the decision; of the output the record is silent
    return call


def _gate(value: Json) -> Gate:
    if text_at(value, "status") in _PENDING:
        return Gate.WAITING
    result = text_at(value, "decision", "result")
    if result in _REFUSED:
        return Gate.REJECTED
    over = _started(value) is not Started.NO
    return Gate.APPROVED if result == "approved" and not over else Gate.NONE


def _started(value: Json) -> Started:
    """Say whether the tool was entered: the executor ran it, or the agent used the permission and may have."""
    execution, permission = text_at(value, "execution", "status"), text_at(value, "authorization", "status")
    if execution not in {None, "not_started"}:
        return Started.YES
    if permission == "consumed" or execution is None or text_at(value, "status") == "revoked":
        return Started.UNKNOWN
    return Started.NO


def _decided(call: Call, value: Json) -> None:
    """Note how far the decision got: made, delivered to the agent, used by it."""
    result = text_at(value, "decision", "result")
    if result is None:
        return
    call.decision = result
    call.point("decided", "/decision")
    status = text_at(value, "decision_delivery", "status")
    if status is not None:
        call.decision_delivered = "yes" if status == "delivered" else "no"
        call.point("decision_delivered", "/decision_delivery")
    if text_at(value, "authorization", "status") is not None:
        call.decision_consumed = "yes" if text_at(value, "authorization", "status") == "consumed" else "no"
        call.point("decision_consumed", "/authorization")


def _outputs(value: Json) -> Iterator[tuple[Output, str]]:
    status = text_at(value, "execution", "status") or text_at(value, "status")
    sure = status in _DONE
    kind, rule = (OutputClass.CLAIMS_RESULT, "evidence row") if sure else (OutputClass.INCONCLUSIVE, f"status {status}")
    for index, row in items(value, "execution", "evidence"):
        yield Output(text=written(row), kind=kind, matched=rule), place("execution", "evidence", index)
    error = text_at(value, "execution", "error")
    if error and status in _TROUBLE:
        yield Output(text=error, kind=OutputClass.INCONCLUSIVE, matched=f"status {status}"), "/execution/error"


def calls_of_actions(lines: Sequence[tuple[int, Json]]) -> list[Call]:
    """Return the actions of a log, each once by session and call."""
    calls: dict[tuple[str | None, str], Call] = {}
    for number, line in lines:
        scope, call_id = text_at(line, "session_id"), text_at(line, "call_id") or text_at(line, "event_id") or ""
        call = calls.setdefault((scope, call_id), Call(call_id=call_id, scope=scope, turn=len(calls)))
        _action(call, number, line)
    return list(calls.values())


def _action(call: Call, number: int, line: Json) -> None:
    given = line if isinstance(line, dict) else {}
    call.name = call.name or text_at(line, "event_type")
    call.arguments = call.arguments or {name: one for name, one in given.items() if name not in _ABOUT}
    call.started = Started.YES
    call.t = call.t if call.t is not None else _seconds(text_at(line, "at"))
    call.point("started", f"line {number}")
    sure = text_at(line, "status") == "success"
    kind, rule = (OutputClass.CLAIMS_RESULT, "status success") if sure else (OutputClass.INCONCLUSIVE, "status failed")
    call.add(Output(text=written(line), kind=kind, matched=rule), pointer=f"line {number}")
    call.persisted = ["action_log"]
    call.deliver(Delivered.UNKNOWN)


def _seconds(written_at: str | None) -> float | None:
    """Return a time as seconds since 1970; one without a zone, or that is none, is left out."""
    try:
        found = datetime.fromisoformat(written_at or "")
    except ValueError:
        return None
    return found.timestamp() if found.tzinfo is not None else None
