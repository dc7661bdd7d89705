"""FCoP's folder: tasks by the stage that their path says, reports, and records of failures; read by themselves only here.

FCoP 3.0, sections 1.1, 1.4 (Rule A) and 2: the folder is the state, `transitions` are a trace. A TIMEOUT leaves open what
happened; a RETRY is the same task again (docs/integrate/fcop.md).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import PurePosixPath
from typing import Final

from operations.contracts import yaml_text
from operations.core.strict_json import Json, StrictJsonError, parse
from operations.imports import codeflowmu
from operations.imports.call import Call
from operations.imports.document import DEEPEST, Document, ImportRefused, items, member, read, text_at
from operations.imports.merging import Shown, merged
from operations.imports.outputs import Output
from operations.imports.words import Consumed, Delivered, Gate, OutputClass, Started

_STAGES: Final[Mapping[str, Started]] = {
    "inbox": Started.NO,
    "active": Started.YES,
    "review": Started.YES,
    "done": Started.YES,
    "archive": Started.UNKNOWN,
}
_NAME: Final = re.compile(r"(TASK|REPORT)-(\d{8}-\d{3})-.+\.md")
_HEAD: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_REFERENCES: Final = ("ref_task", "related_task", "references")
_APPROVALS: Final = ".codeflowmu/operation-approvals/records/"
_ACTIONS: Final = re.compile(r"(?:.*/)?fcop/logs/runtime/actions-\d{8}\.jsonl")
# Of a timeout nothing follows; the others say that work stopped, and not what it had done.
_FAILURES: Final = frozenset({"TIMEOUT", "CRASH", "DEADLOCK", "DRIFT"})


@dataclass(slots=True, kw_only=True)
class Folder:
    """What a folder holds: its calls, and in sentences what of it was not read."""

    calls: list[Call] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def wanted(path: str) -> bool:
    """Say whether a file below the folder is one that is read; `path` has `/` between its parts."""
    parts = PurePosixPath(path)
    at_all = _NAME.fullmatch(parts.name) or _ACTIONS.fullmatch(path)
    return bool(at_all) or (parts.suffix == ".json" and (_APPROVALS in path or "fcop/" in path))


def calls_of_folder(files: Mapping[str, bytes]) -> Folder:
    """Return the calls of these files by path; one that can't be read is told and leaves the others."""
    reading = _Reading()
    for path in sorted(files):
        try:
            reading.read(path, files[path])
        except ImportRefused as refused:
            reading.folder.left_out.append(f"{path}: {refused} ({refused.rule})")
    return reading.whole()


@dataclass(slots=True)
class _Reading:
    folder: Folder = field(default_factory=Folder)
    shown: list[Shown] = field(default_factory=list)
    tasks: dict[str, Call] = field(default_factory=dict)
    later: list[tuple[str, Json]] = field(default_factory=list)
    reports: list[tuple[str, Mapping[str, Json]]] = field(default_factory=list)

    def read(self, path: str, content: bytes) -> None:
        named = _NAME.fullmatch(PurePosixPath(path).name)
        if named is not None:
            head = _head(content)
            if named[1] == "REPORT":
                self.reports.append((path, head))
            else:
                self._task(path, named[2], head)
            return
        record = read(content)
        self.folder.left_out += [f"{path}: {one}" for one in record.left_out]
        if _ACTIONS.fullmatch(path):
            self._add(path, codeflowmu.calls_of_actions(_actions(record)))
        elif codeflowmu.is_approval(record.value):
            self._add(path, codeflowmu.calls_of_approval(record.value))
        elif text_at(record.value, "kind") in {"failure", "recovery"}:
            self.later.append((path, record.value))
        else:
            self.folder.left_out.append(f"{path}: is no record that is read")

    def _add(self, path: str, calls: list[Call]) -> None:
        self.shown.append(Shown(label=f"{path}:", calls=calls))

    def _task(self, path: str, number: str, head: Mapping[str, Json]) -> None:
        stage = PurePosixPath(path).parent.name
        call = Call(
            call_id=PurePosixPath(path).stem,
            name="TASK",  # all of one turn: no task is a repeat of another, or stands in its place
            arguments=dict(head),
            gate=Gate.TASK,
            started=_STAGES.get(stage, Started.UNKNOWN),
        )
        call.task_open = stage in {"inbox", "active", "review"}
        call.point("requested", f"{path}: /")
        call.point("started", path)
        if any(text_at(row, "tool") == "approve_task" for _, row in items(dict(head), "transitions")):
            call.point("consumed", f"{path}: /transitions")
        self.tasks[number] = call

    def whole(self) -> Folder:
        """Give reports, failures and recoveries to their tasks, and merge what several files show."""
        for path, head in self.reports:
            self._report(path, head)
        for path, record in self.later:
            self._event(path, record)
        for call in self.tasks.values():
            _consumed(call)
        in_time = sorted(self.shown, key=lambda one: min([call.t or inf for call in one.calls], default=inf))
        self.folder.calls = [*sorted(self.tasks.values(), key=lambda call: call.call_id), *merged(in_time)]
        return self.folder

    def _report(self, path: str, head: Mapping[str, Json]) -> None:
        call = next((self.tasks[one] for one in _references(head) if one in self.tasks), None)
        if call is None:
            self.folder.left_out.append(f"{path}: is about no task of this folder")
            return
        status = text_at(dict(head), "status") or "none"
        kind = OutputClass.CLAIMS_RESULT if status == "done" else OutputClass.INCONCLUSIVE
        call.add(
            Output(text=f"{PurePosixPath(path).stem}: {status}", kind=kind, matched=f"status {status}"), pointer=path
        )
        call.persisted = ["report"]
        call.deliver(Delivered.UNKNOWN)

    def _event(self, path: str, record: Json) -> None:
        call = next(
            (self.tasks[one] for one in _numbers(text_at(record, "subject", "task_id")) if one in self.tasks), None
        )
        if call is None:
            self.folder.left_out.append(f"{path}: is about no task of this folder")
        elif text_at(record, "failure_type") in _FAILURES:
            word = text_at(record, "failure_type")
            call.add(Output(text=str(word), kind=OutputClass.INCONCLUSIVE, matched=f"failure {word}"), pointer=path)
            call.persisted = call.persisted or ["failure_record"]
            call.deliver(Delivered.UNKNOWN)
        elif text_at(record, "recovery_action") == "RETRY":
            call.rounds = (call.rounds or 1) + 1
            call.point("again", path)


def _consumed(call: Call) -> None:
    """Say that an approved report was read: whoever approves it had it."""
    if "consumed" in call.pointers and call.persisted == ["report"]:
        call.deliver(Delivered.REQUEST_ANSWERED)
        call.consumed = Consumed.YES
    call.task_open = call.task_open and not call.outputs


def _actions(record: Document) -> Sequence[tuple[int, Json]]:
    lines = record.lines or ((1, record.value),)
    for number, line in lines:
        if not codeflowmu.is_action(line):
            raise ImportRefused(f"line {number}", "format", "must be a row of action-log-v1")
    return lines


def _head(content: bytes) -> Mapping[str, Json]:
    """Return the head of a file of FCoP, as JSON that keeps numbers as written; raises `ImportRefused`."""
    try:
        found = _HEAD.match(content.decode())
    except UnicodeDecodeError:
        raise ImportRefused("", "utf_8", "must be UTF-8") from None
    if found is None:
        raise ImportRefused("", "format", "must begin with a head between lines of ---")
    try:
        head = yaml_text.read(found[1]).value
    except yaml_text.YamlRefused as refused:
        raise ImportRefused(f"line {refused.line + 1}", refused.rule, refused.message) from None
    if not isinstance(head, dict):
        raise ImportRefused("", "format", "must have a head of names and values")
    return _as_json(head)


def _as_json(head: object) -> Mapping[str, Json]:
    try:
        found = parse(json.dumps(head), deepest=DEEPEST)
    except StrictJsonError as refused:
        raise ImportRefused(refused.place, refused.rule, refused.message) from None
    return found if isinstance(found, dict) else {}


def _references(head: Mapping[str, Json]) -> Iterator[str]:
    for name in _REFERENCES:
        given = member(dict(head), name)
        for one in given if isinstance(given, list) else [given]:
            yield from _numbers(one if isinstance(one, str) else None)


def _numbers(reference: str | None) -> list[str]:
    """Return the number of the task in a reference: an id, a file's name or a path."""
    found = re.search(r"TASK-(\d{8}-\d{3})", reference or "")
    return [] if found is None else [found[1]]
