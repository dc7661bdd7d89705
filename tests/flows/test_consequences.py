"""Consequences are true: drive the desk into each history, do the action, count the tickets.

This is the acceptance test of the product. A scene is what an agent does and learns; its histories are asked of the
core, and for each the desk is told beforehand to make that history so. Each pair of history and action runs on a desk of
its own. The count has to be the cell; where the cell is "unknown", nothing that the recipient says bounds it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from operations.core.histories import HistoryKind, consequences
from tests.flows.agent import KEY, PARCEL, PATIENCE, Agent
from tests.recipients.fixtures import CollectionDesk, desk_on

DAY = 86_400
PROTECTED: dict[str, Any] = {"keeps_for": DAY, "after": "runs_as_new"}
UNPROTECTED: dict[str, Any] = {"mechanism": "none"}
H = HistoryKind
Stage = Callable[[CollectionDesk], None]


def nothing(_: CollectionDesk) -> None:
    """The desk does as it always does."""


def told(**instruction: Any) -> Stage:
    """The desk is told what to do with the next request under the agent's key."""
    return lambda desk: desk.control.tell(key=KEY, **instruction)


def each(*stages: Stage) -> Stage:
    """One stage after the other: the first instruction meets the first attempt."""

    def both(desk: CollectionDesk) -> None:
        for stage in stages:
            stage(desk)

    return both


def somebody_else(stage: Stage) -> Stage:
    """Another writer, which has not sealed its record, asks for the same under a number of its own."""

    def first(desk: CollectionDesk) -> None:
        stage(desk)
        desk.public.ask_for_ticket(f"{KEY}-other", parcel=PARCEL, within=PATIENCE)

    return first


LOST, REPLY_LOST, IN_WORK = told(request="lost"), told(reply="lost"), told(work="held")
ACCEPTED = told(handling="accept")
OTHER_ACTS = somebody_else(each(LOST, lambda desk: desk.control.tell(key=f"{KEY}-other", reply="lost")))
OTHER_IN_WORK = somebody_else(each(LOST, lambda desk: desk.control.tell(key=f"{KEY}-other", work="held")))


def once(agent: Agent) -> None:
    agent.attempt()


def twice(agent: Agent) -> None:
    agent.attempt()
    agent.attempt()


def once_and_ask(agent: Agent) -> None:
    agent.attempt()
    agent.ask()


def close(agent: Agent) -> None:
    agent.attempt()
    agent.desk.public.close(KEY)
    agent.ask()


def lapse(agent: Agent) -> None:
    agent.attempt()
    agent.desk.control.advance(DAY)


def never(agent: Agent) -> None:
    """The agent has not sent anything yet."""


def not_connected(agent: Agent) -> None:
    agent.fail_to_connect()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the agent does on which terms, and for each history how the desk makes it so."""

    acts: Callable[[Agent], None]
    stages: dict[HistoryKind, Stage]
    terms: dict[str, Any] = field(default_factory=lambda: PROTECTED)
    sealed: bool = True


UNKNOWN_ONE = {H.REQUEST_LOST: LOST, H.UNDER_WAY: IN_WORK, H.REPLY_LOST: REPLY_LOST}
SCENES = {
    "nothing was sent": Scene(acts=never, stages={H.NOTHING_SENT: nothing}),
    "no byte left": Scene(acts=not_connected, stages={H.NEVER_LEFT: nothing}),
    "no answer": Scene(acts=once, stages=UNKNOWN_ONE),
    "no answer, nothing protects": Scene(acts=once, stages=UNKNOWN_ONE, terms=UNPROTECTED),
    "no answer, and the number is kept no longer": Scene(acts=lapse, stages=UNKNOWN_ONE),
    "no answer twice": Scene(
        acts=twice,
        stages={
            H.REQUEST_LOST: each(LOST, LOST),
            H.UNDER_WAY: each(IN_WORK, LOST),
            H.REPLY_LOST: each(REPLY_LOST, LOST),
        },
    ),
    "no answer twice, nothing protects": Scene(
        acts=twice,
        stages={
            H.REQUEST_LOST: each(LOST, LOST),
            H.UNDER_WAY: each(IN_WORK, LOST),
            H.REPLY_LOST: each(REPLY_LOST, LOST),
            H.ACTED_TWICE: each(REPLY_LOST, REPLY_LOST),
            H.ACTED_AND_MAY_AGAIN: each(REPLY_LOST, IN_WORK),
            H.TWO_UNDER_WAY: each(IN_WORK, IN_WORK),
        },
        terms=UNPROTECTED,
    ),
    "no answer, and others may have sent": Scene(
        acts=once,
        stages={
            **UNKNOWN_ONE,
            H.OFF_RECORD_ACTED: OTHER_ACTS,
            H.OFF_RECORD_UNDER_WAY: OTHER_IN_WORK,
            H.ACTED_TWICE: somebody_else(REPLY_LOST),
            H.ACTED_AND_MAY_AGAIN: somebody_else(
                each(REPLY_LOST, lambda desk: desk.control.tell(key=f"{KEY}-other", work="held"))
            ),
            H.TWO_UNDER_WAY: somebody_else(
                each(IN_WORK, lambda desk: desk.control.tell(key=f"{KEY}-other", work="held"))
            ),
        },
        sealed=False,
    ),
    "accepted for later": Scene(
        acts=once,
        stages={
            H.CAME_TO_NOTHING: each(ACCEPTED),
            H.UNDER_WAY: each(ACCEPTED),
            H.REPLY_LOST: each(ACCEPTED),
        },
    ),
    "a receipt in the record": Scene(acts=once_and_ask, stages={H.ACTED: REPLY_LOST}),
    "a receipt in the reply": Scene(acts=once, stages={H.ACTED: nothing}),
    "closed by the desk": Scene(acts=close, stages={H.CLOSED: LOST}),
    "refused for good": Scene(acts=once, stages={H.REFUSED: told(handling="refuse")}),
}
# What was accepted for later comes to its end unseen: before the action, after it, or without a ticket.
ENDS = {H.CAME_TO_NOTHING: "fail_before", H.REPLY_LOST: "issue"}


def settle(desk: CollectionDesk, *keys: str) -> None:
    """Let everything that is on its way arrive and end."""
    for key in keys:
        for held in desk.control.truth(key)["holds"]:
            desk.control.release(held["id"])
        for pending in desk.control.truth(key)["pending"]:
            desk.control.finish(pending["id"])


def tickets(desk: CollectionDesk, *keys: str) -> int:
    return sum(len(desk.control.tickets(key)) for key in keys)


def stop(desk: CollectionDesk) -> None:
    """Nothing is sent."""


def repeat(desk: CollectionDesk) -> None:
    desk.public.ask_for_ticket(KEY, parcel=PARCEL)


def repeat_after_window(desk: CollectionDesk) -> None:
    desk.control.advance(DAY)
    repeat(desk)


def propose_new(desk: CollectionDesk) -> None:
    desk.public.ask_for_ticket(f"{KEY}-new", parcel=PARCEL)


ACTIONS = {"stop": stop, "repeat": repeat, "repeat_after_window": repeat_after_window, "propose_new": propose_new}


def played(scene: Scene, kind: HistoryKind, desk: CollectionDesk) -> Agent:
    """The agent's part in a history that the desk was told to make so."""
    agent = Agent(desk, sealed=scene.sealed, protects=scene.terms is not UNPROTECTED)
    scene.stages[kind](desk)
    scene.acts(agent)
    return agent


def counted(scene: Scene, kind: HistoryKind, action: str) -> int:
    with desk_on(scene.terms) as desk:
        played(scene, kind, desk)
        if kind in ENDS:
            for pending in desk.control.truth(KEY)["pending"]:
                desk.control.finish(pending["id"], handling=ENDS[kind])
        ACTIONS[action](desk)
        keys = (KEY, f"{KEY}-other", f"{KEY}-new")
        settle(desk, *keys)
        return tickets(desk, *keys)


def table(scene: Scene):
    """The consequences that the core tells from what the agent knows, which is the same in all its histories."""
    answers = []
    for kind in scene.stages:
        with desk_on(scene.terms) as desk:
            agent = played(scene, kind, desk)
            answers.append({row.history.kind: row for row in consequences(agent.facts(), agent.now())})
    told_apart = [
        {kind: (row.stop, row.repeat, row.repeat_after_window, row.propose_new) for kind, row in answer.items()}
        for answer in answers
    ]
    assert all(answer == told_apart[0] for answer in told_apart), "the agent can tell the histories apart"
    return answers[0]


CELLS = [
    pytest.param(name, kind, action, id=f"{name}: {kind.value}: {action}")
    for name, scene in SCENES.items()
    for kind in scene.stages
    for action in ACTIONS
]


@pytest.fixture(scope="module")
def tables():
    return {name: table(scene) for name, scene in SCENES.items()}


@pytest.mark.parametrize("name", SCENES)
def test_every_history_that_the_core_tells_is_played(tables, name):
    assert set(tables[name]) == set(SCENES[name].stages)


def test_every_history_but_a_contradiction_is_played_somewhere():
    assert {kind for scene in SCENES.values() for kind in scene.stages} == set(HistoryKind)


@pytest.mark.parametrize(("name", "kind", "action"), CELLS)
def test_the_count_is_the_cell(tables, name, kind, action):
    cell = getattr(tables[name][kind], action)
    if cell is None:
        return  # there is no such column: protection is not active, or never ends
    effects = counted(SCENES[name], kind, action)
    if cell == "unknown":
        assert effects in (1, 2)
    else:
        assert min(effects, 2) == cell
