"""What is broken off: the lives of an agent, from naming an intent to the word that its model has read the result."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from escalation.decisions.protected_repeat import protected_repeat
from tests.agentfaults import agent as lives
from tests.agentfaults.agent import Agent, goes_on
from tests.agentfaults.network import DESK, TICKETS, Breaking
from tests.agentfaults.proxied import through_the_proxy
from tests.agentfaults.runtimes import a_run_begins, a_run_goes_on, a_thread
from tests.agentfaults.world import Act, Case, World, find
from tests.faults.acts.deciding import taker
from tests.faults.process import Outcome
from tests.faults.scenes import Intended
from unresolved import Mode

Life = Callable[[Agent], Outcome]
SINCE: Final = 60.0  # seconds ago; the recipient wants some between two requests


def call(life: Life, world: World, **more: Any) -> Case:
    """A first call. Whatever came of it, the same call comes again; where a person may, they grant a repeat, and it comes once more."""
    made = Intended(world.stage)
    is_away = more.pop("is_away", False)
    first = world.agent(made, ago=SINCE, **more)
    return Case(
        made=made,
        agent=first,
        do=life,
        again=lambda agent: goes_on(replace(agent, ago=SINCE / 2), life),
        person=lambda: grant(world, made),
        last=lambda agent: goes_on(replace(agent, ago=0.0), life),
        needs_last=False,
        is_away=is_away,
    )


def grant(world: World, made: Intended) -> None:
    """A person lets the agent send the same once more, where that is permitted."""
    row = find(made)
    if row is None or row.evidence == "applied":
        return
    from operations.recording import NotPermitted

    try:
        protected_repeat(row.id, taker(world.stage, made, "otto"), executor="agent")
    except NotPermitted:
        return


def lost(world: World, *, ago: float = SINCE) -> tuple[Intended, Agent]:
    """An intent whose first request went out and whose reply was lost; the desk knows as much."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=ago)
    world.network.breaks(TICKETS, Breaking(way="reply lost"))
    _lived(partial(goes_on, agent, lives.calls))
    assert find(made) is not None
    return made, replace(agent, ago=0.0)


def _lived(life: Callable[[], Outcome]) -> None:
    from tests.faults.process import Process

    ran = Process(life, armed=lambda _: None).end()
    assert ran.outcome is not None
    assert ran.outcome.good, ran.outcome


def repeat_with_a_grant(world: World) -> Case:
    """A person granted a repeat; the agent collects the grant and sends once more."""
    made, agent = lost(world)
    grant(world, made)
    return Case(made=made, agent=agent, do=lives.calls, again=lambda agent: goes_on(agent, lives.calls))


def ship_what_was_left(world: World) -> Case:
    """The desk was away during a call; a timer's command tells it what the journal holds."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=SINCE)
    world.network.breaks(DESK, Breaking(way="refused", times=None))
    _lived(partial(lives.calls, agent))
    world.network.heal()
    return Case(made=made, agent=agent, do=lives.ships, again=lives.ships)


def ship_what_a_killed_agent_left(world: World) -> Case:
    """An agent was killed once its request had left; a timer's command hands its attempt over and tells of it."""
    made = Intended(world.stage)
    agent = world.agent(made, ago=SINCE)
    killed = world.lives(partial(lives.calls, agent), stop_at="more bytes to tickets")
    assert killed.until_it_stops() is True
    killed.kill()
    world.network.quiet()
    return Case(made=made, agent=agent, do=lives.ships, again=lives.ships)


_ACTS: Final[dict[str, Callable[[World], Case]]] = {
    "call": partial(call, lives.calls),
    "call by requests": partial(call, lives.calls_by_requests),
    "call by httpx": partial(call, lives.calls_by_httpx),
    "call strictly": partial(call, lives.calls, mode=Mode.DESK),
    "call while the desk is away": partial(call, lives.calls, is_away=True),
    "call strictly while the desk is away": partial(call, lives.calls, mode=Mode.DESK, is_away=True),
    "ship what was left": ship_what_was_left,
    "ship what a killed agent left": ship_what_a_killed_agent_left,
    "repeat with a grant": repeat_with_a_grant,
    "call through the MCP proxy": through_the_proxy,
    "a run begins": a_run_begins,
    "a run goes on": a_run_goes_on,
    "a thread": a_thread,
}
ACTS: Final = tuple([Act(name=name, prepare=prepare) for name, prepare in _ACTS.items()])
