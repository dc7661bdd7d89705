"""Every row of every table of semantics.md, changed one at a time; the proof must notice each change.

A `Flip` is a law or a table of permitted actions with one row dropped or one outcome exchanged. It is put to scenarios
in an order in which most changes show early; the first wrong answer that is no listed exception ends it. What changes
only words or the order of equals can't be seen by worlds: `WORDS_ALONE` lists those, each with its reason, and the
worked examples catch them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Final, NamedTuple

from operations.core.actions import Action
from operations.core.facts import Authority, Claim, Facts
from operations.core.permitted import PERMITTED, Bar, PermittedTable, permitted
from operations.core.protection import Protection
from operations.core.standing import LAW, Evidence, EvidenceRow, Finality, Law, Situation, infer
from tests.simulator.checks import wrongs
from tests.simulator.exhaustive import ALL_TERMS, Job, described, settings_of
from tests.simulator.sayings import Saying
from tests.simulator.scenario import Setting, Stage
from tests.simulator.view import View


class Flip(NamedTuple):
    """One change: the row, what was done to it, and the law and the table that result."""

    row: str
    change: str
    law: Law = LAW
    table: PermittedTable = PERMITTED


class Caught(NamedTuple):
    """How a change was noticed: by which check, in which scenario, after how many."""

    check: str
    scenario: str
    after: int


def _authority() -> Iterator[Flip]:
    for authority, claim in product(Authority, Claim):
        may = LAW.authority[authority]
        changed = {**LAW.authority, authority: may ^ {claim}}
        yield Flip(
            f"authority {authority}: {claim}", "dropped" if claim in may else "added", replace(LAW, authority=changed)
        )


def _conflicts() -> Iterator[Flip]:
    for row in LAW.conflicts:
        others = tuple([other for other in LAW.conflicts if other is not row])
        yield Flip(f"conflict: {row.kind}", "dropped", replace(LAW, conflicts=others))


def _outcomes(row: EvidenceRow) -> Iterator[tuple[str, EvidenceRow]]:
    for evidence in Evidence:
        if evidence is not row.evidence:
            yield f"evidence {evidence}", row._replace(evidence=evidence)
    for finality in (*Finality, None):
        if finality is not row.finality:
            yield f"finality {finality or 'as reported'}", row._replace(finality=finality)
    for situation in Situation:
        if situation is not row.situation:
            yield f"situation {situation}", row._replace(situation=situation)


def _evidence() -> Iterator[Flip]:
    for place, row in enumerate(LAW.evidence):
        before, after = LAW.evidence[:place], LAW.evidence[place + 1 :]
        yield Flip(f"evidence: {row.name}", "dropped", replace(LAW, evidence=before + after))
        for change, changed in _outcomes(row):
            yield Flip(f"evidence: {row.name}", change, replace(LAW, evidence=(*before, changed, *after)))
    for change, changed in _outcomes(LAW.contradiction):
        yield Flip("evidence: conflict", change, replace(LAW, contradiction=changed))


def _protection() -> Iterator[Flip]:
    for place, row in enumerate(LAW.protection):
        before, after = LAW.protection[:place], LAW.protection[place + 1 :]
        yield Flip(f"protection: {row.name}", "dropped", replace(LAW, protection=before + after))
        for protection in Protection:
            if protection is not row.protection:
                rows = (*before, row._replace(protection=protection), *after)
                yield Flip(f"protection: {row.name}", f"{protection}", replace(LAW, protection=rows))


def _with_cell(situation: Situation, action: Action, cell: tuple[Bar, ...]) -> PermittedTable:
    row: Mapping[Action, tuple[Bar, ...]] = {**PERMITTED[situation], action: cell}
    return {**PERMITTED, situation: row}


def _cell_changes(cell: tuple[Bar, ...]) -> Iterator[tuple[str, tuple[Bar, ...]]]:
    for place, bar in enumerate(cell):
        yield f"without {bar}", cell[:place] + cell[place + 1 :]
        if place and bar not in ALWAYS_DOWN:
            yield f"{bar} before {cell[place - 1]}", (*cell[: place - 1], bar, cell[place - 1], *cell[place + 1 :])
    other = Bar.SETTLED if cell[:1] == (Bar.CONTRADICTION,) else Bar.CONTRADICTION
    yield f"always {other}", (other,)


ALWAYS_DOWN: Final = frozenset({Bar.CONTRADICTION, Bar.HAPPENED, Bar.CLOSED, Bar.SETTLED, Bar.NOT_ESTABLISHED})


def _permitted() -> Iterator[Flip]:
    for situation, action in product(Situation, Action):
        for change, cell in _cell_changes(PERMITTED[situation][action]):
            yield Flip(f"permitted: {situation}: {action}", change, table=_with_cell(situation, action, cell))


def flips() -> list[Flip]:
    """Return every change of every row."""
    return [*_authority(), *_conflicts(), *_evidence(), *_protection(), *_permitted()]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario, built once for all changes."""

    facts: Facts
    now: float
    view: View
    setting: Setting
    said: tuple[Saying, ...]


def _jobs() -> Iterator[Job]:
    """Return the jobs in the order in which they show the most: short ones, channels, then longer ones."""
    key, none, paced = ALL_TERMS["window open"], ALL_TERMS["none"], ALL_TERMS["paced"]
    for pattern in ("", "a", "aa"):
        yield Job(settings_of(pattern, ALL_TERMS.values()))
    for pattern in ("o", "ao"):
        yield Job([Setting(pattern, key, for_good=True, sealed=True)], cells=True)
        yield Job([Setting(pattern, key, for_good=True, sealed=True, askable=False)])
    for pattern, successor in product(("", "o", "ao"), ("open", "no_effect")):
        yield Job([Setting(pattern, one, for_good=True, sealed=True, successor=successor) for one in (key, paced)])
    yield Job([Setting("oo", key, for_good=True, sealed=True)])
    yield Job([Setting("aoo", key, for_good=True, sealed=True, askable=False)])
    yield Job([Setting("aoo", key, for_good=True, sealed=True, successor="open")])
    for pattern in ("o", "ao", "oa", "aao", "aoa"):
        yield Job(settings_of(pattern, ALL_TERMS.values()))
    yield Job([Setting("aoo", one, for_good=True, sealed=True) for one in (key, none)], cells=True)
    for pattern in ("aoo", "oao", "aaoo", "aoao"):
        yield Job([Setting(pattern, one, for_good=True, sealed=True) for one in (key, none, paced)])


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Return the scenarios that every change is put to, in order."""
    found = []
    for job in _jobs():
        for setting in job.settings:
            stage = Stage(setting)
            now = stage.timeline.seconds_now
            found += [
                Scenario(stage.facts(said), now, View(stage, said), setting, said) for said in job.sequences(stage)
            ]
    return tuple(found)


def caught(flip: Flip) -> Caught | None:
    """Return how the proof notices this change, or None if it does not."""
    for after, scenario in enumerate(scenarios(), start=1):
        for check in _checked(flip, scenario):
            return Caught(check, described(scenario.setting, scenario.said), after)
    return None


def _checked(flip: Flip, scenario: Scenario) -> Iterator[str]:
    standing = infer(scenario.facts, now=scenario.now, law=flip.law)
    try:
        verdict = permitted(standing, table=flip.table)
    except IndexError:  # the core looks for who could have acted, and there is nobody
        yield "refused for harm, and the core finds no witness"
        return
    for wrong in wrongs(scenario.view, standing, verdict):
        if wrong.corner is None:
            yield wrong.check


_OTHER_REASON = "only the reason changes: the next rows say unestablished too; a worked example catches it"
WORDS_ALONE: Final[Mapping[tuple[str, str], str]] = {
    ("authority client: indeterminate", "added"): "it settles nothing anyway; a worked example sees that it is not "
    "listed among what doesn't count",
    (
        "evidence: the newest is a pending",
        "finality as reported",
    ): "the same: where the row holds, a pending is reported",
    ("evidence: otherwise", "dropped"): "the same: where no row holds, nothing is established either",
    ("protection: while it exists", "dropped"): _OTHER_REASON,
    ("protection: interval undocumented", "dropped"): _OTHER_REASON,
    ("protection: later", "dropped"): _OTHER_REASON,
    ("permitted: anything else: repeat", "too_soon before in_flight"): "only the sentence changes: both are manners",
}


NOT_NOTICED: Final = "NOT NOTICED"


def report() -> Iterator[str]:
    """Return a table in Markdown, a line for every change: the row, the change, what noticed it, and where first."""
    yield "| row | change | noticed by | in |"
    yield "|---|---|---|---|"
    for flip in flips():
        found = caught(flip)
        reason = WORDS_ALONE.get((flip.row, flip.change), NOT_NOTICED)
        check, scenario = (reason, "") if found is None else (found.check, found.scenario)
        yield f"| {flip.row} | {flip.change} | {check} | {scenario} |"
