"""A rule adds a class to outputs that fit it, takes no time over any text, and lifts nothing that a runtime says itself."""

import pytest

from operations.imports.outputs import output_of
from operations.imports.rules import LONGEST_TEXT, PatternRefused, Rule, checked, fits, ruled
from operations.imports.words import OutputClass


def rule(pattern: str, says: OutputClass = OutputClass.INCONCLUSIVE, *, tool: str = "", number: int = 1) -> Rule:
    return Rule(number=number, version=1, tool=tool, pattern=pattern, says=says)


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("x" * 201, "too_long"),
        ("abc", "too_short"),
        ("* a b c *", "too_short"),
        ("ab**cd", "stars"),
        ("*a" * 11 + "bcde", "stars"),
        ("line\nline", "not_printable"),
        ("line\u202eline", "not_printable"),
    ],
)
def test_a_pattern_is_refused_by_its_rule(pattern, broken):
    with pytest.raises(PatternRefused) as refused:
        checked(pattern)
    assert refused.value.rule == broken


@pytest.mark.parametrize(
    ("pattern", "text", "does"),
    [
        ("gave up waiting*", "Gave up waiting for the desk", True),
        ("gave up waiting", "gave up waiting for the desk", False),
        ("*needs approval*", "This needs approval.", True),
        ("a*b*c end", "a-c-b-c end", True),
        ("a*b*c end", "a-c-c end", False),
        ("ab*ba end", "aba end", False),
        ("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", False),
        ("(a+)+$", "(A+)+$", True),
        ("  left  ", "left", False),
        ("left", "  left \n", True),
    ],
)
def test_a_pattern_is_text_in_which_a_star_stands_for_anything(pattern, text, does):
    assert fits(pattern, text) is does


def test_a_text_longer_than_can_be_read_fits_nothing():
    assert not fits("*aaaa*", "a" * (LONGEST_TEXT + 1))


def test_a_hostile_pattern_over_the_longest_text_looks_at_each_part_once():
    """Backtracking would try every place of every part: 20,000 to the tenth power."""
    assert not fits("*a" * 10 + "b*cccc", "a" * LONGEST_TEXT)


@pytest.mark.parametrize("text", ['{"operation": "x", "evidence": "applied"}', "Tool execution was not approved."])
def test_an_answer_of_this_desk_and_an_exact_sentence_stay_what_they_are(text):
    output = output_of(text)
    assert ruled(output, tool=None, rules=[rule("*o*e*r*", OutputClass.CLAIMS_RESULT), rule(text)]) == output


def test_no_rule_makes_a_result_of_a_runtimes_own_error_flag():
    output = output_of("ticket T-1 was issued", error=True)
    assert ruled(output, tool=None, rules=[rule("ticket*", OutputClass.CLAIMS_RESULT)]) == output


def test_a_rule_adds_its_class_and_leaves_what_was_read():
    output = output_of("We gave up waiting.")
    found = ruled(output, tool="issue", rules=[rule("we gave up*")])
    assert (found.kind, found.matched) == (output.kind, output.matched)
    assert (found.taken_for, found.ruled.by if found.ruled else "") == (OutputClass.INCONCLUSIVE, "rule 1, version 1")


def test_a_rule_for_another_tool_says_nothing():
    output = output_of("We gave up waiting.")
    assert ruled(output, tool="refund", rules=[rule("we gave up*", tool="issue")]) == output


def test_a_rule_for_the_tool_comes_before_one_for_every_tool():
    rules = [
        rule("we gave up*"),
        rule("we gave up*", OutputClass.NOT_ATTEMPTED, tool="issue", number=2),
    ]
    assert ruled(output_of("We gave up."), tool="issue", rules=rules).taken_for is OutputClass.NOT_ATTEMPTED
