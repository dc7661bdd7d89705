"""A contract's YAML has one reading."""

import pytest

from operations.contracts.yaml_text import DEEPEST, LONGEST, YamlRefused, read


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate_key"),
        ("a:\n  b: 1\n  b: 1\n", 3, "duplicate_key"),
        ("a: &x 1\nb: *x\n", 1, "anchor"),
        ("a: 1\nb: *x\n", 2, "anchor"),
        ("a: !!str 1\n", 1, "tag"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "tag"),
        ("a: {b: 1}\n<<: {c: 2}\n", 2, "merge"),
        ("[a, b]: 1\n", 1, "key"),
        ("a: yes\n", 1, "ambiguous"),
        ("a: 1\nb: Off\n", 2, "ambiguous"),
        ("a: 010\n", 1, "ambiguous"),
        ("a: 1:30\n", 1, "ambiguous"),
        ("a: 1_000\n", 1, "ambiguous"),
        ("a: .inf\n", 1, "ambiguous"),
        ("a: 1e3\n", 1, "ambiguous"),
        ("a: ~\n", 1, "ambiguous"),
        ("a:\n", 1, "empty"),
        ("a: 1\n---\nb: 1\n", 1, "one_document"),
        ("", 1, "one_document"),
        ("a: [1\n", 2, "syntax"),
        ("a: b: c\n", 1, "syntax"),
        ("a: \x00\n", 1, "syntax"),
    ],
)
def test_what_two_readers_could_understand_differently_is_refused(text, line, rule):
    with pytest.raises(YamlRefused) as refused:
        read(text)
    assert (refused.value.line, refused.value.rule) == (line, rule)


def test_a_text_that_is_too_long_is_refused_unread():
    with pytest.raises(YamlRefused) as refused:
        read("# " + "x" * LONGEST)
    assert refused.value.rule == "too_long"


def test_what_nests_too_deep_is_refused_where_it_does():
    with pytest.raises(YamlRefused) as refused:
        read("a:\n  " + "[" * (DEEPEST + 5) + "]" * (DEEPEST + 5))
    assert (refused.value.line, refused.value.rule) == (2, "too_deep")


def test_plain_values_are_what_both_versions_of_yaml_read():
    told = read("a: 1\nb: -2.5\nc: true\nd: null\ne: 2026-11-30\nf: 'no'\ng: [x, 0]\n\"1\": one\n")
    assert told.value == {
        "a": 1,
        "b": -2.5,
        "c": True,
        "d": None,
        "e": "2026-11-30",
        "f": "no",
        "g": ["x", 0],
        "1": "one",
    }


def test_every_place_has_its_line_and_what_is_not_written_that_of_what_is_around_it():
    told = read("a:\n  b~/c: 1\n  d:\n    - x\n    - y: 2\n")
    assert [told.line(place) for place in ("", "/a/b~0~1c", "/a/d/1/y", "/a/d/1/missing", "/nowhere")] == [
        1,
        2,
        5,
        5,
        1,
    ]
