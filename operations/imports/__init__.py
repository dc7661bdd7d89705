"""A record of an agent's runtime is read into its tool calls, each with the facts that the record shows and why it is open.

Pure: bytes in, values out. What an import says has the authority of a runtime's record at most; of an effect it says
nothing, and nothing in a record is an instruction (docs/imports.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from operations.imports import fcop
from operations.imports.call import Call
from operations.imports.detecting import calls_of, unknown
from operations.imports.document import Document, ImportRefused, read
from operations.imports.hints import hints_of
from operations.imports.judging import judge
from operations.imports.requests import Request, requests_of

__all__ = ["MOST_CALLS", "Call", "ImportRefused", "Imported", "imported", "imported_folder", "imported_of"]

# Of one record that is kept; whoever reads a list of more has no use for it.
MOST_CALLS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a record holds: its format, its calls, and in sentences what of it was not read.

    `hints` are what servers say of their own tools, by name: a stranger's words.
    """

    format: str
    calls: tuple[Call, ...]
    left_out: tuple[str, ...] = ()
    hints: dict[str, str] = field(default_factory=dict)


def imported(content: bytes, *, request_log: bytes | None = None) -> Imported:
    """Return the calls of a record; `request_log` says exactly what was sent. Raises `ImportRefused`."""
    record = read(content)
    return imported_of(record, request_log=None if request_log is None else _read_log(request_log))


def imported_of(record: Document, *, request_log: Document | None = None) -> Imported:
    """Return the calls of a record that was read already; raises `ImportRefused`."""
    requests = None if request_log is None else _log(request_log)
    form, calls = calls_of(record, requests)
    judge(calls)
    return Imported(
        format=form,
        calls=tuple(calls),
        left_out=(*record.left_out, *unknown(form, record.value)),
        hints=hints_of(record),
    )


def imported_folder(files: Mapping[str, bytes]) -> Imported:
    """Return the calls of a folder of FCoP and CodeFlowMu, by the paths of its files; raises `ImportRefused` where none is read."""
    found = fcop.calls_of_folder(files)
    if not found.calls:
        why = found.left_out[0] if found.left_out else "it has no task, no approval and no log of actions"
        raise ImportRefused("", "format", f"is no folder of FCoP or CodeFlowMu: {why}")
    judge(found.calls)
    return Imported(format="fcop", calls=tuple(found.calls), left_out=tuple(found.left_out))


def _read_log(content: bytes) -> Document:
    try:
        return read(content)
    except ImportRefused as refused:
        where = f"request log, {refused.place}" if refused.place else "request log"
        raise ImportRefused(where, refused.rule, refused.message) from None


def _log(record: Document) -> list[Request]:
    found = requests_of(record.value)
    if found is None:
        raise ImportRefused("request log", "format", "must be a list of requests with their replies")
    return found
