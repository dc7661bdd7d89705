"""A small run by a seed: nothing is wrong, everything is passed, and the bugs that are planted are found."""

from collections.abc import Iterator

import pytest

from tests.faults import running, table
from tests.faults.acts import ACTS
from tests.faults.planted import PLANTED
from tests.faults.stage import Stage, stage
from tests.faults.warm import warm

SEED = 9
TRIALS = 40

pytestmark = pytest.mark.django_db(transaction=True)


def nobody(_: str) -> None:
    """Nobody is told how far it is."""


@pytest.fixture
def here() -> Iterator[Stage]:
    """A stage of this test's own."""
    with stage() as found:
        warm(found)
        yield found


def test_no_planted_bug_is_missed(here):
    run = running.Run(SEED, rounds=1)
    running.look_for_planted(here, ACTS, run, everywhere=False, tell=nobody)
    assert {bug: found.times for bug, found in run.planted.items()} == dict.fromkeys(PLANTED, 1)


def test_no_step_is_without_a_point_and_nothing_is_wrong_after_a_fault(here):
    run = running.traced(here, ACTS, seed=SEED, rounds=1)
    assert run.failures == []
    running.broken_off(here, running.plan(run, ACTS)[:TRIALS], run, tell=nobody)
    assert run.failures == []
    assert (len(run.trials), {one.process for one in run.trials}) == (TRIALS, {"web", "worker", "database", "broker"})
    told = table.as_json(run)
    assert sum(one[process] for one in told["points"] for process in table.PROCESSES) == TRIALS
