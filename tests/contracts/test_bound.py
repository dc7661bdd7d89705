"""When an echo is the value that was sent."""

import pytest

from operations.contracts.bound import Alike, alike
from operations.contracts.places import MISSING, UNREADABLE
from operations.core.strict_json import NumberText as N

SAME_CHARACTERS = ("1000", N("1000"))


@pytest.mark.parametrize("how", list(Alike))
@pytest.mark.parametrize("gap", [MISSING, UNREADABLE])
def test_what_is_not_there_is_alike_to_nothing(how, gap):
    assert not alike(gap, gap, how=how)
    assert not alike("a", gap, how=how)


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        (*SAME_CHARACTERS, Alike.EXACT),
        (N("1"), N("1.0"), Alike.EXACT),
        ("USD", "usd", Alike.EXACT),
        (N("1"), N("1.0"), Alike.SPELLING),
        ("USD", "usd", Alike.SPELLING),
        (True, N("1"), Alike.NUMBER),
        ("one", "one ", Alike.NUMBER),
        ("nan", N("1"), Alike.NUMBER),
        ("infinity", "Infinity", Alike.NUMBER),
        (N("1e9999999999999999999"), N("1"), Alike.NUMBER),
        ("Straße", "STRASSE", Alike.LETTERS),
        ("K", "\u212a", Alike.LETTERS),  # the sign of Kelvin lowers to k
        (None, "null", Alike.SPELLING),
        (["a"], ["b"], Alike.SPELLING),
    ],
)
def test_what_no_rule_makes_the_same_is_another_value(one, other, how):
    assert not alike(one, other, how=how)
    assert not alike(other, one, how=how)


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("a", "a", Alike.EXACT),
        ({"a": [N("1")]}, {"a": [N("1")]}, Alike.EXACT),
        (*SAME_CHARACTERS, Alike.SPELLING),
        (N("1"), N("1.0"), Alike.NUMBER),
        ("10.00", N("1e1"), Alike.NUMBER),
        ("USD", "usd", Alike.LETTERS),
    ],
)
def test_what_a_rule_makes_the_same_is_the_same(one, other, how):
    assert alike(one, other, how=how)


DIGEST = "fafb00f5732ab283681e124bf8747ed1"


@pytest.mark.parametrize(
    ("sent", "echo"),
    [("this is a test message", DIGEST), (DIGEST, DIGEST), (N("1"), "c4ca4238a0b923820dcc509a6f75849b"), ("a", ["a"])],
)
def test_a_digest_of_something_else_is_another_value(sent, echo):
    assert not alike(sent, echo, how=Alike.MD5)


def test_a_digest_of_the_text_is_its_echo():
    assert alike("This is a test message", DIGEST.upper(), how=Alike.MD5)
