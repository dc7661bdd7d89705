"""A whole run: every act is traced, broken off at every point in every process, and counted."""

import math
import random
import time
from collections.abc import Sequence
from typing import Final

from tests.agentfaults.breaking import AGENT, TO_DESK, TO_TICKETS, trace, trial
from tests.agentfaults.network import DESK, TICKETS
from tests.agentfaults.planted import LOOKED_FOR, PLANTED, SHOWS
from tests.agentfaults.steps import missing
from tests.agentfaults.world import Act, World
from tests.faults.emptying import empty
from tests.faults.process import Ran
from tests.faults.running import EMPTIED_EVERY, TOLD_EVERY, Found, Run, Tell, first_turn

Planned = tuple[Act, str, str, int]
# A request may break in many ways, so that each round takes some of them.
WAYS_A_ROUND: Final = 2


def traced(world: World, acts: Sequence[Act], *, seed: int, rounds: int) -> Run:
    """Live every act without a fault: what it passes are its points, and nothing may be wrong yet or missing."""
    run = Run(seed, rounds)
    for act in acts:
        ran, wrong = trace(world, act)
        run.traced[act.name] = ran
        run.wrong_before += [f"{act.name}, without a fault: {one}" for one in wrong]
        if ran.outcome is None or not ran.outcome.good:
            run.wrong_before.append(f"{act.name}, without a fault: {ran.outcome}")
    run.missing = missing(run.traced.values())
    return run


def plan(run: Run, acts: Sequence[Act]) -> list[Planned]:
    """Return every point of every act in each process that is there to fail, in an order that the seed chooses."""
    chosen, whole = random.Random(run.seed), list[Planned]()  # noqa: S311  # chosen, not secret
    for round_ in range(run.rounds):
        once = [
            (act, point, process, round_ * times + time_ + first_turn(act.name, point))
            for act in acts
            for point, process, times in broken(run.traced[act.name])
            for time_ in range(times)
        ]
        chosen.shuffle(once)
        whole += once
    return whole


def broken(ran: Ran) -> list[tuple[str, str, int]]:
    """Return where a life breaks: its points, each with the process that fails there, and how often a round.

    A desk fails at each point of an exchange with it; a network where a request is about to be made. What lies between
    two exchanges is one place to both.
    """
    found = []
    for point in ran.passed:
        found.append((point, AGENT, 1))
        if f" {DESK}" in point:
            found.append((point, DESK, 1))
        if point.startswith(f"before connecting to {DESK}"):
            found.append((point, TO_DESK, WAYS_A_ROUND))
        if point.startswith((f"before connecting to {TICKETS}", "step leaving")):
            found.append((point, TO_TICKETS, WAYS_A_ROUND))
    return found


def least(run: Run) -> int:
    """Return how often the point was broken off that was least, in the process in which it was least."""
    counts = {(name, point, process): 0 for name, ran in run.traced.items() for point, process, _ in broken(ran)}
    for one in run.trials:
        if one.counts:
            counts[one.act, one.point, one.process] += 1
    return min(counts.values(), default=0)


def broken_off(
    world: World, planned: Sequence[Planned], run: Run, *, within: float = math.inf, tell: Tell, owns: bool = False
) -> None:
    """Break off what is planned, one after the other, until `within` seconds are over; `owns`: the database may be emptied."""
    began = time.monotonic()
    for count, (act, point, process, turn) in enumerate(planned, start=1):
        if time.monotonic() - began > within:
            tell(f"time is over after {count - 1} of {len(planned)} trials")
            break
        if owns and count % EMPTIED_EVERY == 1:
            empty()
        done = trial(world, act, point=point, process=process, turn=turn, seed=run.seed)
        run.trials.append(done)
        for said in done.wrong:
            tell(f"{done.where}: {said}")
        if count % TOLD_EVERY == 0:
            wrong = sum(bool(one.wrong) for one in run.trials)
            tell(f"{count} of {len(planned)} trials, {wrong} wrong, {time.monotonic() - began:.0f} s")
    run.seconds += time.monotonic() - began


def look_for_planted(world: World, acts: Sequence[Act], run: Run, *, everywhere: bool, tell: Tell) -> None:
    """Plant each bug in the agents' processes, and break off the act with which it is looked for: at a point, or at every."""
    named = {act.name: act for act in acts}
    for bug, plant in PLANTED.items():
        name, point, process, turn = LOOKED_FOR[bug]
        found = run.planted[bug] = Found()
        with plant():
            points = [(point, process, turn)]
            if everywhere:
                passed = trace(world, named[name])[0]
                points = [(one, kind, turn) for one, kind, _ in broken(passed) if kind == process]
            for one, kind, way in points:
                _look(world, named[name], one, kind, way, found, bug, seed=run.seed)
        tell(f"planted “{bug}”: found in {found.times} of {found.trials} trials; {found.first or 'never'}")


def _look(world: World, act: Act, point: str, process: str, turn: int, found: Found, bug: str, *, seed: int) -> None:
    done = trial(world, act, point=point, process=process, turn=turn, seed=seed)
    said = next((one for one in done.wrong if one.startswith(SHOWS[bug])), "")
    found.trials += 1
    found.times += bool(said)
    if said and not found.first:
        found.first = f"{done.where}: {said}"
