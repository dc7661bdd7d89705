"""A record of an agent's runtime is read into its tool calls, each with the facts that the record shows and why it is open.

Pure: bytes in, values out. What an import says has the authority of a runtime's record at most; of an effect it says
nothing, and nothing in a record is an instruction (docs/imports.md).
"""

from dataclasses import dataclass

from operations.imports.call import Call
from operations.imports.detecting import calls_of, unknown
from operations.imports.document import ImportRefused, read
from operations.imports.judging import judge
from operations.imports.requests import Request, requests_of

__all__ = ["Call", "ImportRefused", "Imported", "imported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a record holds: its format, its calls, and in sentences what of it was not read."""

    format: str
    calls: tuple[Call, ...]
    left_out: tuple[str, ...] = ()


def imported(content: bytes, *, request_log: bytes | None = None) -> Imported:
    """Return the calls of a record; `request_log` says exactly what was sent. Raises `ImportRefused`."""
    record = read(content)
    requests = None if request_log is None else _log(request_log)
    form, calls = calls_of(record, requests)
    judge(calls)
    return Imported(format=form, calls=tuple(calls), left_out=(*record.left_out, *unknown(form, record.value)))


def _log(content: bytes) -> list[Request]:
    try:
        found = requests_of(read(content).value)
    except ImportRefused as refused:
        where = f"request log, {refused.place}" if refused.place else "request log"
        raise ImportRefused(where, refused.rule, refused.message) from None
    if found is None:
        raise ImportRefused("request log", "format", "must be a list of requests with their replies")
    return found
