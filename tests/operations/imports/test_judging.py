"""A call that comes after an open one of the same tool names the newest of an earlier turn, however long the record."""

import json

import pytest

from operations.imports.call import Call
from operations.imports.judging import judge
from operations.imports.outputs import output_of


def after(*calls: Call) -> list[list[str]]:
    judge(calls)
    return [[one for one in call.reasons if ":" in one] for call in calls]


def call(call_id: str, turn: int, *, name: str = "issue", scope: str | None = None, done: bool = False) -> Call:
    made = Call(call_id=call_id, turn=turn, name=name, scope=scope, arguments={})
    if done:
        made.add(output_of("T-1"), pointer="/x")
    return made


def test_calls_of_one_turn_come_after_the_newest_of_an_earlier_one():
    assert after(call("a", 0), call("b", 1), call("c", 2), call("d", 2)) == [
        [],
        ["same_arguments_again_after:a"],
        ["same_arguments_again_after:b"],
        ["same_arguments_again_after:b"],
    ]


def test_a_call_of_an_earlier_turn_that_stands_later_is_the_newer_one():
    assert after(call("a", 3), call("b", 1), call("c", 4))[2] == ["same_arguments_again_after:b"]
    assert after(call("a", 1), call("b", 3), call("c", 2))[2] == ["same_arguments_again_after:a"]


@pytest.mark.parametrize(
    "other",
    [call("b", 0, name="refund"), call("b", 0, scope="nested in x"), call("b", 0, done=True), call("b", 1)],
    ids=["another tool", "another run", "done with", "asked for together"],
)
def test_only_an_open_call_of_the_same_tool_and_run_counts(other):
    assert after(other, call("c", 1))[1] == []


def test_a_long_record_is_judged_in_one_walk():
    finished = [call(f"a{turn}", turn, done=True) for turn in range(20_000)]
    assert after(call("open", -1), *finished)[-1] == ["same_arguments_again_after:open"]


def test_an_output_that_is_carried_again_and_again_is_one():
    made = call("a", 0)
    for number in range(20_000):
        made.add(output_of("T-1"), pointer=f"/{number}")
    assert (len(made.outputs), len(made.pointers["output"])) == (1, 20_000)


def answer(evidence: str, *, operation: str = "op-1", finality: str = "unestablished", says: str = "") -> str:
    """An answer of this desk to a call."""
    return json.dumps({"operation": operation, "evidence": evidence, "finality": finality, "reason": says})


def reasons_of(*texts: str) -> list[str]:
    made = Call(call_id="a", name="issue", arguments={})
    for text in texts:
        made.add(output_of(text))
    judge([made])
    return made.reasons


@pytest.mark.parametrize("order", [1, -1])
def test_what_this_desk_answered_while_nobody_knew_gives_way_to_what_it_answered_later(order):
    settled = [answer("unknown"), answer("unknown", says="again"), answer("applied", finality="settled")]
    assert reasons_of(*settled[::order]) == []
    assert reasons_of(*[answer("unknown"), answer("not_applied", finality="excluded")][::order]) == []


def test_an_answer_about_another_operation_and_another_word_are_other_outputs():
    assert "conflicting_outputs" in reasons_of(answer("unknown"), answer("applied", operation="op-2"))
    assert "conflicting_outputs" in reasons_of(answer("applied"), answer("not_applied", finality="excluded"))
    assert "conflicting_outputs" in reasons_of(answer("unknown"), "T-1001")


def test_the_same_word_twice_is_one_answer():
    assert reasons_of(answer("unknown"), answer("unknown", says="again")) == ["effect_unknown"]
