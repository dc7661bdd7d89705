"""A whole run: every act is traced, broken off at every point in every process, and counted."""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from zlib import crc32

from tests.faults.breaking import Trial, trace, trial
from tests.faults.case import Act
from tests.faults.emptying import empty
from tests.faults.journal import Journal
from tests.faults.planted import LOOKED_FOR, PLANTED
from tests.faults.process import Ran
from tests.faults.stage import Stage
from tests.faults.ways import missing

BESIDE: Final = ("database", "broker")
TOLD_EVERY: Final = 100
EMPTIED_EVERY: Final = 50
# What the oracle itself says, as against an act that says what it lacks.
OWN: Final = ("extra effect", "attempt unrecorded")

Tell = Callable[[str], Any]
Planned = tuple[Act, str, str, int]


@dataclass(slots=True)
class Found:
    """In how many trials a planted bug was found, and the first sentence by which it was."""

    trials: int = 0
    times: int = 0
    first: str = ""


@dataclass(slots=True)
class Run:
    """What was broken off and what came of it; `earlier`: so many of the trials were made by runs before this one."""

    seed: int
    rounds: int
    traced: dict[str, Ran] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    wrong_before: list[str] = field(default_factory=list)
    planted: dict[str, Found] = field(default_factory=dict)
    seconds: float = 0.0
    earlier: int = 0

    @property
    def failures(self) -> list[str]:
        """Why the run has failed; empty where it has not."""
        found = [*self.missing, *self.wrong_before]
        found += [f"{one.where}: {said}" for one in self.trials for said in one.wrong]
        found += [f"the planted bug “{name}” was not found" for name, one in self.planted.items() if not one.times]
        return found


def traced(stage: Stage, acts: Sequence[Act], *, seed: int, rounds: int) -> Run:
    """Play every act without a fault: what it passes are its points, and nothing may be wrong yet or missing."""
    run = Run(seed, rounds)
    for act in acts:
        ran, wrong = trace(stage, act)
        run.traced[act.name] = ran
        run.wrong_before += [f"{act.name}, without a fault: {one}" for one in wrong]
        if ran.outcome is None or not ran.outcome.good:
            run.wrong_before.append(f"{act.name}, without a fault: {ran.outcome}")
    run.missing = missing(run.traced.values())
    return run


def plan(run: Run, acts: Sequence[Act], earlier: Sequence[Trial] = ()) -> list[Planned]:
    """Return every point of every act in each process, round after round, each in an order that the seed chooses.

    What was broken off `earlier` is left out as often as it was.
    """
    once = [
        (act, point, process)
        for act in acts
        for point in run.traced[act.name].passed
        for process in (act.process, *BESIDE)
    ]
    had = Counter((one.act, one.point, one.process) for one in earlier if one.counts)
    chosen, whole = random.Random(run.seed), list[Planned]()  # noqa: S311  # chosen, not secret
    for round_ in range(run.rounds):
        chosen.shuffle(once)
        whole += [
            (act, point, process, round_ + first_turn(act.name, point))
            for act, point, process in once
            if had[act.name, point, process] <= round_
        ]
    return whole


def first_turn(act: str, point: str) -> int:
    """Return another number for each point, so that of what may befall a process some of each comes in every round."""
    return crc32(f"{act}, {point}".encode())


def broken_off(
    stage: Stage,
    planned: Sequence[Planned],
    run: Run,
    *,
    within: float = math.inf,
    tell: Tell,
    journal: Journal | None = None,
) -> None:
    """Break off what is planned, one after the other, until `within` seconds are over; each is written down at once."""
    began = time.monotonic()
    for count, (act, point, process, turn) in enumerate(planned, start=1):
        if time.monotonic() - began > within:
            tell(f"time is over after {count - 1} of {len(planned)} trials")
            break
        if stage.crashes and count % EMPTIED_EVERY == 1:
            empty()
        done = trial(stage, act, point=point, process=process, turn=turn)
        run.trials.append(done)
        if journal is not None:
            journal.add([done])
        for said in done.wrong:
            tell(f"{done.where}: {said}")
        if count % TOLD_EVERY == 0:
            wrong = sum(bool(one.wrong) for one in run.trials)
            tell(f"{count} of {len(planned)} trials, {wrong} wrong, {time.monotonic() - began:.0f} s")
    run.seconds += time.monotonic() - began


def look_for_planted(stage: Stage, acts: Sequence[Act], run: Run, *, everywhere: bool, tell: Tell) -> None:
    """Plant each bug and break off the act with which it is looked for: at one point, or at every point."""
    named = {act.name: act for act in acts}
    for bug, plant in PLANTED.items():
        name, point, process = LOOKED_FOR[bug]
        found = run.planted[bug] = Found()
        with plant():
            points = trace(stage, named[name])[0].passed if everywhere else [point]
            for one in points:
                _look(stage, named[name], one, process, found)
        tell(f"planted “{bug}”: found in {found.times} of {found.trials} trials; {found.first or 'never'}")


def _look(stage: Stage, act: Act, point: str, process: str, found: Found) -> None:
    done = trial(stage, act, point=point, process=process, turn=1)
    said = next((one for one in done.wrong if one.startswith(OWN)), "")
    found.trials += 1
    found.times += bool(said)
    if said and not found.first:
        found.first = f"{done.where}: {said}"
