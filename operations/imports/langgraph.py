"""A thread of LangGraph as exported: its checkpoints with their pending writes, and the snapshot of its head.

Calls are those of the assistant's messages in any checkpoint. What stands in `channel_values` was there for the next
node; what stands in the head's pending writes alone is kept and delivered to nobody. A node that interrupts starts from its first
line when it resumes, so what comes before the interrupt runs again. Attempts can't be counted from checkpoints: a
repeated failure overwrites the same error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json, written
from operations.imports.call import Call
from operations.imports.document import items, member, place, text_at
from operations.imports.outputs import Output, output_of, text_of
from operations.imports.words import Delivered, Gate, Reason, Started

_ERROR, _INTERRUPT, _RESUME, _MESSAGES, _TASKS = (
    "__error__",
    "__interrupt__",
    "__resume__",
    "messages",
    "__pregel_tasks",
)
_PUSHED: Final = "__pregel_push"


def calls_of(export: dict[str, Json]) -> list[Call]:
    """Return the calls of a thread, oldest first."""
    reading = _Reading(
        checkpoints=list(_checkpoints(export)),
        snapshot=member(export, "state_snapshot") or export,
        head_alone=not isinstance(export.get("checkpoints"), list),
    )
    reading.read()
    return list(reading.calls.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checkpoint:
    """One checkpoint: its messages, the tasks pushed from it, and the writes of tasks that ran after it."""

    id: str
    messages: list[dict[str, Json]]
    pushed: list[dict[str, Json]]
    writes: list[tuple[str, str, Json]]
    where: tuple[str | int, ...]


def _checkpoints(export: dict[str, Json]) -> Iterator[_Checkpoint]:
    """Yield the checkpoints, the oldest first (an export lists the newest first)."""
    rows = list(items(export, "checkpoints"))
    for index, row in reversed(rows):
        values = ("checkpoint", "channel_values")
        yield _Checkpoint(
            id=text_at(row, "checkpoint", "id") or text_at(row, "config", "configurable", "checkpoint_id") or "",
            messages=[one for _, one in items(row, *values, _MESSAGES)],
            pushed=[one for _, one in items(row, *values, _TASKS)],
            writes=list(_writes(row)),
            where=("checkpoints", index),
        )
    if not rows:  # a thread's state of the platform's API: the head alone
        messages = [one for _, one in items(export, "values", _MESSAGES)]
        head = text_at(export, "checkpoint", "checkpoint_id") or text_at(export, "checkpoint_id") or ""
        yield _Checkpoint(id=head, messages=messages, pushed=[], writes=[], where=("values",))


def _writes(row: dict[str, Json]) -> Iterator[tuple[str, str, Json]]:
    found = row.get("pending_writes")
    for one in found if isinstance(found, list) else []:
        if isinstance(one, list) and len(one) == 3 and isinstance(one[0], str) and isinstance(one[1], str):
            yield one[0], one[1], one[2]


def _data(message: dict[str, Json]) -> dict[str, Json]:
    """Return a message's own members: an export wraps them in `data`, the platform's API does not."""
    inner = message.get("data")
    return inner if isinstance(inner, dict) else message


@dataclass(slots=True, kw_only=True)
class _Reading:
    checkpoints: list[_Checkpoint]
    snapshot: Json
    head_alone: bool
    calls: dict[str, Call] = field(default_factory=dict)
    turn: int = -1
    paths: dict[str, Json] | None = None

    def read(self) -> None:
        for checkpoint in self.checkpoints:
            self._asked(checkpoint)
            self._heard(checkpoint)
        for checkpoint in self.checkpoints:
            self._tasks(checkpoint, head=checkpoint is self.checkpoints[-1])
        if self.head_alone:
            self._tasks_of_head()

    def _asked(self, checkpoint: _Checkpoint) -> None:
        """Take the calls of each message: those of one message are one turn, wherever it stands."""
        for number, message in enumerate(checkpoint.messages):
            self.turn += 1
            for _, asked in items(_data(message), "tool_calls"):
                call_id = text_at(asked, "id")
                if call_id is None or call_id in self.calls:
                    continue
                call = Call(call_id=call_id, turn=self.turn, name=text_at(asked, "name"), arguments=asked.get("args"))
                call.at = checkpoint.id
                call.point("requested", place(*checkpoint.where, _MESSAGES, number))
                self.calls[call_id] = call

    def _heard(self, checkpoint: _Checkpoint) -> None:
        """Take the outputs that a node could read; a message of the assistant after one shows that it was replayed."""
        spoke = [number for number, message in enumerate(checkpoint.messages) if _is_of_the_model(message)]
        for number, message in enumerate(checkpoint.messages):
            found = _tool_message(message)
            if found is None:
                continue
            call = self.calls.setdefault(found[0], _without_call(found[0]))
            call.add(found[1], pointer=place(*checkpoint.where, _MESSAGES, number))
            call.persisted = ["channel_values"]
            answered = bool(spoke) and number < spoke[-1]
            if answered or call.delivered is None:
                call.deliver(Delivered.REPLAYED_HISTORY if answered else Delivered.UNKNOWN)

    def _tasks(self, checkpoint: _Checkpoint, *, head: bool) -> None:
        kinds: dict[str, set[str]] = {}
        wrote = _wrote(checkpoint)
        for task, channel, value in checkpoint.writes:
            kinds.setdefault(task, set()).add(channel)
            for message in value if channel == _MESSAGES and isinstance(value, list) else []:
                if head and isinstance(message, dict):
                    self._kept(checkpoint, message)
            call = self._call_of(task, wrote) if channel in {_ERROR, _INTERRUPT} else None
            if channel == _ERROR and call is not None and not call.outputs:
                call.error_write = value if isinstance(value, str) else written(value)
                call.found.append(Reason.ERROR_WRITE)
                call.started = Started.YES
        for task, written_to in kinds.items():
            call = self._call_of(task, wrote)
            if call is not None and _INTERRUPT in written_to:
                self._interrupted(call, resumed=_RESUME in written_to)

    def _tasks_of_head(self) -> None:
        """Read what a state of the platform's API says of its tasks; it holds no writes.

        A task that names no call is about every call of the last message that asked, as long as it has no output: one
        such call waits with it, of several it isn't known which. That the tool was entered it never shows.
        """
        unanswered = [call for call in self.calls.values() if not call.outputs]
        last = max([call.turn for call in unanswered], default=-1)
        about = [call for call in unanswered if call.turn == last]
        for index, task in items(self.snapshot, "tasks"):
            for call in about:
                self._task_of_head(call, task, place("tasks", index), alone=len(about) == 1)

    def _task_of_head(self, call: Call, task: dict[str, Json], pointer: str, *, alone: bool) -> None:
        error, interrupts = task.get("error"), task.get("interrupts")
        if error is not None:
            call.error_write = error if isinstance(error, str) else written(error)
            call.point("error_write", pointer)
            _find(call, Reason.ERROR_WRITE)
        if isinstance(interrupts, list) and interrupts:
            call.gate = Gate.WAITING if alone else call.gate
            call.point("gate", pointer)
            _find(call, Reason.CODE_BEFORE_INTERRUPT_MAY_HAVE_ACTED)

    def _kept(self, checkpoint: _Checkpoint, message: dict[str, Json]) -> None:
        """Take an output that stands in the head's pending writes alone: kept, and in nobody's input yet."""
        found = _tool_message(message)
        if found is None or self.calls.get(found[0], _without_call("")).outputs:
            return
        call = self.calls.setdefault(found[0], _without_call(found[0]))
        call.add(found[1], pointer=place(*checkpoint.where, "pending_writes"))
        call.persisted, call.started = ["pending_writes"], Started.YES
        call.deliver(Delivered.NOT_SENT)

    def _interrupted(self, call: Call, *, resumed: bool) -> None:
        if resumed:
            call.found.append(Reason.CODE_BEFORE_INTERRUPT_RAN_AGAIN)
        elif not call.outputs:
            call.gate = Gate.WAITING
            call.found.append(Reason.CODE_BEFORE_INTERRUPT_MAY_HAVE_ACTED)

    def _call_of(self, task: str, wrote: dict[str, str]) -> Call | None:
        """Return the call of a task: by its path in the snapshot, or by the message that it wrote."""
        if task in self._paths():
            return self._pushed(self._paths()[task])
        return self.calls.get(wrote[task]) if task in wrote else None

    def _paths(self) -> dict[str, Json]:
        """Return the paths of the snapshot's tasks by their ids, looked up once."""
        if self.paths is None:
            self.paths = {}
            for _, one in items(self.snapshot, "tasks"):
                self.paths.setdefault(text_at(one, "id") or "", one.get("path"))
        return self.paths

    def _pushed(self, path: Json) -> Call | None:
        if not isinstance(path, list) or len(path) < 2 or path[0] != _PUSHED:
            return None
        pushed = self.checkpoints[-1].pushed
        written_index = str(path[1])
        if len(written_index) > len(str(len(pushed))) or not written_index.isdecimal():
            return None
        index = int(written_index)
        if index >= len(pushed):
            return None
        argument = member(pushed[index], "arg")
        return self.calls.get(text_at(argument, "call", "id") or text_at(argument, "tool_call", "id") or "")


def _wrote(checkpoint: _Checkpoint) -> dict[str, str]:
    """Return, by task, the id of the call whose output it wrote first."""
    found: dict[str, str] = {}
    for task, channel, value in checkpoint.writes:
        for message in value if channel == _MESSAGES and isinstance(value, list) else []:
            output = _tool_message(message) if isinstance(message, dict) else None
            if output is not None:
                found.setdefault(task, output[0])
    return found


def _find(call: Call, reason: Reason) -> None:
    if reason not in call.found:
        call.found.append(reason)


def _without_call(call_id: str) -> Call:
    return Call(call_id=call_id, found=[Reason.OUTPUT_WITHOUT_CALL])


def _is_of_the_model(message: dict[str, Json]) -> bool:
    return "ai" in {text_at(message, "type"), text_at(_data(message), "type")}


def _tool_message(message: dict[str, Json]) -> tuple[str, Output] | None:
    data = _data(message)
    call_id = text_at(data, "tool_call_id")
    if call_id is None or text_at(data, "type") != "tool":
        return None
    return call_id, output_of(text_of(data.get("content")), error=text_at(data, "status") == "error")
