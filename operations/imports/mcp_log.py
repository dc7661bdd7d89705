"""A log of the lines between an MCP client and a server: calls and answers, paired by direction and id.

A server counts its own requests from 1 as well, so an id alone names nothing. A cancellation is a wish and proves
nothing; what a model saw is never on this wire.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json, NumberText, written
from operations.imports.call import Call
from operations.imports.document import member, text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.words import Consumed, Delivered, OutputClass, Reason

_TO_THE_SERVER: Final = "client->server"
# JSON-RPC 2.0, section 5.1: the method or its parameters were refused, or the message could not be read.
_NOT_ATTEMPTED: Final = frozenset({"-32601", "-32602", "-32700"})
_OPEN_TASK: Final = frozenset({"working", "input_required"})


def calls_of(lines: Sequence[tuple[int, Json]]) -> list[Call]:
    """Return the calls of a log, in the order asked; a call that goes on after a question is one call of more rounds."""
    reading = _Reading()
    for number, line in lines:
        reading.read(number, line)
    for call in reading.calls:
        if reading.waits(call):
            call.gate = call.gate.WAITING
    return reading.calls


@dataclass(slots=True)
class _Reading:
    calls: list[Call] = field(default_factory=list)
    by_id: dict[str, Call] = field(default_factory=dict)
    asked_back: dict[str, Call] = field(default_factory=dict)
    tasks: dict[str, Call] = field(default_factory=dict)
    methods: dict[str, tuple[str, str]] = field(default_factory=dict)
    ended: int = 0

    def read(self, number: int, line: Json) -> None:
        message = member(line, "msg")
        to_the_server = text_at(line, "dir") == _TO_THE_SERVER
        method = text_at(message, "method")
        if to_the_server and method == "tools/call":
            self._asked(number, line, message)
        elif to_the_server and method == "notifications/cancelled":
            self._cancelled(number, message)
        elif to_the_server and method in {"tasks/get", "tasks/result"}:
            self.methods[_id(message)] = (method, text_at(message, "params", "taskId") or "")
        elif not to_the_server and method is None:
            self._answered(number, message)

    def _asked(self, number: int, line: Json, message: Json) -> None:
        state = text_at(message, "params", "requestState")
        going_on = self.asked_back.pop(state, None) if state is not None else None
        if going_on is not None:  # MCP 2026-07-28: the same call under a new id
            going_on.rounds = (going_on.rounds or 1) + 1
            self.by_id[_id(message)] = going_on
            return
        call = Call(
            call_id=f"c{_id(message)}",
            turn=self.ended,
            name=text_at(message, "params", "name"),
            arguments=member(message, "params", "arguments"),
            t=_seconds(member(line, "t")),
        )
        call.point("requested", f"line {number}")
        self.calls.append(call)
        self.by_id[_id(message)] = call

    def _cancelled(self, number: int, message: Json) -> None:
        call = self.by_id.get(_text(member(message, "params", "requestId")))
        if call is not None:
            call.found.append(Reason.CANCEL_REQUESTED)
            call.point("cancelled", f"line {number}")
            self.ended += 1

    def _answered(self, number: int, message: Json) -> None:
        call = self.by_id.get(_id(message))
        if call is None:
            self._of_a_task(number, message)
            return
        state = text_at(message, "result", "requestState")
        if text_at(message, "result", "resultType") == "input_required" and state is not None:
            self.asked_back[state] = call
            return
        task = text_at(message, "result", "task", "taskId")
        if task is not None:
            self.tasks[task], call.task_open = call, True
            return
        self._output(call, number, _output_of(message))

    def _of_a_task(self, number: int, message: Json) -> None:
        """Follow a task: its status closes it, its result is the output; failed or cancelled shows no effect."""
        method, task = self.methods.get(_id(message), ("", ""))
        call = self.tasks.get(task)
        if call is None:
            return
        status = text_at(message, "result", "status")
        if method == "tasks/result" or member(message, "result", "result") is not None:
            inner = member(message, "result", "result") if method == "tasks/get" else member(message, "result")
            self._output(call, number, _output_of({"result": inner}))
        elif status in {"failed", "cancelled"}:
            output = Output(text=f"task {status}", kind=OutputClass.INCONCLUSIVE, matched=f"task {status}")
            self._output(call, number, output)
        call.task_open = call.task_open and not call.outputs and status in {None, *_OPEN_TASK}

    def _output(self, call: Call, number: int, output: Output) -> None:
        self.ended += 1
        call.add(output, pointer=f"line {number}")
        call.persisted = ["wire_log"]
        call.deliver(Delivered.REQUEST_ANSWERED)
        call.consumed = Consumed.UNKNOWN  # between host and model, never on this wire

    def waits(self, call: Call) -> bool:
        """Say whether the server asked back and got no answer."""
        return any(call is one for one in self.asked_back.values())


def _output_of(message: Json) -> Output:
    code = member(message, "error", "code")
    if member(message, "error") is not None:
        kind = OutputClass.NOT_ATTEMPTED if _text(code) in _NOT_ATTEMPTED else OutputClass.INCONCLUSIVE
        return Output(text=written(member(message, "error")), kind=kind, matched=f"jsonrpc {_text(code)}")
    result = member(message, "result")
    text = text_of(member(result, "content")) or written(member(result, "structuredContent") or result)
    return output_of(text, error=member(result, "isError") is True)


def _id(message: Json) -> str:
    return _text(member(message, "id"))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else written(value)


def _seconds(value: Json) -> float | None:
    return float(value.text) if isinstance(value, NumberText) else None


def is_line(value: Json) -> bool:
    """Say whether a line is one of such a log."""
    return (
        isinstance(value, dict) and isinstance(value.get("msg"), dict) and member(value, "msg", "jsonrpc") is not None
    )
