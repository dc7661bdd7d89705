"""The actions, done at a desk, and the effects counted when everything that was on its way has come to its end."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from escalation.rehearsing.agent import Agent
from escalation.rehearsing.desk import KEY, KEYS, NEW, Desk
from escalation.rehearsing.scenes import Scene, Way
from operations.core.consequences import MOST, Consequence, Effects
from operations.core.facts import Seconds


class Doing(StrEnum):
    """What is done next: the columns of the table of consequences, and asking."""

    STOP = "stop"
    OBSERVE = "observe"
    REPEAT = "repeat"
    REPEAT_AFTER_WINDOW = "repeat_after_window"
    PROPOSE_NEW = "propose_new"


def predicted(doing: Doing, row: Consequence) -> Effects | None:
    """Return the most effects that the core tells for one history; None where there is no such column."""
    cells = {
        Doing.REPEAT: row.repeat,
        Doing.REPEAT_AFTER_WINDOW: row.repeat_after_window,
        Doing.PROPOSE_NEW: row.propose_new,
    }
    return cells.get(doing, row.stop)


def _stop(_: Agent, __: Seconds) -> None:
    """Nothing is sent."""


def _observe(agent: Agent, _: Seconds) -> None:
    agent.desk.record(KEY)


def _repeat(agent: Agent, _: Seconds) -> None:
    agent.desk.ask_for_ticket(KEY, account=agent.repeats_as)


def _repeat_after_window(agent: Agent, window: Seconds) -> None:
    agent.desk.advance(window)
    _repeat(agent, window)


def _propose_new(agent: Agent, _: Seconds) -> None:
    agent.desk.ask_for_ticket(NEW)


DO: Final[dict[Doing, Callable[[Agent, Seconds], None]]] = {
    Doing.STOP: _stop,
    Doing.OBSERVE: _observe,
    Doing.REPEAT: _repeat,
    Doing.REPEAT_AFTER_WINDOW: _repeat_after_window,
    Doing.PROPOSE_NEW: _propose_new,
}


def played(scene: Scene, way: Way, *, desk: Desk, window: Seconds, collected: bool = False) -> Agent:
    """Let the agent play its part in a history that the desk was told to make so; what comes unseen has come.

    `collected`: every ticket is handed over as soon as it is issued.
    """
    agent = Agent(desk, sealed=scene.sealed, repeats_as=scene.repeats_as, collected=collected)
    way.stage(desk)
    scene.acts(agent, window)
    if way.unseen == "arrives":
        desk.release(desk.held(KEY)[0])
    elif way.unseen:
        for passage in desk.pending(KEY):
            desk.finish(passage, handling=way.unseen)
    if collected:
        desk.collect_all()
    return agent


def effects(doing: Doing, way: Way, *, agent: Agent, window: Seconds) -> int:
    """Do it, let everything that is on its way arrive and end, and return how many effects exist: 0, 1, or 2 for more."""
    desk = agent.desk
    DO[doing](agent, window)
    for key in KEYS:
        while held := desk.held(key):
            desk.release(held[0])  # what was on its way may be in work next
        for passage in desk.pending(key):
            desk.finish(passage, handling="issue")
    if way.copies:
        desk.copy_all(KEY)
    return min(sum(desk.tickets(key) for key in KEYS), MOST)
