"""A small run by a seed: nothing is wrong, everything is passed, and a bug that is planted is found."""

from collections.abc import Iterator

import pytest

from tests.agentfaults import running, steps
from tests.agentfaults.acts import ACTS
from tests.agentfaults.breaking import PROCESSES, trial
from tests.agentfaults.planted import LOOKED_FOR, PLANTED, SHOWS
from tests.agentfaults.world import World, world
from tests.faults.process import Ran
from tests.faults.running import Run

SEED = 7
TRIALS = 16

pytestmark = pytest.mark.django_db(transaction=True)


def nobody(_: str) -> None:
    """Nobody is told how far it is."""


@pytest.fixture
def here() -> Iterator[World]:
    """A desk, a recipient and a network of this test's own."""
    with world() as found:
        yield found


def test_after_a_fault_the_three_truths_agree_and_no_step_of_the_client_is_without_a_point(here):
    run = running.traced(here, ACTS, seed=SEED, rounds=1)
    assert run.failures == []
    _a_step_that_no_act_passes_is_missed(run)
    running.broken_off(here, running.plan(run, ACTS)[:TRIALS], run, tell=nobody)
    assert run.failures == []
    assert len(run.trials) == TRIALS
    assert {one.process for one in run.trials} == {*PROCESSES}
    _a_planted_bug_is_found(here, "journal after the send")


def _a_step_that_no_act_passes_is_missed(run: Run) -> None:
    """Of these lives alone: whichever step is left out, or is new in the client, is told."""
    for step in ("asked", "recorded"):
        without = [
            Ran(ran.outcome, [one for one in ran.passed if not one.startswith(f"step {step}")], ran.functions)
            for ran in run.traced.values()
        ]
        assert steps.missing(without) == [f"step {step} has no fault point"]


def _a_planted_bug_is_found(here: World, bug: str) -> None:
    name, point, process, turn = LOOKED_FOR[bug]
    act = next(act for act in ACTS if act.name == name)
    with PLANTED[bug]():
        found = trial(here, act, point=point, process=process, turn=turn, seed=SEED)
    assert any(said.startswith(SHOWS[bug]) for said in found.wrong), found
