"""The second reading agrees with every worked example and meets every row, so what it says elsewhere is worth comparing."""

import json
from pathlib import Path

import pytest

from tests.core.oracle import answer, compatible, harmful
from tests.core.oracle_reading import Row
from tests.core.oracle_scenarios import reached

EXAMPLES_FILE = Path(__file__).parents[1] / "data" / "examples.jsonl"
EXAMPLES = [json.loads(line) for line in EXAMPLES_FILE.read_text(encoding="utf-8").splitlines()]

KEYED = {
    "mechanism": "key",
    "guaranteed_for": 60,
    "margin": 5,
    "covers": "every_outcome",
    "concurrent_use": "protected",
}
LEDGER = {"ledger": {"authority": "history", "reads": "strong"}}
HEARD = {"type": "observation", "channel": "ledger", "authentic": True, "correlation": "operation"}
FIRST = {"at": 10, "type": "attempt", "id": "a1", "sends": "one", "scope": "live"}

ROWS = [
    *("evidence conflict: unknown/unestablished", "evidence applied: applied/settled"),
    *("evidence excluded by closure: not_applied/excluded", "evidence nothing can act: not_applied/excluded"),
    *("evidence pending: pending/possible", "evidence absent: not_applied/possible"),
    *("evidence absent: not_applied/unestablished", "evidence otherwise: unknown/possible"),
    "evidence otherwise: unknown/unestablished",
    *("protection absent: contract_has_none", "protection unestablished: identity_unknown"),
    *("protection unestablished: record_incomplete", "protection unestablished: scope_differs"),
    *("protection unestablished: outcomes_not_covered", "protection unestablished: concurrency_undocumented"),
    *("protection active: until, stated", "protection unestablished: lapsed, stated"),
    *("protection unestablished: withdrawn", "protection unestablished: undocumented mechanism"),
    *("protection active: no end", "protection unestablished: depends_on_existence"),
    *("protection unestablished: undocumented time", "protection active: no end yet"),
    *("protection active: until, by contract", "protection unestablished: lapsed, by contract"),
    *("conflict applied_and_closed", "conflict applied_then_absent", "conflict active_after_closed"),
    *("conflict active_after_every_attempt_refused", "conflict applied_though_every_attempt_was_refused"),
    *("exempt applied", "exempt pending", "exempt accepted", "duplicate_effect", "stale activity"),
    *("further_effect excluded, 1 live", "further_effect excluded, 2 live", "further_effect possible, 0 live"),
    *("further_effect possible, 1 live", "further_effect possible, 2 live"),
    *("not_sent stands", "not_sent dropped: named", "not_sent dropped: unexplained"),
    *("tie pending absent", "tie absent applied", "tie closed applied", "tie protection_until protection_lost"),
    *("tie report and attempt", "tie last attempts", "tie last attempts in two scopes"),
    *("record incomplete by an answer", "nothing can act, though attempted"),
    *("refusal repeat: conflict (conflict)", "refusal repeat: settled (applied)"),
    *("refusal repeat: settled (excluded by closure)", "refusal repeat: successor (otherwise)"),
    *(
        "refusal repeat: successor (nothing can act)",
        "refusal repeat: harm (otherwise)",
        "refusal repeat: harm (pending)",
    ),
    *("refusal repeat: manners (otherwise)", "refusal repeat: manners (nothing can act)"),
    *("refusal propose_new: conflict (conflict)", "refusal propose_new: settled (applied)"),
    *("refusal propose_new: successor (excluded by closure)", "refusal propose_new: harm (otherwise)"),
    *("refusal record: conflict (conflict)", "refusal record: unproven (otherwise)"),
    *("refusal except: settled (applied)", "refusal except: settled (nothing can act)"),
    *("refusal except: successor (conflict)", "refusal leave_unresolved: settled (applied)"),
    *("refusal observe: no_channel (otherwise)", "permitted repeat (pending)", "permitted repeat (absent)"),
    *("permitted repeat (otherwise)", "permitted repeat (nothing can act)", "permitted propose_new (nothing can act)"),
    *("permitted propose_new (excluded by closure)", "permitted record (applied)", "permitted except (conflict)"),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["name"] for example in EXAMPLES])
def test_the_second_reading_agrees_with_the_example(example):
    answered = answer(example["scenario"])
    assert {key: answered[key] for key in example["expect"]} == example["expect"]


def test_every_row_is_reached_by_three_random_scenarios_in_a_thousand():
    total = 5_000
    seen = reached(total, seed=7)
    assert [row for row in ROWS if seen[row] < 0.003 * total] == []


def scenario(*events: Row, complete: bool = True, closure: str = "identity", now: int = 50) -> Row:
    return {
        "contract": {"protection": KEYED, "closure": {"covers": closure}, "channels": LEDGER},
        "operation": {"attempts_complete": complete, "identity_known": True},
        "events": [FIRST, *events],
        "now": now,
    }


def line(fate: str, at: int | None = None, attempt: str = "a1") -> Row:
    return {"attempt": attempt, "fate": fate, "at": at}


ABSENT = {"at": 30, "says": "absent", **HEARD}
CLOSED = {"at": 30, "says": "closed", **HEARD}
REFUSED = {"at": 30, "says": "attempt_refused", "attempt": "a1", "covers_copies": True, **HEARD}

INCOMPATIBLE = {
    "a line is missing": (scenario(), []),
    "an attempt has two lines": (scenario(), [line("never_acts"), line("acted", 20)]),
    "a submission not on record, though the record is complete": (
        scenario(),
        [line("acted", 20), line("acted", 20, "?")],
    ),
    "no line for what isn't on record": (scenario(complete=False), [line("acted", 20)]),
    "a fate of another name": (scenario(), [line("vanished")]),
    "acted at no time": (scenario(), [line("acted")]),
    "never acts at a time": (scenario(), [line("never_acts", 20)]),
    "may still act at a time": (scenario(), [line("may_still_act", 20)]),
    "acted before its sending": (scenario(), [line("acted", 9)]),
    "acted after now": (scenario(), [line("acted", 51)]),
    "acted at the date of an absent": (scenario(ABSENT), [line("acted", 30)]),
    "a refused attempt acted": (scenario(REFUSED), [line("acted", 20)]),
    "an attempt under a closure may still act": (scenario(CLOSED), [line("may_still_act")]),
    "an earlier attempt under a closure acted": (scenario(CLOSED, closure="earlier_attempts"), [line("acted", 20)]),
}
COMPATIBLE = {
    "acted as it was sent": (scenario(), [line("acted", 10)]),
    "acted now": (scenario(), [line("acted", 50)]),
    "acted after the absent": (scenario(ABSENT), [line("acted", 31)]),
    "may still act": (scenario(), [line("may_still_act")]),
    "never acts": (scenario(CLOSED), [line("never_acts")]),
    "sent at any time": (scenario(complete=False), [line("never_acts"), line("acted", 0, "?")]),
}


@pytest.mark.parametrize(("given", "history"), INCOMPATIBLE.values(), ids=INCOMPATIBLE)
def test_a_history_the_observations_rule_out_is_not_compatible(given, history):
    assert compatible(given, history) is not None


@pytest.mark.parametrize(("given", "history"), COMPATIBLE.values(), ids=COMPATIBLE)
def test_a_history_the_observations_allow_is_compatible(given, history):
    assert compatible(given, history) is None


@pytest.mark.parametrize(
    ("given", "action", "history", "second"),
    [
        (scenario(), "repeat", [line("may_still_act")], False),  # collapsed: one identity under protection
        (scenario(now=80), "repeat", [line("acted", 20)], True),  # the guarantee ended at 65 for us
        (scenario(now=80), "repeat", [line("never_acts")], False),  # the repeat is the only one to act
        (scenario(complete=False), "repeat", [line("acted", 20), line("never_acts", attempt="?")], False),
        (scenario(complete=False), "repeat", [line("never_acts"), line("acted", 20, "?")], True),
        (scenario(), "propose_new", [line("may_still_act")], True),  # protection doesn't reach another operation
        (scenario(), "propose_new", [line("never_acts")], False),
    ],
)
def test_an_action_is_harmful_where_it_adds_an_effect_to_another(given, action, history, second):
    assert harmful(given, action, history) is second
