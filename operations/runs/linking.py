"""Which calls of a run may be one and the same, on the wire and of the model; a person says so, and nothing else does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from operations.imports import linking
from operations.imports.call import Call
from operations.imports.linking import Link
from operations.reading import runs as reading
from operations.recording import links as recording
from operations.runs.shown import shown_call, shown_calls

if TYPE_CHECKING:
    from operations.models import Call as CallRow
    from operations.models import CallLink, Run

WIRE: Final = "mcp"
MOST: Final = 200


class NotProbable(Exception):
    """Nothing makes it probable that the two calls are one: they are on one side, or what was asked differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probable:
    """One call that may be the same: its row and what makes it probable."""

    row: CallRow
    link: Link


def probable(run: Run, row: CallRow) -> list[Probable]:
    """Return the calls of the other side of a run that may be this one; of a tool with more than 200 calls the first."""
    call = shown_call(run, row)
    rows = reading.calls_of_tool(run, tool=row.tool, but=row, limit=MOST)
    sides = reading.sides(run, [row, *rows], wire=WIRE)
    others = [one for one in rows if sides[one.pk] != sides[row.pk]]
    shown = shown_calls(run, others)
    by_key = {_key(one): other for one, other in zip(shown, others, strict=True)}
    return [Probable(row=by_key[_key(link.other)], link=link) for link in linking.links(call, shown)]


def _key(call: Call) -> tuple[str | None, str]:
    return call.scope, call.call_id


def confirm(run: Run, row: CallRow, other: int, *, by: str, now: datetime) -> CallLink:
    """Write a person's word that a call and another (its row's id) are one; raises `NotProbable`, `AlreadyLinked`."""
    found = next((one.row for one in probable(run, row) if one.row.pk == other), None)
    if found is None:
        raise NotProbable(str(other))
    wire = reading.sides(run, [row], wire=WIRE)[row.pk]
    return recording.link(wire=row if wire else found, model=found if wire else row, by=by, now=now)
