"""Rules are written one at a time, in the same text, and a form that nobody typed into changes nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from escalation.contract_forms import ContractForm, FormRefused, blank_text
from escalation.contract_forms.conditions import YAML, answered, lines_of, shown
from escalation.contract_forms.fields import Kind
from escalation.contract_forms.form import Question
from escalation.contract_forms.rules import NoSuchRule, RuleForm, listed, moved
from escalation.contract_forms.told import GONE, NoAnswer, Told
from operations.contracts.loading import library, library_text
from operations.contracts.yaml_text import read
from tests.contracts.documents import rule, text

NEW = {
    "/rule": "seen_later",
    "/channel": "record",
    "/when": "all",
    "/when#0:at": "/status",
    "/when#0:operator": "in",
    "/when#0:value": "200, 203",
    "/when#1:at": "/body/state",
    "/when#1:operator": "equals",
    "/when#1:value": "done",
    "/says": "applied",
    "/reaches": "protected_effect",
    "/because": "The record shows it.",
    "/source": "docs",
    "/correlation/by": "identity",
    "/covers_copies": "",
    "/as_of/at": "/body/at",
    "/as_of/form": "rfc_3339",
    "/examples": "- name: Done\n  evidence: recorded\n  answer:\n    status: 203\n"
    '    body: {key: order-1, state: done, at: "2026-11-30T12:00:00Z"}\n  reads: {effect_refs: []}',
}


def as_sent(form: RuleForm, **typed: str) -> dict[str, str]:
    """What a browser sends for a rule as it is shown, with other answers by name."""
    post: dict[str, str] = {}
    for one in form.questions():
        if one.told is not None:
            post |= _sent(one)
    return {**post, **typed}


def _sent(one: Question) -> dict[str, str]:
    assert one.told is not None
    if one.field.kind is not Kind.CONDITIONS:
        return {one.name: one.told.token if one.field.options else one.told.text}
    if one.told.token == YAML:
        return {one.name: YAML, f"{one.name}#yaml": one.told.text}
    lines = {
        f"{one.name}#{index}:{part}": value
        for index, line in enumerate(one.lines)
        for part, value in line._asdict().items()
    }
    return {one.name: one.told.token or "all", **lines}


def names(told: str) -> list[str]:
    return [one.name for one in listed(ContractForm(told))]


def parsed(told: str) -> Any:
    return read(told).value


@pytest.mark.parametrize("index", [-1, 2, 99])
def test_no_form_is_made_of_a_rule_that_is_not_there(index):
    with pytest.raises(NoSuchRule):
        RuleForm(text({}), index)


@pytest.mark.parametrize("told", ["- a list", "readings: [a: ["])
def test_no_form_is_made_of_a_text_that_is_no_map(told):
    with pytest.raises(NoSuchRule):
        RuleForm(told, 0)


@pytest.mark.parametrize(
    ("typed", "name", "why"),
    [
        ({"/when#0:at": ""}, "/when", "names a place and a comparison"),
        ({"/when#0:operator": ""}, "/when", "names a place and a comparison"),
        ({"/when#0:operator": "resembles"}, "/when", "names a place and a comparison"),
        ({"/when#0:value": ""}, "/when", "needs a value"),
        ({"/when#0:operator": "exists"}, "/when", "takes no value"),
        ({"/when#0:value": '"200'}, "/when", "commas between them"),
        ({"/when#1:value": '"done'}, "/when", "Close the quotes"),
        ({"/says": "perhaps"}, "/says", "Choose one of the answers"),
        ({"/examples": "- name: [unclosed"}, "/examples", "can't be read as YAML"),
        ({"/when": "yaml", "/when#yaml": "{all: ["}, "/when", "can't be read as YAML"),
    ],
)
def test_what_is_no_answer_is_said_at_its_question_and_nothing_is_written(typed, name, why):
    with pytest.raises(FormRefused) as refused:
        RuleForm(text({}), 1).written({**NEW, **typed})
    assert why in refused.value.problems[name]


def test_what_the_loader_refuses_stands_at_its_question():
    told = rule("r", says="not_sent", when={"at": "/status", "equals": 200}, source="nowhere", examples=[])
    form = RuleForm(text({"/readings": [told]}), 0)
    faulty = {one.field.place: [fault.fault.rule for fault in one.faults] for one in form.questions() if one.faults}
    assert "/examples" in faulty
    misread = rule("r", when={"at": "/body/x", "equals_argument": "nobody"}, says="not_sent")
    form = RuleForm(text({"/readings": [misread]}), 0)
    faulty = {one.field.place: [fault.fault.rule for fault in one.faults] for one in form.questions() if one.faults}
    assert faulty["/when"] == ["unknown_argument"]
    assert "beyond_authority" in faulty["/says"]


def test_the_channels_that_are_offered_are_those_of_the_text():
    asked = {one.name: one for one in RuleForm(text({}), 0).questions()}
    assert [option.token for option in asked["/channel"].field.options] == ["reply", "record", "wire"]
    assert RuleForm(blank_text(), 0).is_new


@pytest.mark.parametrize("name", list(library()))
def test_a_form_that_nobody_typed_into_leaves_every_rule_of_the_library_as_it_is(name):
    told = library_text(name)
    for index in range(len(names(told))):
        form = RuleForm(told, index)
        assert form.written(as_sent(form)) is told
        assert [one.name for one in form.questions() if one.told is None] == []


def test_a_new_rule_is_written_behind_the_last_and_loads():
    after = RuleForm(text({}), 1).written(NEW)
    assert names(after) == ["recorded", "seen_later"]
    assert ContractForm(after).faults == ()
    written = parsed(after)["readings"][1]
    assert written["when"] == {"all": [{"at": "/status", "in": [200, 203]}, {"at": "/body/state", "equals": "done"}]}
    assert "covers_copies" not in written


def test_a_rule_that_is_left_empty_is_not_kept():
    before = text({})
    form = RuleForm(before, 1)
    assert form.written(as_sent(form)) is before


def test_what_is_changed_is_written_and_the_rest_of_the_rule_stays():
    before = text({})
    form = RuleForm(before, 0)
    after = parsed(form.written(as_sent(form, **{"/because": "It was seen."})))
    kept = parsed(before)
    kept["readings"][0]["because"] = "It was seen."
    assert after == kept


@pytest.mark.parametrize(
    ("index", "move", "order"),
    [
        (0, "up", ["a", "b", "c"]),
        (2, "down", ["a", "b", "c"]),
        (1, "up", ["b", "a", "c"]),
        (1, "down", ["a", "c", "b"]),
        (0, "down", ["b", "a", "c"]),
        (1, "gone", ["a", "c"]),
    ],
)
def test_a_rule_moves_by_one_or_goes(index, move, order):
    form = ContractForm(text({"/readings": [rule(name) for name in "abc"]}))
    assert names(moved(form, index, move)) == order


def test_the_last_rule_can_go_too_and_one_that_is_not_there_goes_nowhere():
    form = ContractForm(text({}))
    assert "readings" not in parsed(moved(form, 0, "gone"))
    with pytest.raises(NoSuchRule):
        moved(form, 1, "gone")


class TestConditions:
    """Conditions come back from the form as they stood in the document."""

    @pytest.mark.parametrize(
        ("value", "line"),
        [
            ({"at": "/status", "equals": 200}, ("/status", "equals", "200")),
            ({"at": "/body/a", "equals": "200"}, ("/body/a", "equals", '"200"')),
            ({"at": "/body/a", "equals": True}, ("/body/a", "equals", "true")),
            ({"at": "/body/a", "equals": ""}, ("/body/a", "equals", '""')),
            ({"at": "/body/a", "equals": "a, b"}, ("/body/a", "equals", '"a, b"')),
            ({"at": "/body/a", "in": ["x", "a, b", 1.5]}, ("/body/a", "in", 'x, "a, b", 1.5')),
            ({"at": "/body/a", "prefix": "200"}, ("/body/a", "prefix", "200")),
            ({"at": "/body/a", "absent": True}, ("/body/a", "absent", "")),
            ({"at": "/body/a", "equals_identity": True}, ("/body/a", "equals_identity", "")),
        ],
    )
    def test_one_condition_is_one_line(self, value, line):
        told = shown(value)
        assert [tuple(one) for one in lines_of(told)] == [line]
        assert answered(told) == value

    @pytest.mark.parametrize(
        "value",
        [
            {"all": [{"any": [{"at": "/status", "equals": 200}]}]},
            {"all": []},
            {"at": "/status"},
            {"at": "/status", "equals": 200, "in": [1]},
            {"at": "/body/a", "equals": "two\nlines"},
            {"at": "/body/a", "equals": None},
            {"at": "/body/a", "exists": False},
            "nonsense",
        ],
    )
    def test_what_no_line_can_say_is_shown_as_yaml_and_comes_back(self, value):
        told = shown(value)
        assert told.token == YAML
        assert answered(told) == value

    def test_no_condition_is_nothing(self):
        assert answered(Told("all", "")) is GONE
        assert answered(Told(YAML, "")) is GONE

    @given(
        st.lists(
            st.one_of(
                st.builds(
                    lambda value: {"at": "/body/a", "equals": value},
                    st.one_of(st.text(max_size=8), st.integers(-(10**6), 10**6), st.booleans()),
                ),
                st.builds(
                    lambda values: {"at": "/body/a", "in": values},
                    st.lists(st.one_of(st.text(max_size=5), st.integers(0, 99)), min_size=1, max_size=4),
                ),
                st.builds(lambda text: {"at": "/body/a", "prefix": text}, st.text(min_size=1, max_size=8)),
            ),
            min_size=1,
            max_size=4,
        ),
        st.sampled_from(["all", "any"]),
    )
    def test_whatever_stands_there_comes_back(self, conditions, joined):
        value = conditions[0] if len(conditions) == 1 else {joined: conditions}
        try:
            found = answered(shown(value))
        except NoAnswer as refused:  # characters that no YAML holds
            assert "YAML" in str(refused)  # noqa: PT017
        else:
            assert found == value
