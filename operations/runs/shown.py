"""The calls of a run as all its records show them together: merged, judged, each fact with where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations.imports.call import Call
from operations.imports.judging import judge
from operations.imports.keeping import call_from
from operations.imports.merging import Shown, merged
from operations.imports.rules import Rule, apply
from operations.imports.words import Delivered, Gate, OutputClass, Started
from operations.reading import output_rules
from operations.reading import runs as reading

if TYPE_CHECKING:
    from operations.models import Call as CallRow
    from operations.models import OutputRule, Run, Showing, Transcript

# The output is with the model, as far as any record of a runtime can show it.
ARRIVED: Final = (Delivered.REQUEST_ANSWERED, Delivered.REPLAYED_HISTORY, Delivered.PROVIDER_SIDE)


def calls_of(run: Run) -> list[Call]:
    """Return the calls of a run in their order, judged by all records together."""
    found = merged(_records(reading.transcripts(run), reading.showings(run)))
    apply(found, rules())
    judge(found)
    return found


def shown_call(run: Run, row: CallRow) -> Call:
    """Return one call of a run as all records show it; its reasons, which rest on the other calls too, as they are kept."""
    return shown_calls(run, [row])[0]


def shown_calls(run: Run, rows: Sequence[CallRow]) -> list[Call]:
    """Return these calls of a run, each as `shown_call` does."""
    found = merged(_records(reading.transcripts(run), reading.showings(run, calls=rows))) if rows else []
    apply(found, rules())
    by_key = {(call.scope or "", call.call_id): call for call in found}
    calls = [by_key[row.scope, row.call_id] for row in rows]
    for row, call in zip(rows, calls, strict=True):
        call.reasons = list(row.reasons)
    return calls


def rules() -> list[Rule]:
    """Return the rules for outputs that hold."""
    return [rule_of(row) for row in output_rules.holding()]


def rule_of(row: OutputRule) -> Rule:
    """Return a row as a rule."""
    return Rule(number=row.number, version=row.version, tool=row.tool, pattern=row.pattern, says=OutputClass(row.says))


def _records(transcripts: Sequence[Transcript], showings: Iterable[Showing]) -> list[Shown]:
    by_record: dict[UUID, list[Call]] = {}
    for showing in showings:
        by_record.setdefault(showing.transcript_id, []).append(call_from(showing.facts))
    return [
        Shown(label=f"{number}:", calls=by_record[one.pk], exact=_is_exact(one))
        for number, one in enumerate(transcripts, start=1)
        if one.pk in by_record
    ]


def _is_exact(transcript: Transcript) -> bool:
    """Say whether a log of requests shows what was sent: it was read with the record, or is it."""
    return transcript.format == "requests" or transcript.read_with_id is not None


def is_open(call: Call) -> bool:
    """Say whether the records alone leave a call unresolved; one that a person refused before it started is not."""
    refused = call.gate is Gate.REJECTED and call.started is Started.NO
    return bool(call.reasons) and not refused


def is_done_if_harmless(call: Call) -> bool:
    """Say whether nothing of a call is unresolved where nothing protected can come of it: its output arrived."""
    return bool(call.outputs) and call.delivered in ARRIVED
