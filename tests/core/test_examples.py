"""Every worked case of the semantics is answered as it expects, in every key that it states."""

import json
from pathlib import Path
from typing import Any

import pytest

from operations.core.assessing import Assessed, assess
from operations.core.scenario import answer

LINES = (Path(__file__).parents[1] / "data" / "examples.jsonl").read_bytes().splitlines()
CASES = [json.loads(line) for line in LINES]
ONE_TO_ONE = {
    "evidence",
    "finality",
    "protection",
    "protection_until",
    "protection_reason",
    "conflict",
    "conflict_kind",
    "duplicate_effect",
    "further_effect",
    "permitted",
}


def answered(line: bytes) -> dict[str, Any]:
    [found] = assess([line])
    assert isinstance(found, Assessed)
    in_json: dict[str, Any] = json.loads(json.dumps(answer(found.standing)))
    return in_json


def as_expected(found: dict[str, Any], key: str) -> object:
    """The answer's value under a key of `expect`: kinds in place of refusals."""
    if key == "refusal_kinds":
        return {action: refusal["kind"] for action, refusal in found["refusals"].items()}
    assert key in ONE_TO_ONE, f"nothing compares {key}"
    return found[key]


@pytest.mark.parametrize(("line", "case"), list(zip(LINES, CASES, strict=True)), ids=[case["name"] for case in CASES])
def test_a_worked_case_is_answered_as_expected(line, case):
    found = answered(line)
    assert {key: as_expected(found, key) for key in case["expect"]} == case["expect"]


def test_the_cases_have_names_of_their_own_and_expect_something():
    assert len({case["name"] for case in CASES}) == len(CASES) > 0
    assert all(case["expect"] for case in CASES)


@pytest.mark.parametrize("key", [*sorted(ONE_TO_ONE), "refusal_kinds"])
def test_every_key_is_expected_somewhere(key):
    assert any(key in case["expect"] for case in CASES)
