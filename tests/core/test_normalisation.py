"""A rule that reaches further than a contract can state is refused; those that can be stated excuse exactly one thing."""

from typing import Any

import pytest

from operations.core.facts import FactError
from operations.core.normalisation import ABSENT, EXACT, Normalisation, equal_by_value
from operations.core.strict_json import NumberText

BODY = frozenset({"/body"})
POINTER_RULES = ["unbound", "any_order", "numbers_by_value", "null_is_absent", "letter_case_free"]


def refusal(**rules: Any) -> tuple[str, str]:
    with pytest.raises(FactError) as caught:
        Normalisation(**rules)
    assert caught.value.message
    return caught.value.field, caught.value.rule


@pytest.mark.parametrize("rule", POINTER_RULES)
@pytest.mark.parametrize(
    "place",
    [
        "",
        "/",
        "/scope",
        "/identity",
        "/method",
        "/target",
        "/scope/x",
        "/headers/a",
        "/bodyguard/a",
        "/Body/a",
        "/body2",
    ],
)
def test_no_rule_reaches_scope_identity_method_target_or_headers(rule, place):
    assert refusal(json_by_value=BODY, **{rule: frozenset({place})}) == (rule, "part")


@pytest.mark.parametrize("rule", POINTER_RULES)
@pytest.mark.parametrize("place", ["body/a", "/body/~", "/body/~2", "#/body"])
def test_a_rule_needs_a_json_pointer(rule, place):
    assert refusal(json_by_value=BODY, **{rule: frozenset({place})}) == (rule, "pointer")


@pytest.mark.parametrize("rule", POINTER_RULES)
def test_a_rule_within_a_part_that_is_compared_by_bytes_is_refused(rule):
    assert refusal(**{rule: frozenset({"/body/a"})}) == (rule, "by_value")
    assert refusal(json_by_value=BODY, **{rule: frozenset({"/arguments/a"})}) == (rule, "by_value")


@pytest.mark.parametrize("rule", ["any_order", "numbers_by_value", "letter_case_free"])
def test_a_rule_on_a_whole_part_that_is_compared_by_bytes_is_refused(rule):
    assert refusal(**{rule: BODY}) == (rule, "by_value")


def test_a_whole_part_cannot_be_null_instead_of_absent():
    assert refusal(json_by_value=BODY, null_is_absent=BODY) == ("null_is_absent", "member")


@pytest.mark.parametrize("rule", POINTER_RULES)
@pytest.mark.parametrize("place", ["/body/items/0", "/body/items/0/note"])
def test_a_rule_below_an_array_without_order_is_refused(rule, place):
    rules = {"any_order": frozenset({"/body/items"})}
    rules[rule] = rules.get(rule, frozenset()) | {place}
    assert refusal(json_by_value=BODY, **rules) == (rule, "no_place")


def test_an_array_without_order_may_be_the_whole_body():
    assert refusal(json_by_value=BODY, any_order=BODY, unbound=frozenset({"/body/0"})) == ("unbound", "no_place")


def test_something_stays_bound():
    assert refusal(unbound=frozenset({"/body", "/arguments"})) == ("unbound", "something_bound")


@pytest.mark.parametrize("rule", ["json_by_value", "binding_headers", *POINTER_RULES])
@pytest.mark.parametrize("places", [{"/body"}, ["/body"], "/body", frozenset({1}), frozenset({"a", b"a"})])
def test_a_rule_is_a_frozenset_of_texts(rule, places):
    assert refusal(**{rule: places}) == (rule, "set")


@pytest.mark.parametrize("place", ["/headers", "body", "/body/a", ""])
def test_only_body_and_arguments_have_parsed_values(place):
    assert refusal(json_by_value=frozenset({place})) == ("json_by_value", "part")


@pytest.mark.parametrize(("name", "rule"), [("A", "lower_case"), ("a b", "token"), ("", "token")])
def test_a_binding_header_is_a_name_in_lower_case(name, rule):
    assert refusal(binding_headers=frozenset({name})) == ("binding_headers", rule)


def test_whether_the_order_of_headers_is_free_is_said_outright():
    assert refusal(header_order_free=1) == ("header_order_free", "flag")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"json_by_value": frozenset({"/x"})}, "must be one of /body, /arguments"),
        ({"unbound": frozenset({"/x"})}, "must point into one of /body, /arguments: '/x'"),
        ({"unbound": frozenset({"/body", "/arguments"})}, "must leave one of /body, /arguments bound"),
        ({"unbound": frozenset({"/body/a"})}, "needs /body in json_by_value: '/body/a' lies in bytes"),
        ({"null_is_absent": BODY}, "must point to a member, not to the whole: '/body'"),
        (
            {"json_by_value": BODY, "any_order": BODY, "unbound": frozenset({"/body/0"})},
            "must not point below an array of any_order: '/body/0'",
        ),
        ({"binding_headers": frozenset({"A"})}, "must be written in lower case"),
        ({"header_order_free": None}, "must be true or false"),
        ({"unbound": set()}, "must be a frozenset of texts"),
        ({"unbound": frozenset({"x"})}, "a JSON pointer is empty or begins with a slash: 'x'"),
    ],
)
def test_a_refusal_says_what_would_be_right(rules: dict[str, Any], message):
    with pytest.raises(FactError) as caught:
        Normalisation(**rules)
    assert caught.value.message == message


def test_nothing_is_excused_by_default():
    assert Normalisation() == EXACT
    assert EXACT.binds("/body")
    assert EXACT.binds_header("x")
    assert not EXACT.header_order_free
    assert not EXACT.same_value("/body", NumberText("1"), NumberText("1.0"))
    assert not EXACT.same_value("/body", "a", "A")
    assert not EXACT.same_value("/body/a", None, ABSENT)


def test_a_whole_part_may_be_unbound_though_it_is_compared_by_bytes():
    assert not Normalisation(unbound=BODY).binds("/body")


def test_only_the_binding_headers_bind_and_perhaps_none():
    assert [Normalisation(binding_headers=frozenset({"a"})).binds_header(name) for name in ("a", "b")] == [True, False]
    assert not Normalisation(binding_headers=frozenset()).binds_header("a")


RULES = Normalisation(
    json_by_value=BODY,
    numbers_by_value=frozenset({"/body/n"}),
    letter_case_free=frozenset({"/body/t"}),
    null_is_absent=frozenset({"/body/z"}),
)


@pytest.mark.parametrize(
    ("place", "before", "after", "same"),
    [
        ("/body/n", NumberText("1"), NumberText("1.0"), True),
        ("/body/n", NumberText("1"), NumberText("2"), False),
        ("/body/m", NumberText("1"), NumberText("1.0"), False),
        # A number in a string is a string.
        ("/body/n", NumberText("1"), "1", False),
        ("/body/n", "1", "1.0", False),
        ("/body/t", "eUr", "EuR", True),
        ("/body/t", "eur", "euro", False),
        ("/body/u", "eur", "EUR", False),
        ("/body/t", "eur", None, False),
        ("/body/t", ABSENT, "eur", False),
        # Other letters than A to Z: which pairs a recipient takes for one letter is a matter of its locale.
        ("/body/t", "\u00e9", "\u00c9", False),
        ("/body/t", "\u00df", "ss", False),
        ("/body/t", "k", "\u212a", False),
        ("/body/z", None, ABSENT, True),
        ("/body/z", ABSENT, None, True),
        ("/body/y", ABSENT, None, False),
        ("/body/z", ABSENT, "", False),
        ("/body/z", None, False, False),
        ("/body/z", {}, ABSENT, False),
    ],
)
def test_a_rule_excuses_its_own_kind_of_difference_at_its_own_place(place, before, after, same):
    assert RULES.same_value(place, before, after) is same


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1.0", True),
        ("100", "1e2", True),
        ("1E+2", "1e2", True),
        ("0.10", "0.1", True),
        ("-0", "0", True),
        ("0e5", "0", True),
        ("0.1", "0.10000000000000000000000000000001", False),
        # Both are the same float.
        ("9007199254740993", "9007199254740992", False),
        ("9007199254740993", "9007199254740993.0", True),
        ("1", "-1", False),
        ("1e400", "10e399", True),
        # Beyond what Decimal holds.
        ("1e9999999999999999999", "10e9999999999999999998", False),
        ("1e9999999999999999999", "1e9999999999999999999", True),
    ],
)
def test_numbers_are_equal_by_exact_value(one, other, equal):
    assert equal_by_value(NumberText(one), NumberText(other)) is equal
