"""`manage.py import_transcript FILE [--request-log FILE]`: the tool calls of an agent's record, without a database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations.core.strict_json import written
from operations.imports import Call, Imported, ImportRefused, fcop, imported, imported_folder
from operations.imports.document import LARGEST

MOST_FILES = 10_000


def bytes_of(name: str) -> bytes:
    """Return what a file holds; raises `CommandError` where it can't be read or is too large to be a record."""
    try:
        with Path(name).open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from None


def visible(line: str) -> str:
    """Return a line in which everything of a record can be seen: controls, line ends and the like are escaped.

    Whoever wrote the record can't move the cursor or begin a line of ours with it.
    """
    return written(line)[1:-1].replace('\\"', '"')


def _lines(found: Imported) -> Iterator[str]:
    open_ = sum(bool(call.reasons) for call in found.calls)
    yield f"{found.format}: {len(found.calls)} calls, {open_} of them unresolved"
    for call in found.calls:
        yield f"{call.call_id}  {call.name or 'tool unknown'}  {', '.join(call.reasons) or 'nothing is open'}"
        yield from [f"    {line}" for line in _facts(call)]
    yield from found.left_out


def _facts(call: Call) -> Iterator[str]:
    yield f"gate {call.gate}, started {call.started}, delivered {call.delivered or 'nothing'}"
    if call.decision is not None:
        yield f"decision {call.decision}, delivered {call.decision_delivered}, used {call.decision_consumed}"
    yield from [f"output {output.kind}: {output.matched}" for output in call.outputs]
    yield from [f"{fact} at {', '.join(places)}" for fact, places in call.pointers.items()]


def _imported(file: Path, log: str | None) -> Imported:
    if not file.is_dir():
        return imported(bytes_of(str(file)), request_log=None if log is None else bytes_of(log))
    if log is not None:
        raise CommandError("A log of requests goes with a state of the Agents SDK, not with a folder.")
    return imported_folder(_files(file))


def _files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder that are read, by path; links are followed nowhere. Raises `CommandError` for too many."""
    found: dict[str, bytes] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file() or not fcop.wanted(name):
            continue
        size += path.stat().st_size
        if len(found) >= MOST_FILES or size > LARGEST:
            raise CommandError(
                f"{name}: the folder has more than {MOST_FILES} records, or than {LARGEST} bytes of them."
            )
        found[name] = bytes_of(str(path))
    return found


class Command(BaseCommand):
    """Print the calls of a record with what it shows of each; nothing is stored."""

    help = "Print the tool calls of an agent's record (docs/imports.md); nothing is stored."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            help="a record: RunState, Responses, Chat, Messages, MCP log, LangGraph export; or a folder of FCoP/CodeFlowMu",
        )
        parser.add_argument("--request-log", help="the log of the requests that a RunState's run made")
        parser.add_argument("--json", action="store_true", help="the facts as a JSON list, a call an object")
        parser.add_argument("--pointers", action="store_true", help="with --json: where in the record each fact stands")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print; a record that can't be read ends with status 1 and the place and the rule."""
        log = options["request_log"]
        try:
            found = _imported(Path(options["file"]), log)
        except ImportRefused as refused:
            raise CommandError(visible(f"{refused} ({refused.rule})")) from None
        if not options["json"]:
            self.stdout.write("\n".join(map(visible, _lines(found))))
            return
        calls = [
            {**call.shown(), **({"pointers": call.pointers} if options["pointers"] else {})} for call in found.calls
        ]
        self.stdout.write(json.dumps(calls, ensure_ascii=False, indent=1))
