"""Whether a run that went on got every output that it was owed, by its records on record: the rules are those for files.

A run may have several states and several logs of requests. Each is known by its number, as the run's page shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.imports.next_input import Fault, faults_of
from operations.reading import runs as reading
from operations.runs.bringing import document_of

if TYPE_CHECKING:
    from operations.models import Run, Transcript

STATES: Final = frozenset({"run_state"})
# A list of items is the input of one request.
REQUESTS: Final = frozenset({"requests", "items"})


class NotCheckable(Exception):
    """A record that the check needs is not there, or is of another kind; says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is wrong with the input that followed a state, by the records of these numbers; no `faults`: nothing."""

    state: int
    request: int
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """Which records of a run are states and which are requests, by number, in the order in which they came."""

    states: tuple[int, ...]
    requests: tuple[int, ...]


def choices(transcripts: Sequence[Transcript]) -> Choices:
    """Return which of a run's records can be checked against which."""
    numbered = list(enumerate(transcripts, start=1))
    return Choices(
        states=tuple([number for number, one in numbered if one.format in STATES]),
        requests=tuple([number for number, one in numbered if one.format in REQUESTS]),
    )


def check(run: Run, *, state: int | None = None, request: int | None = None) -> Checked:
    """Return what is wrong with the input that followed `state`; where none is named the newest of each kind is meant.

    Raises `NotCheckable`, and `ImportRefused` where a record can't be read so.
    """
    transcripts = reading.transcripts(run)
    found = choices(transcripts)
    before = _chosen(state, found.states, "a state of the Agents SDK")
    after = _chosen(request, found.requests, "a log of requests")
    values = [document_of(reading.content(transcripts[number - 1])).value for number in (before, after)]
    return Checked(state=before, request=after, faults=tuple(faults_of(*values)))


def _chosen(number: int | None, numbers: Sequence[int], what: str) -> int:
    if not numbers:
        raise NotCheckable(f"No record of this run is {what}.")
    if number is None:
        return numbers[-1]
    if number not in numbers:
        raise NotCheckable(f"Record {number} of this run is not {what}.")
    return number
