"""What is owed to the agent is fetched with its answer, and told as read once a model replied to a request that held it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from unresolved import backlog, telling
from unresolved.carriers import Contract
from unresolved.desk import Unreachable
from unresolved.envelope import Envelope
from unresolved.kept import JournalUnwritable
from unresolved.recorder import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One answer that a request held: of which operation, how much of its record, for which call."""

    recipient: str
    identity: str
    links: int
    call: str


def fetched(recorder: Recorder, told: Envelope, contract: Contract, *, call: str = "", run: str = "") -> Envelope:
    """Return an answer with what is owed of its operation and `links`; unchanged where nothing is, or nobody can be asked.

    The answer that is returned was read after the result was given out: it covers those links at least.
    """
    if told.known_by != "desk" or told.operation is None:
        return told
    try:
        result = recorder.desk.result(told.operation, call=call, run=run)
        if result is None or not result["owed"]:
            return told
        links = int(result["links"])
    except (Unreachable, KeyError, TypeError, ValueError):
        return told
    try:
        newer = recorder.collect(contract, identity=told.identity)
    except JournalUnwritable:  # what was told before stays true
        return told
    if newer is None or newer.known_by != "desk":
        return told
    return replace(newer, links=links, reason=newer.reason or told.reason, reply=told.reply)


def was_read(recorder: Recorder, read: Read, *, run: str = "", request: str = "") -> None:
    """Record that a model replied to a request that held this answer; the desk is told by the next `ship`, once.

    Of an operation that this journal or the desk doesn't know nothing is recorded. Raises `JournalUnwritable`.
    """
    of = recorder.journal.operation(read.recipient, identity=read.identity)
    attempts = [] if of is None else recorder.journal.attempts(of.key)
    if of is None or not attempts or backlog.desk_id(recorder.journal, of.key) is None:
        return
    event = telling.answered(of, links=read.links, call=read.call, run=run, request=request)
    recorder.journal.note(attempts[-1], event, at=recorder.clock())


def envelope_in(text: object) -> Mapping[str, Any] | None:
    """Return the answer of a guarded tool that a text is, None if it is none. It may be anybody's: it proves nothing."""
    if not isinstance(text, str) or not text.startswith("{") or '"operation"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    named = isinstance(value, dict) and {"operation", "identity", "tool", "next", "known_by"} <= value.keys()
    return value if named else None
