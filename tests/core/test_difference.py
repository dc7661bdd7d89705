"""Two things that look alike on a screen are shown so that a reader sees that they differ."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.difference import LONGEST_SHOWN, Found, Octets, first_difference, json_or_octets, worded
from operations.core.normalisation import ABSENT
from operations.core.strict_json import NumberText


@pytest.mark.parametrize(
    ("before", "after", "shown", "why"),
    [
        (ABSENT, None, (ABSENT, "null"), "only the proposal has it"),
        ("", ABSENT, ('""', ABSENT), "only the original has it"),
        # The word for nothing is not nothing.
        ("absent", ABSENT, ('"absent"', ABSENT), "only the original has it"),
        (NumberText("1"), NumberText("1.0"), ("1", "1.0"), "one value, written differently"),
        (NumberText("1"), NumberText("2"), ("1", "2"), "another value"),
        (NumberText("1"), "1", ("1", '"1"'), "a number became text"),
        ({}, [], ("{}", "[]"), "an object became an array"),
        (True, False, ("true", "false"), "another value"),
        (None, False, ("null", "false"), "null became true or false"),
        ("a", "b", ('"a"', '"b"'), "another text"),
        # Of an array without order two elements may be paired off.
        ({"a": None}, {"b": None}, ('{"a": null}', '{"b": null}'), "another value"),
        ([None], [True], ("[null]", "[true]"), "another value"),
        # A Cyrillic letter.
        ("pay", "p\u0430y", ('"pay"', '"p\u0430y"'), 'another text; from character 0: "pay" became "p\\u0430y"'),
        (
            "caf\u00e9",
            "cafe\u0301",
            ('"caf\u00e9"', '"cafe\u0301"'),
            'another text, the same characters composed differently; from character 0: "caf\\u00e9" became "cafe\\u0301"',
        ),
        # A zero-width space.
        ("a\u200b", "a", ('"a\\u200b"', '"a"'), 'another text; from character 0: "a\\u200b" became "a"'),
    ],
)
def test_each_kind_of_difference_is_named(before, after, shown, why):
    found = worded(Found("/body/x", before, after))
    assert (found.before, found.after) == shown
    assert (found.pointer, found.why) == ("/body/x", why)


def test_a_name_that_looks_like_another_is_spelt_out():
    found = worded(Found("/body/caf\u00e9", ABSENT, None))
    assert found.pointer == "/body/caf\u00e9"
    assert found.why == 'only the proposal has it; the place is spelt "/body/caf\\u00e9"'


def test_a_given_reason_stands_in_place_of_the_kind():
    assert worded(Found("/scope", "a", "b", "another scope")).why == "another scope"


def test_a_long_value_is_cut_off_with_its_length_and_digest():
    text = "x" * LONGEST_SHOWN
    found = worded(Found("/body", text, text + "y"))
    digest = sha256(f'"{text}"'.encode()).hexdigest()
    assert found.before == f'"{text[:-1]}… ({LONGEST_SHOWN + 2} characters, sha256 {digest})'
    assert found.before != found.after
    assert found.why == f'another text; from character 1992: "{"x" * 8}" became "{"x" * 8}y"'


def test_the_longest_value_that_is_shown_whole_is_shown_whole():
    text = "x" * (LONGEST_SHOWN - 2)
    found = worded(Found("/body", text, "y"))
    assert (found.before, found.why) == (f'"{text}"', "another text")


def test_a_text_just_long_enough_to_be_cut_off_is_shown_where_it_differs():
    text = "x" * (LONGEST_SHOWN - 2)
    assert worded(Found("/body", text + "y", text + "z")).why == (
        f'another text; from character 1990: "{"x" * 8}y" became "{"x" * 8}z"'
    )


def test_bytes_that_became_a_value_are_named():
    assert worded(Found("/body", Octets(b"x"), {})).why == "bytes became an object"


def test_a_difference_far_into_a_text_is_shown_with_what_stands_before_it():
    before, after = "\u00e9" * 30 + "a" * 50, "\u00e9" * 30 + "b" * 50
    expected = '"' + "\\u00e9" * 8 + "{}" * 32 + '"'
    one, two = expected.format(*"a" * 32), expected.format(*"b" * 32)
    assert worded(Found("/target", before, after)).why == f"another text; from character 22: {one} became {two}"


def test_bytes_are_shown_by_length_digest_and_what_stands_where_they_differ():
    data = b"amount=100&note=caf\xc3\xa9\x00\xff"
    found = worded(Found("/body", Octets(data, 7), Octets(b"", 0)))
    assert (
        found.before == f'23 bytes, sha256 {sha256(data).hexdigest()}; from byte 7: "100&note=caf\u00e9\\u0000\\\\xff"'
    )
    assert found.after == f"0 bytes, sha256 {sha256(b'').hexdigest()}"
    assert found.why == "another value"


def test_the_excerpt_of_bytes_is_bounded():
    found = worded(Found("/body", Octets(b"a" * 100, 10), ABSENT))
    assert found.before == f'100 bytes, sha256 {sha256(b"a" * 100).hexdigest()}; from byte 10: "{"a" * 40}"'


def test_bytes_that_are_not_strict_json_stay_bytes():
    assert json_or_octets(b'{"a": 1, "a": 1}') == Octets(b'{"a": 1, "a": 1}', 0)
    assert json_or_octets(b"1.0") == NumberText("1.0")


@given(st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=20))
def test_the_first_difference_is_where_the_common_beginning_ends(common, one, other):
    at = first_difference(common + one, other=common + other)
    assert at >= len(common)
    assert (common + one)[:at] == (common + other)[:at]
    assert (common + one)[at : at + 1] != (common + other)[at : at + 1] or common + one == common + other
