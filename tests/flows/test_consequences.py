"""Consequences are true: drive the desk into each history, do the action, count the tickets.

This is the acceptance test of the product. A scene (escalation/rehearsing/scenes.py) is what an agent does and learns;
its histories are asked of the core, and for each the desk is told beforehand to make that history so. Each pair of
history and action runs over the wire, on a desk of its own. The count has to be the cell; where the cell is "unknown",
nothing that the recipient says bounds it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest

from escalation.rehearsing.agent import Agent
from escalation.rehearsing.behaviours import DAY
from escalation.rehearsing.desk import KEY
from escalation.rehearsing.doing import Doing, effects, played, predicted
from escalation.rehearsing.hearing import Hearing, desk_document
from escalation.rehearsing.scenes import REPLY_LOST, SCENES, Scene, Way, each, nothing, once, somebody_else
from operations.core.consequences import Consequence, consequences
from operations.core.facts import Contract, Mechanism
from operations.core.histories import HistoryKind
from tests.flows.wire import Wire
from tests.recipients.fixtures import desk_on

PROTECTED: dict[str, Any] = {"keeps_for": DAY, "after": "runs_as_new"}
UNPROTECTED: dict[str, Any] = {"mechanism": "none"}
DOINGS = [Doing.STOP, Doing.REPEAT, Doing.REPEAT_AFTER_WINDOW, Doing.PROPOSE_NEW]  # the table's columns


class Unprotected(Hearing):
    """The desk's own contract, had it said that nothing protects."""

    @cached_property
    def terms(self) -> Contract:
        promised = Hearing(self.document).terms
        return replace(promised, protection=replace(promised.protection, mechanism=Mechanism.NONE))


@dataclass(frozen=True)
class Case:
    """A scene at a desk on these terms, and what the agent was promised of it."""

    scene: Scene
    terms: tuple[tuple[str, Any], ...]
    hearing: Hearing

    @contextmanager
    def opened(self) -> Iterator[Wire]:
        with desk_on(dict(self.terms)) as desk:
            yield Wire(desk)


def case(scene: Scene, terms: dict[str, Any]) -> Case:
    hears = Unprotected if terms is UNPROTECTED else Hearing
    return Case(scene, tuple(terms.items()), hears(desk_document()))


def forgotten_and_asked(agent: Agent, _: float) -> None:
    """Two attempts, the second after the desk forgot the number before its time, and the record is asked."""
    agent.attempt()
    assert isinstance(agent.desk, Wire)
    agent.desk.desk.control.forget(KEY)
    agent.attempt()
    agent.ask()


# What the demonstration shows beside the schedule, at desks that forget after a day.
MORE = [
    Scene(
        name="A receipt in the reply, and others may have sent",
        acts=once,
        sealed=False,
        ways=(
            Way(history=HistoryKind.ACTED, words="the ticket is in the reply", stage=nothing),
            Way(history=HistoryKind.ACTED_TWICE, words="somebody else's acts as well", stage=somebody_else(nothing)),
            Way(
                history=HistoryKind.ACTED_AND_MAY_AGAIN,
                words="somebody else's is in work",
                stage=somebody_else(nothing, work="held"),
            ),
        ),
    ),
    Scene(
        name="Two tickets in the record",
        acts=forgotten_and_asked,
        ways=(Way(history=HistoryKind.ACTED_TWICE, words="replies lost", stage=each(REPLY_LOST, REPLY_LOST)),),
    ),
]
# Two attempts under one protected number act at most once together, so of two effects nothing may be told.
COLLAPSED = {HistoryKind.ACTED_TWICE, HistoryKind.ACTED_AND_MAY_AGAIN, HistoryKind.TWO_UNDER_WAY}
PLAYED = [scene for scene in (*SCENES, *MORE) if not scene.grows_old and scene.repeats_as == "one"]
CASES = {scene.name: case(scene, PROTECTED) for scene in PLAYED} | {
    f"{scene.name}, nothing protects": case(scene, UNPROTECTED)
    for scene in SCENES
    if scene.name in ("No answer", "No answer twice")
}


def table(found: Case) -> dict[HistoryKind, Consequence]:
    """The consequences that the core tells from what the agent knows, which is the same in all its histories."""
    answers: list[dict[HistoryKind, Consequence]] = []
    for way in found.scene.ways:
        if way.only_on or (answers and way.history not in answers[0]):
            continue
        with found.opened() as desk:
            facts = played(found.scene, way, desk=desk, window=DAY).facts(found.hearing)
            answers.append({row.history.kind: row for row in consequences(facts, desk.now())})
    told_apart = [{kind: [predicted(doing, row) for doing in DOINGS] for kind, row in one.items()} for one in answers]
    assert all(answer == told_apart[0] for answer in told_apart), "the agent can tell the histories apart"
    return answers[0]


def counted(found: Case, way: Way, doing: Doing) -> int:
    with found.opened() as desk:
        agent = played(found.scene, way, desk=desk, window=DAY)
        return effects(doing, way, agent=agent, window=DAY)


CELLS = [
    pytest.param(name, way, doing, id=f"{name}: {way.words}: {doing}")
    for name, found in CASES.items()
    for way in found.scene.ways
    if way.most and not way.only_on
    for doing in DOINGS
]


@pytest.fixture(scope="module")
def tables():
    return {name: table(found) for name, found in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_every_history_that_the_core_tells_is_played(tables, name):
    scene = CASES[name].scene
    staged = {way.history for way in scene.ways}
    assert set(tables[name]) - scene.unplayed == staged - (COLLAPSED if name == "No answer twice" else set())


def test_every_history_but_a_contradiction_is_told_and_played_somewhere(tables):
    assert {kind for told in tables.values() for kind in told} == set(HistoryKind)
    assert {way.history for found in CASES.values() for way in found.scene.ways} == set(HistoryKind)


@pytest.mark.parametrize(("name", "way", "doing"), CELLS)
def test_the_count_is_the_cell(tables, name, way, doing):
    row = tables[name].get(way.history)
    cell = None if row is None else predicted(doing, row)
    if cell is None:
        return  # what was promised rules the history out; or protection is not active, or never ends
    found = counted(CASES[name], way, doing)
    if cell == "unknown":
        assert found in (1, 2)
    else:
        assert found == cell
