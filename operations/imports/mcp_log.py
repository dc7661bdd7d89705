"""A log of the lines between an MCP client and a server: calls and answers, paired by direction and id.

A server counts its own requests from 1 as well, so an id alone names nothing. A cancellation is a wish and proves
nothing; what a model saw is never on this wire.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import Final

from operations.core.strict_json import Json, NumberText, written
from operations.imports.call import Call
from operations.imports.document import member, text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.words import Consumed, Delivered, Gate, OutputClass, Reason

_TO_THE_SERVER: Final = "client->server"
_DIRECTIONS: Final = frozenset({_TO_THE_SERVER, "server->client"})
# JSON-RPC 2.0, section 5.1: the method or its parameters were refused, or the message could not be read.
_NOT_ATTEMPTED: Final = frozenset({"-32601", "-32602", "-32700"})
# Names of a member of `_meta`, whatever its prefix (MCP, General fields, `_meta`).
_CALL_IDS: Final = frozenset({"call_id", "tool_call_id"})
_OPEN_TASK: Final = frozenset({"working", "input_required"})


def calls_of(lines: Sequence[tuple[int, Json]]) -> list[Call]:
    """Return the calls of a log, in the order asked; a call that goes on after a question is one call of more rounds."""
    reading = _Reading()
    for number, line in lines:
        reading.read(number, line)
    for call in reading.waiting():
        call.gate = Gate.WAITING
    return reading.calls


@dataclass(slots=True)
class _Reading:
    calls: list[Call] = field(default_factory=list)
    by_id: dict[str, Call] = field(default_factory=dict)
    asked_back: dict[str, Call] = field(default_factory=dict)
    asked_back_stateless: dict[str | None, list[Call]] = field(default_factory=dict)
    tasks: dict[str, Call] = field(default_factory=dict)
    methods: dict[str, tuple[str, str]] = field(default_factory=dict)
    ended: int = 0

    def read(self, number: int, line: Json) -> None:
        message = member(line, "msg")
        to_the_server = text_at(line, "dir") == _TO_THE_SERVER
        method = text_at(message, "method")
        if to_the_server and method is not None:
            self._forget(method, message)
        if to_the_server and method == "tools/call":
            self._asked(number, line, message)
        elif to_the_server and method == "notifications/cancelled":
            self._cancelled(number, message)
        elif to_the_server and method in {"tasks/get", "tasks/result"}:
            self.methods[_id(message)] = (method, text_at(message, "params", "taskId") or "")
        elif not to_the_server and method is None:
            self._answered(number, message)

    def _forget(self, method: str, message: Json) -> None:
        """Drop what an id stood for once a request uses it again: ids may start anew, and do in a new connection."""
        if method == "initialize":
            self.by_id.clear()
            self.methods.clear()
        elif member(message, "id") is not None:
            self.by_id.pop(_id(message), None)
            self.methods.pop(_id(message), None)

    def _going_on(self, message: Json, again: Call) -> Call | None:
        """Return the call that this one goes on with after a question: by its state, or where none was given as asked."""
        state = text_at(message, "params", "requestState")
        if state is not None:
            return self.asked_back.pop(state, None)
        waiting = self.asked_back_stateless.get(again.fingerprint)
        return waiting.pop(0) if waiting and member(message, "params", "inputResponses") is not None else None

    def _asked(self, number: int, line: Json, message: Json) -> None:
        call = Call(
            call_id=f"c{_id(message)}",
            turn=self.ended,
            name=text_at(message, "params", "name"),
            arguments=member(message, "params", "arguments"),
            t=_seconds(member(line, "t")),
            model_call=_model_call(message),
        )
        going_on = self._going_on(message, call)
        if going_on is not None:  # MCP 2026-07-28: the same call under a new id
            going_on.rounds = (going_on.rounds or 1) + 1
            self.by_id[_id(message)] = going_on
            return
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
        if member(message, "result") is None and member(message, "error") is None:
            return  # JSON-RPC 2.0, section 5: an answer holds one of them
        call = self.by_id.get(_id(message))
        if call is None:
            self._of_a_task(number, message)
            return
        kind = text_at(message, "result", "resultType")
        if kind == "input_required":
            self._asked_back(call, text_at(message, "result", "requestState"))
            return
        task = text_at(message, "result", "task", "taskId")
        if kind == "task":
            task = task or text_at(message, "result", "taskId")
        if task is not None:
            self.tasks[task], call.task_open = call, True
            return
        self._output(call, number, _output_of(message))

    def _asked_back(self, call: Call, state: str | None) -> None:
        if state is not None:
            self.asked_back[state] = call
        else:
            self.asked_back_stateless.setdefault(call.fingerprint, []).append(call)

    def _of_a_task(self, number: int, message: Json) -> None:
        """Follow a task: its status closes it, its result is the output; failed or cancelled shows no effect."""
        method, task = self.methods.get(_id(message), ("", ""))
        call = self.tasks.get(task)
        if call is None:
            return
        status = text_at(message, "result", "status")
        if member(message, "error") is not None:
            if method == "tasks/result":  # the answer to the question for the result, and not to the call
                error = written(member(message, "error"))
                self._output(call, number, Output(text=error, kind=OutputClass.INCONCLUSIVE, matched=_rule(message)))
        elif method == "tasks/result" or member(message, "result", "result") is not None:
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

    def waiting(self) -> list[Call]:
        """Return the calls of which the server asked back and got no answer."""
        return [*self.asked_back.values(), *chain.from_iterable(self.asked_back_stateless.values())]


def _output_of(message: Json) -> Output:
    code = member(message, "error", "code")
    if member(message, "error") is not None:
        kind = OutputClass.NOT_ATTEMPTED if _text(code) in _NOT_ATTEMPTED else OutputClass.INCONCLUSIVE
        return Output(text=written(member(message, "error")), kind=kind, matched=_rule(message))
    result = member(message, "result")
    text = text_of(member(result, "content")) or written(member(result, "structuredContent") or result)
    return output_of(text, error=member(result, "isError") is True)


def _rule(message: Json) -> str:
    return f"jsonrpc {_text(member(message, 'error', 'code'))}"


def _id(message: Json) -> str:
    return _text(member(message, "id"))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else written(value)


def _model_call(message: Json) -> str | None:
    """Return the id of the model's call, where whoever sends puts it beside the arguments."""
    found = member(message, "params", "_meta")
    names = found if isinstance(found, dict) else {}
    given = [one for name, one in names.items() if name.rpartition("/")[2] in _CALL_IDS and isinstance(one, str)]
    return given[0] if given else None


def _seconds(value: Json) -> float | None:
    """Return a time that a number can hold; one beyond is as good as none."""
    seconds = float(value.text) if isinstance(value, NumberText) else None
    return seconds if seconds is not None and isfinite(seconds) else None


def is_line(value: Json) -> bool:
    """Say whether a line is one of such a log."""
    return text_at(value, "dir") in _DIRECTIONS and text_at(value, "msg", "jsonrpc") is not None
