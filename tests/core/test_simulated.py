"""No permission of the core does harm at a simulated recipient, and no refusal for harm is without one.

The exhaustive part is `tests.simulator.exhaustive`, whose docstring says what it covers; `python -m tests.simulator full`
runs all of it, UNRESOLVED_FULL_PROOF=1 makes this file do so.
"""

import os
from collections.abc import Iterator
from itertools import product

import pytest

from operations.core.actions import Action
from operations.core.permitted import Kind, permitted
from operations.core.standing import infer
from tests.simulator.exceptions import Corner
from tests.simulator.exhaustive import ALL_TERMS, Job, Tally, described, full, patterns, run, settings_of, suite, sweep
from tests.simulator.replay import effects_with, harmed, honest, taken_from, worlds_with
from tests.simulator.scenario import Setting, Stage
from tests.simulator.terms import TERMS
from tests.simulator.view import View

FULL = bool(os.environ.get("UNRESOLVED_FULL_PROOF"))


@pytest.fixture(scope="module")
def proof() -> Tally:
    """What the sweep of the suite, or the full one, counted."""
    return sweep(full() if FULL else suite())


def test_nothing_the_core_says_is_wrong_in_any_world(proof: Tally) -> None:
    assert proof.first == {}


def test_the_sweep_is_as_wide_as_it_says(proof: Tally) -> None:
    assert proof.scenarios > 250_000
    assert proof.worlds > 600_000


def test_the_corners_are_the_listed_ones_and_each_is_still_there(proof: Tally) -> None:
    assert set(proof.corners) == {corner.name for corner in Corner}


# With two attempts and an observation the unreduced worlds alone take minutes.
UNREDUCED = [*patterns(0, 2), *patterns(1, 1), *patterns(1, 2), *(patterns(2, 1) if FULL else patterns(2, 0))]


@pytest.mark.parametrize("pattern", UNREDUCED)
def test_the_worlds_that_are_left_out_change_nothing(pattern: str) -> None:
    terms = [ALL_TERMS[name] for name in ("none", "window open", "window ends within", "in flight undocumented")]
    shortened = run(Job(settings_of(pattern, terms)))
    whole = run(Job(settings_of(pattern, terms, reduced=False)))
    assert whole.worlds > shortened.worlds
    assert (whole.scenarios, whole.first, whole.corners) == (shortened.scenarios, {}, shortened.corners)


def replays(stage: Stage, job: Job) -> Iterator[tuple[str, bool]]:
    """Return, for the first witness of each shape, the scenario and whether it replays."""
    shapes: set[tuple[object, ...]] = set()
    for said in job.sequences(stage):
        standing = infer(stage.facts(said), now=stage.timeline.seconds_now)
        for action, refusal in permitted(standing).items():
            if refusal is None or refusal.kind is not Kind.HARM:
                continue
            shape = (action, refusal.witness, standing.protection_reason)
            worlds = worlds_with(View(stage, said), refusal) & harmed(View(stage, said), action)
            if worlds and shape not in shapes:  # where there is none, the sweep reports a fault or a corner
                shapes.add(shape)
                yield described(stage.setting, said), replayed(View(stage, said), worlds, action)


def replayed(view: View, worlds: int, action: Action) -> bool:
    """Return whether one of these worlds, run again, fits everything that was said and ends with two effects."""
    world = taken_from(view, worlds)
    return honest(view, world) and effects_with(view, world, action) >= 2


@pytest.mark.parametrize("pattern", ["", "a", "o", "ao", "oa", "aoo", "aao", "aoa", "aoao"])
def test_each_shape_of_witness_replays_to_two_effects(pattern: str) -> None:
    found = [
        replay
        for terms, sealed in product(TERMS, (True, False))
        for setting in [Setting(pattern, terms, for_good=False, sealed=sealed)]
        for replay in replays(Stage(setting), Job([setting]))
    ]
    assert found or pattern == ""
    assert [scenario for scenario, good in found if not good] == []
