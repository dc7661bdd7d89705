"""A record that holds this desk's own answer to a call, in a request to the model, evidences that the result arrived.

It takes all of this: a person bound the call to the operation, the output is an answer of this desk that names that
operation and says what is settled, and a request carried it that was answered, or that the service's own list of the
conversation holds. Of a request whose reply is not on record only that it was sent is known. An output of any other kind
says nothing of a result, and a record says nothing of the effect (docs/imports.md).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations.core.strict_json import StrictJsonError, parse
from operations.imports import Call
from operations.imports.document import member
from operations.imports.words import Consumed, Delivered, OutputClass
from operations.reading import owed
from operations.reading import runs as reading
from operations.recording import delivering
from operations.recording import runs as recording
from operations.runs.shown import ARRIVED, shown_call

if TYPE_CHECKING:
    from operations.models import Call as CallRow
    from operations.models import CallBinding, Run, Transcript

_READ: Final = (Consumed.YES, Consumed.REPLAYED_HISTORY)
_LISTED: Final = "server_list"
# What an answer of this desk says, and the claims that settle an operation so.
_SETTLED_BY: Final = {"applied": ("applied",), "not_applied": ("closed", "attempt refused")}


def bind(row: CallRow, operation_id: UUID, *, by: str, now: datetime) -> CallBinding:
    """Bind a call to an operation and keep what its records evidence of a hand-over; raises `recording.AlreadyBound`."""
    found = recording.bind(row, operation_id, by=by, now=now)
    _evidence(row, operation_id, reading.transcripts(row.run), by=by, now=now)
    return found


def evidence(run: Run, *, by: str, now: datetime) -> None:
    """Keep what the records of a run evidence of the results of the operations that its calls are bound to."""
    bound = sorted(
        reading.bound_calls(run), key=lambda one: one.operation_id
    )  # each is locked: one order for everybody
    transcripts = reading.transcripts(run) if bound else []
    for one in bound:
        _evidence(one.call, one.operation_id, transcripts, by=by, now=now)


def _evidence(row: CallRow, operation_id: UUID, transcripts: list[Transcript], *, by: str, now: datetime) -> None:
    call = shown_call(row.run, row)
    links = _links(call, operation_id)
    if links is None or call.delivered not in (*ARRIVED, Delivered.SENT_NO_REPLY):
        return
    step = _step(call)
    label, _, pointer = call.pointers["output"][-1].partition(": ")
    told = delivering.Told(event=f"shown:{row.pk}:{step}:{links}", step=step, links=links, call=call.call_id[:200])
    transcript = transcripts[int(label) - 1]
    delivering.show(operation_id, told, transcript=transcript, pointer=pointer, by=f"record brought by {by}", now=now)


def _step(call: Call) -> delivering.Step:
    """Return how far the output of a call got; one that the service lists itself got there, replied to or not."""
    if call.consumed in _READ:
        return delivering.Step.ANSWERED
    arrived = call.delivered in ARRIVED or _LISTED in call.persisted
    return delivering.Step.CARRIED if arrived else delivering.Step.SENT


def _links(call: Call, operation_id: UUID) -> int | None:
    """Return how much of an operation's record the call's answer covers, None where it is no answer about what settled it."""
    words = [output.matched for output in call.outputs if _is_about(output.text, output.kind, operation_id)]
    claims = {claim for word in words for claim in _SETTLED_BY.get(word, ())}
    settled = [position for position, what, _ in owed.settled_or_decided(operation_id) if what in claims]
    return min(settled) + 1 if settled else None


def _is_about(text: str, kind: OutputClass, operation_id: UUID) -> bool:
    if kind is not OutputClass.ENVELOPE:
        return False
    try:
        return member(parse(text), "operation") == str(operation_id)
    except StrictJsonError:
        return False
