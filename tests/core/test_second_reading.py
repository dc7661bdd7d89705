"""The core and the second reading of semantics.md answer alike, and every harm refusal shows a history in which it would harm.

Scenarios are random but seeded: a red run can be run again. `python -m tests.core.test_second_reading 200000 5` searches further.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from random import Random

import pytest

from operations.core.scenario import answer_of, read_scenario
from tests.core.oracle import answer, compatible, harmful, witnesses
from tests.core.oracle_reading import Row
from tests.core.oracle_scenarios import random_scenario

SEEDS = range(5)
EACH = 700


def scenarios(*, seed: int, count: int) -> Iterator[Row]:
    rng = Random(seed)  # noqa: S311 - a seeded search, not a secret
    return (random_scenario(rng, size=rng.choice([2, 4, 8])) for _ in range(count))


def answered_by_the_core(scenario: Row) -> Row:
    facts, now = read_scenario(scenario)
    return answer_of(facts, now=now)


def in_words_of_expect(answered: Row, *, keys: Iterable[str]) -> Row:
    """The core's answer with `refusal_kinds` for `refusals` and bare indices for `not_counted`, as `expect` has it."""
    kinds = {action: refusal["kind"] for action, refusal in answered["refusals"].items()}
    indices = [row["index"] for row in answered["not_counted"]]
    return {key: {**answered, "refusal_kinds": kinds, "not_counted": indices}[key] for key in keys}


def unlike(scenario: Row) -> Row:
    expected = answer(scenario)
    answered = in_words_of_expect(answered_by_the_core(scenario), keys=expected)
    return {key: (answered[key], expected[key]) for key in expected if answered[key] != expected[key]}


def wrong_witness(scenario: Row, *, action: str, refusal: Row) -> str | None:
    """What is wrong with the history of one refusal, or None."""
    if refusal["kind"] != "harm":
        return None if refusal["history"] is None else "a history without harm"
    broken = compatible(scenario, refusal["history"])
    if broken or harmful(scenario, action, refusal["history"]) or no_witness_exists(scenario, action=action):
        return broken
    return f"no second effect, though there are {witnesses(scenario, action)}"


def no_witness_exists(scenario: Row, *, action: str) -> bool:
    """The one refusal of kind `harm` without a harmful history: point A17 of the oracle."""
    by_scope = action == "repeat" and answer(scenario)["protection_reason"] == "scope_differs"
    return by_scope and not witnesses(scenario, action)


def wrong_witnesses(scenario: Row) -> Row:
    refusals = answered_by_the_core(scenario)["refusals"]
    told = {action: wrong_witness(scenario, action=action, refusal=refusal) for action, refusal in refusals.items()}
    return {action: wrong for action, wrong in told.items() if wrong}


def permitted_harm(scenario: Row) -> Row:
    sending = {"repeat", "propose_new"} & set(answered_by_the_core(scenario)["permitted"])
    return {action: witnesses(scenario, action) for action in sending if witnesses(scenario, action)}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", [permitted_harm, wrong_witnesses, unlike])
def test_two_readings_of_the_semantics_find_no_fault(fault, seed):
    for scenario in scenarios(seed=seed, count=EACH):
        assert not fault(scenario), json.dumps(scenario)


if __name__ == "__main__":
    for given in scenarios(seed=int(sys.argv[2]), count=int(sys.argv[1])):
        faults = {**unlike(given), **wrong_witnesses(given), **permitted_harm(given)}
        if faults:
            print(faults, json.dumps(given))  # noqa: T201
