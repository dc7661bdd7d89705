"""One trial: a life of an agent is broken off at a point, everything comes back as in life, and three truths are compared."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tests.agentfaults.network import AT_WORK, DESK, TICKETS, TWICE, WAYS, Breaking
from tests.agentfaults.truths import wrong
from tests.agentfaults.world import Act, Case, World
from tests.faults.breaking import NOT_REACHED, STUCK, Trial
from tests.faults.process import Outcome, Process, Ran

AGENT: Final = "agent"
TO_DESK: Final = "network to the desk"
TO_TICKETS: Final = "network to the recipient"
PROCESSES: Final = (AGENT, DESK, TO_DESK, TO_TICKETS)
SILENCE: Final = "request lost in silence"
SHORT: Final = 2.0  # seconds that an agent waits where a request is lost in silence
HALF: Final = 0.5
FURTHER: Final = 1 / 3  # of the trials after which nobody has to do anything more, so many go on to a granted repeat
DESK_WAYS: Final = ("killed, back afterwards", "killed, back at once", AT_WORK)
ALL_WAYS: Final = {TO_DESK: (*WAYS, TWICE), TO_TICKETS: WAYS, DESK: DESK_WAYS, AGENT: ("killed",)}


def trace(world: World, act: Act) -> tuple[Ran, list[str]]:
    """Live an act without any fault: what it passes, and what is wrong already."""
    case = _prepared(world, act)
    first = world.lives(partial(case.do, case.agent))
    case.begun()
    if first.until_it_stops() is not False:
        first.kill()
    return first.ran, _taken_up(world, case, first.ran.outcome, late_first=True, further=True)


def trial(world: World, act: Act, *, point: str, process: str, turn: int, seed: int) -> Trial:
    """Break an act off at a point, take it up again, and judge; `turn` chooses the way, and the seed what is left open."""
    drawn = random.Random(f"{seed}, {act.name}, {point}, {process}, {turn}")  # noqa: S311  # chosen, not secret
    way = ALL_WAYS[process][turn % len(ALL_WAYS[process])]
    case = _prepared(world, act)
    if way == SILENCE and not case.silence:
        way = "request lost"
    agent = replace(case.agent, patience=SHORT) if way == SILENCE else case.agent
    first = world.lives(partial(case.do, agent), stop_at=point)
    case.begun()
    if first.until_it_stops() is not True:
        said = first.ran.outcome
        first.kill()
        return _trial(act, point, process, NOT_REACHED, [f"{NOT_REACHED}: {said}"])
    try:
        how = _befalls(world, process, way, drawn, first)
        further = case.needs_last or drawn.random() < FURTHER
        found = _taken_up(world, case, first.ran.outcome, late_first=drawn.random() < HALF, further=further)
    except AssertionError as error:  # a process that is stuck, a network that does not come to rest
        how, found = STUCK, [str(error)]
    return _trial(act, point, process, how, found)


def _trial(act: Act, point: str, process: str, how: str, wrong: list[str]) -> Trial:
    return Trial(act=act.name, point=point, process=process, how=how, wrong=wrong)


def _prepared(world: World, act: Act) -> Case:
    world.desk.begin()
    case = act.prepare(world)
    if case.is_away:
        world.network.breaks(DESK, Breaking(way="refused", times=None))
    return case


def _befalls(world: World, process: str, way: str, drawn: random.Random, first: Process) -> str:
    """Let it happen while the agent stands at its point, and let the agent go on to its end, if it may."""
    if process == AGENT:
        first.kill()
        return way
    delay, times, ending = drawn.uniform(0.0, 0.03), drawn.choice([1, None]), drawn.choice(["closed", "reset"])
    if way == AT_WORK:
        breaking = Breaking(way=AT_WORK, delay=delay, victim=world.desk.pid)
        world.network.breaks(DESK, breaking)
    elif process == DESK:
        world.desk.kill()
        if way == "killed, back at once":
            world.desk.begin()
    else:
        side = DESK if process == TO_DESK else TICKETS
        times = 1 if way in ("slow", SILENCE) else times
        world.network.breaks(side, Breaking(way=way, times=times, ending=ending, delay=delay))
    first.go_on()
    first.end()
    return way


def _taken_up(world: World, case: Case, first: Outcome | None, *, late_first: bool, further: bool) -> list[str]:
    """Everything is there again; the agent lives again, a person does what they may, and it lives a last time."""
    case.settles()
    world.desk.begin()
    world.network.heal()
    world.network.quiet()
    if late_first:
        world.network.release()
    said = [_lived(world, case.again, case)]
    if not late_first:
        world.network.release()
    if case.last is not None and further:
        case.person()
        said.append(_lived(world, case.last, case))
    world.network.quiet()
    lives = [*([] if first is None else [first]), *said]
    failed = [f"no envelope came back: {one.said}" for one in lives if not one.good]
    return failed or [*wrong(world, case, [_read(one) for one in lives])]


def _lived(world: World, life: Callable[..., Outcome], case: Case) -> Outcome:
    ran = Process(partial(life, case.agent), armed=lambda _: None).end()
    return ran.outcome or Outcome(status=500, said="it was killed")


def _read(outcome: Outcome) -> Mapping[str, Any]:
    found = json.loads(outcome.said) if outcome.good else {}
    return found if isinstance(found, dict) else {}
