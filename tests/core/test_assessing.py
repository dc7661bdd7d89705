"""Every line is answered in its place, and a bad one doesn't stop the rest."""

import json
from collections.abc import Iterator

import pytest

from operations.core.assessing import Assessed, BadLine, assess
from operations.core.facts import Attempt, Facts
from operations.core.standing import Evidence

NOTHING_YET = '{"events": [], "now": 9}'


def bad(line: bytes | str) -> tuple[str, str]:
    [found] = assess([line])
    assert isinstance(found, BadLine)
    assert found.line == 1
    return found.field, found.rule


def good(line: bytes | str) -> Assessed:
    [found] = assess([line])
    assert isinstance(found, Assessed)
    return found


def told(line: bytes | str) -> tuple[int, str | None, Facts, float]:
    found = good(line)
    return found.line, found.name, found.standing.weighed.facts, found.standing.weighed.now


def worked_case(scenario: object, **more: object) -> str:
    return json.dumps({"scenario": scenario, **more})


@pytest.mark.parametrize(
    ("line", "field", "rule"),
    [
        # no JSON: the place in the text
        ("", "line 1 column 1 (offset 0)", "syntax"),
        ("\n", "line 1 column 1 (offset 0)", "syntax"),
        ('{"now": 9', "line 1 column 10 (offset 9)", "syntax"),
        (NOTHING_YET * 2, "line 1 column 25 (offset 24)", "trailing_text"),
        (b"\xff{}", "byte 0", "utf_8"),
        ("\ufeff" + NOTHING_YET, "byte 0", "byte_order_mark"),
        ("[" * 9999, "line 1 column 101 (offset 100)", "too_deep"),
        # strict JSON: the field, in the notation in which fields are named
        ('{"events": [], "now": 9, "now": 8}', "now", "duplicate_name"),
        ('{"events": [], "now": NaN}', "now", "not_a_number"),
        ('{"events": [], "now": 1e999}', "now", "number_too_large"),
        ('{"events": [{"at": 1}, {"at": Infinity}], "now": 9}', "events[1].at", "not_a_number"),
        ('{"events": [{"at": 1, "at": 2}], "now": 9}', "events[0].at", "duplicate_name"),
        ('{"scenario": {"events": [-Infinity]}}', "scenario.events[0]", "not_a_number"),
        ('[{"a/b": {"c~d": "\\ud800"}}]', "[0].a/b.c~d", "lone_surrogate"),
        ("NaN", "", "not_a_number"),
        # no scenario: the field
        ("[]", "", "object"),
        ("null", "", "object"),
        ('"scenario"', "", "object"),
        ("{}", "events", "required"),
        ('{"events": [{"type": "attempt", "id": "a1", "at": "1"}], "now": 9}', "events[0].at", "number"),
        # a worked case: from the line's point of view
        (worked_case(None), "scenario", "object"),
        (worked_case({}), "scenario.events", "required"),
        (worked_case({"events": [{}], "now": 9}, name="x"), "scenario.events[0].type", "required"),
        # a key that no worked case has makes it none
        (worked_case({"events": [], "now": 9}, comment="x"), "scenario", "unknown_key"),
        ('{"name": "x", "events": [], "now": 9}', "name", "unknown_key"),
    ],
)
def test_a_line_that_is_no_scenario_is_refused_where_it_breaks_which_rule(line, field, rule):
    assert bad(line) == (field, rule)
    if isinstance(line, str):
        assert bad(line.encode()) == (field, rule)


def test_a_bad_line_stands_in_for_its_answer():
    [_, found] = assess([NOTHING_YET, '{"events": {}, "now": 9}'])
    assert isinstance(found, BadLine)
    assert found.as_answer() == {
        "line": 2,
        "error": {"field": "events", "rule": "list", "message": "must be a list"},
    }


def test_a_fault_in_the_text_stands_in_for_its_answer():
    [found] = assess(["nil"])
    assert isinstance(found, BadLine)
    assert found.as_answer() == {
        "line": 1,
        "error": {"field": "line 1 column 1 (offset 0)", "rule": "syntax", "message": "expecting value"},
    }


def test_a_bad_line_does_not_stop_the_rest_and_lines_keep_their_numbers():
    found = list(assess([NOTHING_YET, "{", "", NOTHING_YET.encode(), b"\xff"]))
    assert [type(each) for each in found] == [Assessed, BadLine, BadLine, Assessed, BadLine]
    assert [each.line for each in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "  \t\r\n"])
def test_a_line_may_end_in_any_way(end):
    assert told(NOTHING_YET + end) == told((NOTHING_YET + end).encode()) == (1, None, Facts(), 9)


def test_a_scenario_has_the_standing_of_its_facts():
    standing = good('{"events": [{"type": "attempt", "id": "a1", "at": 5}], "now": 9.5}').standing
    assert standing.weighed.facts == Facts(events=(Attempt(at=5, id="a1"),))
    assert (standing.weighed.now, standing.evidence) == (9.5, Evidence.UNKNOWN)


def test_a_worked_case_has_its_name():
    line = worked_case({"events": [], "now": 9}, name="row 1", why="", expect={})
    assert told(line) == (1, "row 1", Facts(), 9)


@pytest.mark.parametrize("more", [{}, {"name": None}, {"name": 5}, {"name": ["row 1"]}])
def test_a_worked_case_needs_no_name(more):
    assert good(worked_case({"events": [], "now": 9}, **more)).name is None


def test_a_line_is_answered_before_the_next_is_read():
    read = []

    def lines() -> Iterator[str]:
        for number in range(3):
            read.append(number)
            yield NOTHING_YET

    results = assess(lines())
    assert read == []
    next(results)
    assert read == [0]
    next(results)
    assert read == [0, 1]


def test_no_lines_have_no_answers():
    assert list(assess([])) == []
