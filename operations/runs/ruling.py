"""People's rules for outputs, tried on what is on record before they are written, and in force from then on.

No kept fact changes: a rule adds a class to what is read, and the lists are judged anew, run by run.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.db import transaction

from operations.imports.keeping import call_from
from operations.imports.outputs import Output
from operations.imports.rules import MAY_SAY, PatternRefused, Rule, checked, fits, ruled
from operations.imports.words import OutputClass
from operations.reading import output_rules as reading
from operations.recording import output_rules as recording
from operations.recording import runs as runs_recording
from operations.runs.bringing import rejudge
from operations.runs.shown import rules

if TYPE_CHECKING:
    from operations.models import Call, OutputRule

MOST_TRIED: Final = 2_000
MOST_RULES: Final = 100
RUNS: Final = 50
NEXT: Final = 2**31  # the number of a rule that is not written yet: behind all others


class TooManyRules(Exception):
    """As many rules hold as may; one has to be ended first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One output on record that a pattern fits, its class by the rules that hold, and by them and this one."""

    call: Call
    output: Output
    before: OutputClass
    taken_for: OutputClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule would add: among how many calls it was tried, and the outputs that its pattern fits."""

    calls: int
    found: tuple[Tried, ...]


def try_on(*, tool: str, pattern: str, says: OutputClass, number: int | None, among: Collection[int] | None) -> Trial:
    """Return which outputs on record a rule would fit, the newest first; writes nothing. Raises `PatternRefused`."""
    rule = Rule(number=number or NEXT, version=NEXT, tool=tool, pattern=checked(pattern), says=says)
    holding = rules()
    after = [*[one for one in holding if one.number != rule.number], rule]
    calls, found = 0, list[Tried]()
    for showing in reading.showings(tool=tool, among=among, limit=MOST_TRIED):
        calls += 1
        call = call_from(showing.facts)
        found += [
            Tried(
                call=showing.call,
                output=one,
                before=ruled(one, tool=call.name, rules=holding).taken_for,
                taken_for=ruled(one, tool=call.name, rules=after).taken_for,
            )
            for one in call.outputs
            if fits(rule.pattern, one.text)
        ]
    return Trial(calls=calls, found=tuple(found))


def write(
    *, tool: str, pattern: str, says: OutputClass, by: str, now: datetime, number: int | None, version: int | None
) -> OutputRule:
    """Write a rule, or the next version of one. Raises `PatternRefused`, `TooManyRules` and recording's own refusals."""
    if says not in MAY_SAY:
        raise PatternRefused("says", "A rule can't say that of an output.")
    with transaction.atomic():
        row = recording.write(
            tool=tool, pattern=checked(pattern), says=says.value, by=by, now=now, number=number, version=version
        )
        if len(reading.holding()) > MOST_RULES:
            raise TooManyRules
    return row


def follow() -> bool:
    """Judge the next runs that don't follow the rules yet, and say whether more are left; again it changes nothing.

    How far that got is on record, so that whoever comes next goes on from there.
    """
    behind = recording.behind()
    if behind is None:
        return False
    upto = judge_anew(tool="", after=behind.after)
    recording.followed(behind, upto=upto)
    return upto is not None


def judge_anew(*, tool: str, after: int = 0) -> int | None:
    """Judge up to 50 runs by the rules that hold; return behind which run the next begin, None after the last.

    A run that was judged already is written only where that differs.
    """
    found = reading.runs_of(tool, after=after, limit=RUNS)
    for run in found:
        with transaction.atomic():
            runs_recording.hold(run.pk)
            rejudge(run)
    return found[-1].pk if len(found) == RUNS else None
