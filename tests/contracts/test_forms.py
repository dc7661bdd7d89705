"""Bytes are read as their form says or not at all."""

import pytest

from operations.contracts.channel import BodyForm
from operations.contracts.forms import LONGEST, MOST_VALUES, read_body, read_headers
from operations.contracts.places import MISSING, UNREADABLE
from operations.core.strict_json import NumberText as N


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b"<html>", BodyForm.JSON),
        (b'{"a": 1, "a": 2}', BodyForm.JSON),
        (b'{"a": NaN}', BodyForm.JSON),
        (b'{"a": 1', BodyForm.JSON),
        (b"[" * 5000 + b"]" * 5000, BodyForm.JSON),
        (b"\xff", BodyForm.JSON),
        (b" " * (LONGEST + 1), BodyForm.JSON),
        (b"[" + b"0," * MOST_VALUES + b"0]", BodyForm.JSON),
        (b'{"a,b": [' + b'"",' * MOST_VALUES + b'"\\","]}', BodyForm.JSON),
        (b"a=1&a=2", BodyForm.FORM),
        (b"no form", BodyForm.FORM),
        (b"\xff=1", BodyForm.FORM),
        (b"\xff", BodyForm.TEXT),
        (b"anything", BodyForm.NONE),
    ],
)
def test_what_does_not_read_as_its_form_is_unreadable(body, form):
    assert read_body(body, form=form) is UNREADABLE


@pytest.mark.parametrize("form", list(BodyForm))
@pytest.mark.parametrize("body", [None, b""])
def test_no_body_is_nothing_and_not_unreadable(body, form):
    assert read_body(body, form=form) is MISSING


def test_a_body_is_read_as_its_form_says():
    assert read_body(b'{"a": 1.0}', form=BodyForm.JSON) == {"a": N("1.0")}
    assert read_body(b"amount=1000&metadata%5Bkey%5D=a+b&empty=", form=BodyForm.FORM) == {
        "amount": "1000",
        "metadata[key]": "a b",
        "empty": "",
    }
    assert read_body("ä".encode(), form=BodyForm.TEXT) == "ä"


def test_as_many_values_as_are_read_and_any_number_of_commas_in_a_text_are_read():
    assert read_body(b"[" + b"0," * (MOST_VALUES - 1) + b"0]", form=BodyForm.JSON) == [N("0")] * MOST_VALUES
    commas = '\\",' * MOST_VALUES
    assert read_body(f'{{"table": "{commas}"}}'.encode(), form=BodyForm.JSON) == {"table": '",' * MOST_VALUES}


def test_lines_of_one_name_are_one_value():
    assert read_headers((("Via", "a"), ("AGE", "3"), ("via", "b"))) == {"via": "a, b", "age": "3"}
