"""What two readers could understand differently is refused with its place; what is accepted loses nothing."""

import json
import sys
from contextlib import suppress
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.strict_json import (
    DEEPEST,
    NumberText,
    StrictJsonError,
    is_index,
    parse,
    pointer,
    pointer_parts,
    written,
)


def refusal(text: bytes | str, **how: Any) -> tuple[str, str]:
    with pytest.raises(StrictJsonError) as caught:
        parse(text, **how)
    return caught.value.place, caught.value.rule


BOTH = pytest.mark.parametrize("numbers", ["text", "values"])


@BOTH
@pytest.mark.parametrize(
    ("text", "place", "rule"),
    [
        # The same name twice: which of the two values is meant?
        (b'{"a": 1, "a": 1}', "/a", "duplicate_name"),
        (b'{"a": [{}, {"b": {"c": 1, "d": 2, "d": 3}}]}', "/a/1/b/d", "duplicate_name"),
        (b'{"a/b": {"~": 1, "~": 2}}', "/a~1b/~0", "duplicate_name"),
        # The name is compared after its escapes are read.
        (b'{"a": 1, "\\u0061": 2}', "/a", "duplicate_name"),
        # The first name that stands twice, not the first name.
        (b'{"x": 1, "b": 1, "c": 1, "c": 1, "b": 1}', "/c", "duplicate_name"),
        # Of two faults the first in the text, outermost first.
        (b'[{"a": 1, "a": 2}, NaN]', "/0/a", "duplicate_name"),
        (b'{"z": NaN, "a": {"b": 1, "b": 1}}', "/z", "not_a_number"),
        # Words that Python's reader takes for numbers.
        (b"NaN", "", "not_a_number"),
        (b"[1, Infinity]", "/1", "not_a_number"),
        (b'[[1], {"a": [2]}, NaN]', "/2", "not_a_number"),
        (b'{"a": {"b": -Infinity}}', "/a/b", "not_a_number"),
        # Half a pair, as value and as name; a whole pair is a character (below).
        (b'["ok", "\\ud800"]', "/1", "lone_surrogate"),
        (b'["\\uDFFF\\uD800"]', "/0", "lone_surrogate"),
        (b'{"a": {"\\ud83d": 1}}', "/a", "lone_surrogate"),
        (b'{"\\ud83d": 1, "\\ud83d": 2}', "", "duplicate_name"),
        ("\ud800", "line 1 column 1 (offset 0)", "lone_surrogate"),
        ('["\n\ud800"]', "line 2 column 1 (offset 3)", "lone_surrogate"),
        # Bytes that aren't UTF-8, among them a surrogate encoded by itself, and UTF-16.
        (b'"\xff"', "byte 1", "utf_8"),
        (b'"\xed\xa0\x80"', "byte 1", "utf_8"),
        (b'\xff\xfe"\x00"\x00', "byte 0", "utf_8"),
        (b"\xef\xbb\xbf{}", "byte 0", "byte_order_mark"),
        ("\ufeff{}", "byte 0", "byte_order_mark"),
        # Not JSON.
        (b"", "line 1 column 1 (offset 0)", "syntax"),
        (b"  ", "line 1 column 3 (offset 2)", "syntax"),
        (b"{'a': 1}", "line 1 column 2 (offset 1)", "syntax"),
        (b'{"a": 1,}', "line 1 column 9 (offset 8)", "syntax"),
        (b'{\n "a": tru}', "line 2 column 7 (offset 8)", "syntax"),
        (b"\ntru", "line 2 column 1 (offset 1)", "syntax"),
        (b"\n\n\ntru", "line 4 column 1 (offset 3)", "syntax"),
        (b'"a\nb"', "line 1 column 3 (offset 2)", "syntax"),
        (b'"\\x"', "line 1 column 2 (offset 1)", "syntax"),
        # A fault in a value, then a break in the text: the break is what can't be read on from.
        (b'[{"a": 1, "a": 2}, ', "line 1 column 20 (offset 19)", "syntax"),
        (b"+1", "line 1 column 1 (offset 0)", "syntax"),
        (b"01", "line 1 column 2 (offset 1)", "trailing_text"),
        (b"1.", "line 1 column 2 (offset 1)", "trailing_text"),
        (b"{} {}", "line 1 column 4 (offset 3)", "trailing_text"),
        (b"1\x00", "line 1 column 2 (offset 1)", "trailing_text"),
        # A no-break space is not white space of JSON.
        ("1\u00a0", "line 1 column 2 (offset 1)", "trailing_text"),
    ],
)
def test_a_text_that_could_be_read_in_two_ways_is_refused_with_its_place(numbers, text, place, rule):
    assert refusal(text, numbers=numbers) == (place, rule)


def test_a_name_that_repeats_among_very_many_is_found_in_one_pass():
    """Looked for pair by pair it takes as many minutes as this takes tenths of a second."""
    members = ",".join([f'"k{number}": 0' for number in range(100_000)])
    with pytest.raises(StrictJsonError) as refused:
        parse(f'{{{members}, "k99999": 1}}')
    assert (refused.value.place, refused.value.rule) == ("/k99999", "duplicate_name")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[1e999]", "/0"),
        ('{"a": -1e309}', "/a"),
        ('{"a": [0, ' + "9" * (sys.get_int_max_str_digits() + 1) + "]}", "/a/1"),
        ("9" * 5000 + ".0", ""),
    ],
)
def test_a_number_that_a_float_or_an_int_cannot_hold_is_refused_as_a_value(text, place):
    assert refusal(text, numbers="values") == (place, "number_too_large")


def test_a_number_kept_as_text_may_be_of_any_size():
    digits = "9" * 5000
    assert parse(f"[1e999, {digits}]") == [NumberText("1e999"), NumberText(digits)]


@BOTH
@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_a_text_deeper_than_the_bound_is_refused_at_the_bracket_that_goes_too_deep(numbers, opening):
    closing = "}" if opening[0] == "{" else "]"
    text = opening * DEEPEST + "[]" + closing * DEEPEST
    offset = len(opening) * DEEPEST
    assert refusal(text, numbers=numbers) == (f"line 1 column {offset + 1} (offset {offset})", "too_deep")


@BOTH
@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"a":' * 200_000, '[{"a":1,"a":2},' + "[" * 200_000], ids=["arrays", "objects", "fault"]
)
def test_a_text_that_would_exhaust_the_stack_is_refused_and_does_not_crash(numbers, text):
    assert refusal(text, numbers=numbers)[1] == "too_deep"


def test_a_bound_beyond_the_stack_is_the_stacks():
    assert refusal("[" * 200_000, deepest=10**6) == ("line 1 column 200000 (offset 199999)", "too_deep")


def test_brackets_within_strings_are_not_counted_where_the_depth_is_placed():
    text = '{"[[[\\"{{": ["]]]]", [[[]]]]}'
    assert refusal(text, deepest=4) == (f"line 1 column {text.index('[]') + 1} (offset {text.index('[]')})", "too_deep")


def test_brackets_that_are_closed_again_are_not_counted_where_the_depth_is_placed():
    text = '[{"a": []}, [], {"a": [[]]}]'
    assert refusal(text, deepest=3) == ("line 1 column 24 (offset 23)", "too_deep")


def test_a_text_too_deep_is_refused_before_the_faults_in_it():
    assert refusal("[" * 150 + "NaN" + "]" * 150)[1] == "too_deep"


def test_the_message_of_a_refusal_begins_with_its_place():
    with pytest.raises(StrictJsonError) as caught:
        parse('{"a": 1, "a": 2}')
    assert str(caught.value) == "/a: each name may stand once in an object"


def test_a_refusal_of_the_whole_text_has_no_place_to_name():
    with pytest.raises(StrictJsonError) as caught:
        parse("NaN")
    assert str(caught.value) == "NaN is not a number of JSON"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expecting property name enclosed in double quotes"),
        ('"', "unterminated string"),
        ('"\n"', "invalid control character"),
        ("[1 2]", "expecting ',' delimiter"),
        ("[] []", "nothing may follow the value"),
        ('"\\ud800"', "half of a surrogate pair is not a character"),
        (b"\xff", "must be UTF-8"),
        ("\ud800", "half of a surrogate pair is not a character"),
        ("\ufeff1", "must not begin with a byte order mark"),
        ("[[1]]", "must not nest deeper than 1 objects and arrays"),
    ],
)
def test_a_refusal_says_what_would_be_right(text, message):
    with pytest.raises(StrictJsonError) as caught:
        parse(text, deepest=1)
    assert caught.value.message == message


@BOTH
def test_the_deepest_text_allowed_is_read(numbers):
    assert parse("[" * DEEPEST + "]" * DEEPEST, numbers=numbers)


@BOTH
def test_a_wide_text_is_not_a_deep_one(numbers):
    wide = parse("[" + ",".join(['{"a": [[]]}'] * 300) + "]", numbers=numbers, deepest=4)
    assert len(wide) == 300


@BOTH
def test_a_whole_surrogate_pair_is_one_character(numbers):
    assert parse(rb'{"\ud83d\ude00": "\uD83D\uDE00"}', numbers=numbers) == {"\U0001f600": "\U0001f600"}


def test_an_escaped_backslash_before_a_surrogate_is_text():
    assert parse(rb'"\\ud800"') == "\\ud800"


def test_white_space_around_the_value_is_no_trailing_text():
    assert parse(b" \t\r\n[] \t\r\n") == []


def test_members_come_in_the_order_written():
    assert written(parse('{"b": 1, "a": 2}')) == '{"b": 1, "a": 2}'


def test_words_are_values_and_not_numbers():
    assert parse('[null, true, false, "1"]') == [None, True, False, "1"]


def test_numbers_as_values_are_whole_or_broken_as_they_were_written():
    assert repr(parse("[1, 1.0, -0, 1e2]", numbers="values")) == "[1, 1.0, 0, 100.0]"


@pytest.mark.parametrize(("one", "other"), [("1", "1.0"), ("1e2", "100"), ("-0", "0"), ("1e2", "1E2"), ("0.10", "0.1")])
def test_numbers_of_one_value_written_differently_differ(one, other):
    assert parse(one) != parse(other)


def test_a_number_is_no_string_no_value_and_not_to_be_changed():
    number: Any = parse("1")
    assert number == NumberText("1")
    assert hash(number) == hash(NumberText("1"))
    assert number not in ("1", 1, True)
    assert str(number) == "1"
    with pytest.raises(FrozenInstanceError):
        number.text = "2"
    with pytest.raises(TypeError):
        json.dumps(number)  # nobody writes it back as a string by oversight


# RFC 6901, section 5: the document's own examples.
@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((), ""),
        (("foo", 0), "/foo/0"),
        (("",), "/"),
        (("a/b",), "/a~1b"),
        (("m~n",), "/m~0n"),
        (("~1",), "/~01"),
        ((" ", 'k"l'), '/ /k"l'),
    ],
)
def test_a_pointer_escapes_tilde_and_slash_and_reads_back(parts, text):
    assert pointer(parts) == text
    assert pointer_parts(text) == tuple(map(str, parts))


@pytest.mark.parametrize("text", ["a", "#/a", "/a~", "/~2", "/a~b/c"])
def test_a_text_that_is_no_pointer_is_refused(text):
    with pytest.raises(ValueError, match="JSON pointer"):
        pointer_parts(text)


def test_an_index_has_no_leading_zero_and_no_sign():
    assert [part for part in ("0", "7", "10", "01", "-1", "+1", "", "a", "1 ", "-", "\u0661") if is_index(part)] == [
        "0",
        "7",
        "10",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": NumberText("1.0"), "a": [True, False, None, "x"]}, '{"b": 1.0, "a": [true, false, null, "x"]}'),
        ({}, "{}"),
        ([], "[]"),
        ('say "é"', '"say \\"é\\""'),
        # Direction marks, zero-width joiners and control characters change what a reader sees.
        ("a\u202eb\u200dc\u0007d\x7f", '"a\\u202eb\\u200dc\\u0007d\\u007f"'),
        # A no-break space looks like a space.
        ({"\u00a0": "\U000e0001"}, '{"\\u00a0": "\\udb40\\udc01"}'),
    ],
)
def test_a_value_is_written_so_that_a_person_sees_every_character(value, text):
    assert written(value) == text
    assert parse(text) == value


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.text(alphabet=st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["0", "-0", "1", "1.0", "1e2", "1E+2", "100", "0.10"]).map(NumberText),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_reads_back_to_the_same_value(value):
    assert parse(written(value)) == value
    assert parse(written(value).encode()) == value


@given(st.text() | st.binary() | st.lists(st.sampled_from('[]{}",:\\ud8a1e.-N ')).map("".join))
def test_any_text_is_read_or_refused_with_the_one_error(text):
    for numbers in ("text", "values"):
        with suppress(StrictJsonError):
            parse(text, numbers=numbers)


@given(VALUES)
def test_strict_reading_agrees_with_the_ordinary_reader_on_what_it_accepts(value):
    text = written(value)
    assert parse(text, numbers="values") == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-Infinity", "-Infinity is not a number of JSON"),
        ("1e999", "must be smaller than 1.8e308"),
        ("9" * (sys.get_int_max_str_digits() + 1), "must have fewer digits"),
        ('{"a": 1, "a": 1}', "each name may stand once in an object"),
    ],
)
def test_a_refused_value_says_what_would_be_right(text, message):
    with pytest.raises(StrictJsonError) as caught:
        parse(text, numbers="values")
    assert caught.value.message == message
