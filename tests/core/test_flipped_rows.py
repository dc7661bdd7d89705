"""Every row of the tables of semantics.md carries weight: changing any one makes the simulated proof fail.

`python -m tests.simulator flipped` prints the report: the row, the change, the check that noticed it and where first.
"""

import json
from pathlib import Path

import pytest

from operations.core.permitted import permitted
from operations.core.scenario import read_scenario
from operations.core.standing import infer
from tests.simulator.flipped import WORDS_ALONE, Flip, caught, flips

EXAMPLES = Path(__file__).parents[1] / "data" / "examples.jsonl"
FLIPS = {f"{flip.row}: {flip.change}": flip for flip in flips()}
SEEN_BY_EXAMPLES = [
    "authority client: indeterminate: added",
    "protection: while it exists: dropped",
    "protection: interval undocumented: dropped",
    "protection: later: dropped",
]


def noticed(flip: Flip) -> bool:
    return caught(flip) is not None


def test_the_law_as_it_is_passes() -> None:
    assert caught(Flip("none", "none")) is None


def test_every_table_is_changed_in_every_row() -> None:
    tables = {name.split(":")[0].split(" ")[0] for name in FLIPS}
    assert tables == {"authority", "conflict", "evidence", "protection", "permitted"}
    assert len(FLIPS) == len(flips())
    assert len(FLIPS) > 250


@pytest.mark.parametrize("name", [name for name, flip in FLIPS.items() if (flip.row, flip.change) not in WORDS_ALONE])
def test_a_changed_row_is_noticed(name: str) -> None:
    assert noticed(FLIPS[name])


@pytest.mark.parametrize("row_and_change", WORDS_ALONE)
def test_what_changes_words_alone_is_seen_by_no_world(row_and_change: tuple[str, str]) -> None:
    assert not noticed(FLIPS[": ".join(row_and_change)])


def answers(flip: Flip) -> list[tuple[object, ...]]:
    """What the core says of the worked examples under a changed law, as far as words are concerned."""
    found: list[tuple[object, ...]] = []
    for line in EXAMPLES.read_text(encoding="utf-8").splitlines():
        facts, now = read_scenario(json.loads(line)["scenario"])
        standing = infer(facts, now=now, law=flip.law)
        kinds = [refusal and refusal.kind for refusal in permitted(standing, table=flip.table).values()]
        found.append((standing.protection_reason, standing.not_counted, standing.evidence, kinds))
    return found


@pytest.mark.parametrize("name", SEEN_BY_EXAMPLES)
def test_a_change_of_words_is_seen_by_a_worked_example(name: str) -> None:
    assert answers(FLIPS[name]) != answers(Flip("none", "none"))
