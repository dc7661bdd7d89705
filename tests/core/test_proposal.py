"""Anything that differs is a new proposal with all its differences; only a rule of the contract excuses one."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.difference import Difference
from operations.core.normalisation import ABSENT, EXACT, Absent, Normalisation
from operations.core.proposal import MOST_LISTED, Comparison, compare
from operations.core.representation import Representation
from operations.core.strict_json import Json, NumberText, parse, pointer, pointer_parts, written

ORIGINAL = Representation(method="POST", target="/tickets", scope="desk east", identity="cedar-1")


def with_body(body: bytes | str | None) -> Representation:
    return replace(ORIGINAL, body=body.encode() if isinstance(body, str) else body)


def with_headers(*headers: tuple[str, str]) -> Representation:
    return replace(ORIGINAL, headers=headers)


def places(found: Comparison) -> list[tuple[str, str | Absent, str | Absent]]:
    return [(one.pointer, one.before, one.after) for one in found.differences]


def bodies(before: Any, after: Any, rules: Normalisation = EXACT) -> list[tuple[str, str | Absent, str | Absent]]:
    return places(compare(with_body(before), proposed=with_body(after), rules=rules))


def by_value(**rules: Any) -> Normalisation:
    stated: dict[str, Any] = {name: frozenset(places) for name, places in rules.items()}
    return Normalisation(json_by_value=frozenset({"/body"}), **stated)


# Every rule at once, as wide as rules go.
WIDEST = Normalisation(
    binding_headers=frozenset(),
    header_order_free=True,
    json_by_value=frozenset({"/body", "/arguments"}),
    unbound=frozenset({"/body"}),
    any_order=frozenset({"/arguments"}),
)


@pytest.mark.parametrize("rules", [EXACT, WIDEST], ids=["exact", "widest"])
@pytest.mark.parametrize(
    ("field", "after", "shown", "why"),
    [
        ("identity", "cedar-2", '"cedar-2"', "another identity is another operation, by any contract"),
        ("identity", "CEDAR-1", '"CEDAR-1"', "another identity is another operation, by any contract"),
        ("scope", "desk west", '"desk west"', "another scope is a new proposal, by any contract"),
        ("scope", "", '""', "another scope is a new proposal, by any contract"),
        ("method", "post", '"post"', "another method is a new proposal, by any contract"),
        ("target", "/tickets/", '"/tickets/"', "another target is a new proposal, by any contract"),
    ],
)
def test_another_identity_scope_method_or_target_is_a_new_proposal_whatever_the_rules(rules, field, after, shown, why):
    changed: dict[str, Any] = {field: after}
    found = compare(ORIGINAL, proposed=replace(ORIGINAL, **changed), rules=rules)
    before = written(getattr(ORIGINAL, field))
    assert found.differences == (Difference(pointer=f"/{field}", before=before, after=shown, why=why),)
    assert not found.identical


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Values.
        ('{"n": 1}', '{"n": 1.0}', [("/body/n", "1", "1.0")]),
        ('{"n": 1}', '{"n": "1"}', [("/body/n", "1", '"1"')]),
        ('{"n": 1}', '{"n": true}', [("/body/n", "1", "true")]),
        ('{"n": 0}', '{"n": -0}', [("/body/n", "0", "-0")]),
        ("1", "2", [("/body", "1", "2")]),
        ("null", "{}", [("/body", "null", "{}")]),
        # Members: changed in the order of the original, then the new ones.
        (
            '{"b": 1, "a": 1, "c": 1}',
            '{"d": 1, "a": 2, "b": 2, "c": 1}',
            [("/body/b", "1", "2"), ("/body/a", "1", "2"), ("/body/d", ABSENT, "1")],
        ),
        ('{"a": null}', "{}", [("/body/a", "null", ABSENT)]),
        ("{}", '{"a": {"b": 1}}', [("/body/a", ABSENT, '{"b": 1}')]),
        ('{"a": {"b": {"c": 1}}}', '{"a": {"b": {"c": 2}}}', [("/body/a/b/c", "1", "2")]),
        # Names that need escapes, and the empty name.
        ('{"a/b": {"~": 1}, "": 1}', '{"a/b": {"~": 2}, "": 2}', [("/body/a~1b/~0", "1", "2"), ("/body/", "1", "2")]),
        # The same name in two compositions is two names.
        ('{"\u00e9": 1}', '{"e\u0301": 1}', [("/body/\u00e9", "1", ABSENT), ("/body/e\u0301", ABSENT, "1")]),
        # Arrays: an insertion is one difference wherever it is.
        ("[1, 2, 3]", "[0, 1, 2, 3]", [("/body/0", ABSENT, "0")]),
        ("[1, 2, 3]", "[1, 9, 2, 3]", [("/body/1", ABSENT, "9")]),
        ("[1, 2, 3]", "[1, 2, 3, 4]", [("/body/3", ABSENT, "4")]),
        ("[1, 2, 3]", "[2, 3]", [("/body/0", "1", ABSENT)]),
        ("[1, 2, 3]", "[1, 2]", [("/body/2", "3", ABSENT)]),
        ("[]", "[1, 2]", [("/body/0", ABSENT, "1"), ("/body/1", ABSENT, "2")]),
        ("[1, 1]", "[1]", [("/body/1", "1", ABSENT)]),
        ("[1, 1, 1]", "[1, 1]", [("/body/2", "1", ABSENT)]),
        ("[1, 2, 3]", "[1, 8, 9, 3]", [("/body/1", "2", "8"), ("/body/2", ABSENT, "9")]),
        ('[{"a": 1, "b": 1}, 2]', '[{"a": 1, "b": 2}, 2]', [("/body/0/b", "1", "2")]),
        ("[1, 2]", "[2, 1]", [("/body/0", "1", "2"), ("/body/1", "2", "1")]),
    ],
)
def test_json_bodies_differ_member_by_member_and_element_by_element(before, after, expected):
    assert bodies(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "what", "at"),
    [
        ('{"a": 1}', '{"a":1}', "white space or the spelling of characters in strings is not", 5),
        ('"A"', '"\\u0041"', "white space or the spelling of characters in strings is not", 1),
        ('{"a": 1, "b": 1}', '{"b": 1, "a": 1}', "the order of members is not", 2),
        ("[]", "[]\n", "white space or the spelling of characters in strings is not", 2),
    ],
)
def test_equal_values_in_other_bytes_are_a_new_proposal_unless_the_contract_compares_values(before, after, what, at):
    found = compare(with_body(before), proposed=with_body(after))
    why = f"every value is equal, {what}, and no rule of the contract says that this doesn't matter"
    expected = [("/body", f"{why}; the first difference is at byte {at}")]
    assert [(one.pointer, one.why) for one in found.differences] == expected
    assert found.differences[0].before != found.differences[0].after
    assert compare(with_body(before), proposed=with_body(after), rules=by_value()).identical


def test_bytes_that_are_not_json_differ_by_bytes():
    found = compare(with_body("amount=100"), proposed=with_body("amount=900"))
    assert len(found.differences) == 1
    assert str(found.differences[0].before).endswith('; from byte 7: "100"')
    assert str(found.differences[0].after).endswith('; from byte 7: "900"')
    assert found.differences[0].why == (
        "compared by bytes: neither side is strict JSON; the first difference is at byte 7"
    )


def test_a_body_that_two_readers_could_read_differently_is_compared_by_bytes_even_by_value():
    found = compare(with_body('{"a": 1}'), proposed=with_body('{"a": 1, "a": 1}'), rules=by_value())
    assert [one.why for one in found.differences] == [
        "compared by bytes: only one side is strict JSON; the first difference is at byte 7"
    ]


def test_an_empty_body_is_not_an_absent_one():
    found = bodies(b"", None)
    assert [(place, after) for place, _, after in found] == [("/body", ABSENT)]
    assert str(found[0][1]).startswith("0 bytes")


def test_a_body_on_one_side_is_shown_as_its_value():
    assert bodies(None, '{"a":1}') == [("/body", ABSENT, '{"a": 1}')]
    assert bodies("null", None) == [("/body", "null", ABSENT)]


def test_arguments_on_one_side_only_are_a_difference():
    found = compare(ORIGINAL, proposed=replace(ORIGINAL, arguments=b"{}"))
    assert places(found) == [("/arguments", ABSENT, "{}")]


def test_arguments_are_compared_like_a_body():
    before, after = replace(ORIGINAL, arguments=b'{"a":1}'), replace(ORIGINAL, arguments=b'{"a":2}')
    assert places(compare(before, proposed=after)) == [("/arguments/a", "1", "2")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([("a", "1")], [("a", "2")], [("/headers/a/0", '"1"', '"2"')]),
        # Values are not touched: neither case nor inner space.
        ([("a", "x y")], [("a", "x  Y")], [("/headers/a/0", '"x y"', '"x  Y"')]),
        ([("A", "1")], [("b", "1")], [("/headers/a/0", '"1"', ABSENT), ("/headers/b/0", ABSENT, '"1"')]),
        # A repeated line is one line more, not the same line.
        ([("a", "1")], [("a", "1"), ("a", "1")], [("/headers/a/1", ABSENT, '"1"')]),
        ([("a", "1"), ("a", "2")], [("a", "2")], [("/headers/a/0", '"1"', ABSENT)]),
        # Two lines are not one with a comma.
        (
            [("a", "1"), ("a", "2")],
            [("a", "1, 2")],
            [("/headers/a/0", '"1"', '"1, 2"'), ("/headers/a/1", '"2"', ABSENT)],
        ),
        # The order of lines of one name, and of different names.
        (
            [("a", "1"), ("a", "2")],
            [("a", "2"), ("a", "1")],
            [("/headers/a/0", '"1"', '"2"'), ("/headers/a/1", '"2"', '"1"')],
        ),
        ([("a", "1"), ("b", "1")], [("b", "1"), ("a", "1")], [("/headers", '["a", "b"]', '["b", "a"]')]),
        (
            [("a", "1"), ("c", "1"), ("b", "1")],
            [("b", "1"), ("a", "1")],
            [("/headers/c/0", '"1"', ABSENT), ("/headers", '["a", "b"]', '["b", "a"]')],
        ),
        # A tilde is a letter of header names.
        ([("a~b", "1")], [], [("/headers/a~0b/0", '"1"', ABSENT)]),
    ],
)
def test_header_lines_differ_by_name_and_place_among_that_name(before, after, expected):
    assert places(compare(with_headers(*before), proposed=with_headers(*after))) == expected


def test_the_order_of_header_lines_says_why():
    found = compare(with_headers(("a", "1"), ("b", "1")), proposed=with_headers(("b", "1"), ("a", "1")))
    assert found.differences[0].why == "the lines stand in another order"


def test_header_names_are_one_in_upper_and_lower_case():
    assert compare(with_headers(("Idem-Key", "1")), proposed=with_headers(("IDEM-KEY", "1"))).identical


def test_only_the_headers_that_a_contract_binds_are_compared():
    rules = Normalisation(binding_headers=frozenset({"version"}))
    before, after = with_headers(("Version", "1"), ("Trace", "1")), with_headers(("Trace", "2"), ("Version", "2"))
    assert places(compare(before, proposed=after, rules=rules)) == [("/headers/version/0", '"1"', '"2"')]


def test_a_free_order_of_header_lines_leaves_the_order_within_a_name():
    rules = Normalisation(header_order_free=True)
    before = with_headers(("a", "1"), ("a", "2"), ("b", "1"))
    assert compare(before, proposed=with_headers(("b", "1"), ("a", "1"), ("a", "2")), rules=rules).identical
    assert not compare(before, proposed=with_headers(("b", "1"), ("a", "2"), ("a", "1")), rules=rules).identical


@pytest.mark.parametrize(
    ("before", "after", "rules", "left"),
    [
        # What stands at an unbound pointer, and below it, doesn't matter; what stands beside it does.
        ('{"id": 1, "p": 1}', '{"id": [2], "p": 2}', by_value(unbound=["/body/id"]), [("/body/p", "1", "2")]),
        ('{"m": {"t": 1, "u": 1}}', '{"m": {"t": 2, "u": 1}}', by_value(unbound=["/body/m/t"]), []),
        ("{}", '{"id": 2}', by_value(unbound=["/body/id"]), []),
        # The object that holds it is bound.
        ("{}", '{"m": {"t": 2}}', by_value(unbound=["/body/m/t"]), [("/body/m", ABSENT, '{"t": 2}')]),
        ('{"n": 1, "m": 1}', '{"n": 1.0, "m": 1.0}', by_value(numbers_by_value=["/body/n"]), [("/body/m", "1", "1.0")]),
        ('{"c": "eur"}', '{"c": "EUR"}', by_value(letter_case_free=["/body/c"]), []),
        ('{"a": null}', "{}", by_value(null_is_absent=["/body/a"]), []),
        ("{}", '{"a": null, "b": null}', by_value(null_is_absent=["/body/a"]), [("/body/b", ABSENT, "null")]),
        ("[1, 1, 2]", "[2, 1, 1]", by_value(any_order=["/body"]), []),
        ("[1, 1, 2]", "[1, 2, 2]", by_value(any_order=["/body"]), [("/body/1", "1", "2")]),
        ("[1, 2, 3, 4]", "[4, 3, 2, 9]", by_value(any_order=["/body"]), [("/body/0", "1", "9")]),
        ("[9, 1]", "[1, 2, 3]", by_value(any_order=["/body"]), [("/body/0", "9", "2"), ("/body/2", ABSENT, "3")]),
        ("[1, 2, 3]", "[3]", by_value(any_order=["/body"]), [("/body/0", "1", ABSENT), ("/body/1", "2", ABSENT)]),
        # Elements are compared with all that is in them, members in any order.
        ('[[1], {"a": 1, "b": []}, {}]', '[{}, {"b": [], "a": 1}, [1]]', by_value(any_order=["/body"]), []),
        (
            "[[], null, false]",
            "[{}, null, 0]",
            by_value(any_order=["/body"]),
            [("/body/0", "[]", "{}"), ("/body/2", "false", "0")],
        ),
        (
            '[{"a": 1}, {"a": 2}]',
            '[{"a": 2}, {"a": 3}]',
            by_value(any_order=["/body"]),
            [("/body/0", '{"a": 1}', '{"a": 3}')],
        ),
        ("[[1, 2]]", "[[2, 1]]", by_value(any_order=["/body"]), [("/body/0", "[1, 2]", "[2, 1]")]),
        # Something else than an array stands there.
        ("[1]", "{}", by_value(any_order=["/body"]), [("/body", "[1]", "{}")]),
    ],
)
def test_a_rule_excuses_what_it_says_and_no_more(before, after, rules, left):
    assert bodies(before, after, rules) == left
    assert bodies(before, after) != []


@pytest.mark.parametrize(("part", "other"), [("body", "arguments"), ("arguments", "body")])
@pytest.mark.parametrize("after", [b"2", b"[]", None])
def test_a_whole_part_may_be_unbound_while_the_other_part_binds(part, other, after):
    rules = Normalisation(unbound=frozenset({f"/{part}"}))
    sent: dict[str, Any] = {part: b"1", other: b"3"}
    again: dict[str, Any] = {part: after, other: b"3"}
    assert compare(replace(ORIGINAL, **sent), proposed=replace(ORIGINAL, **again), rules=rules).identical


@pytest.mark.parametrize(("part", "other"), [("body", "arguments"), ("arguments", "body")])
@pytest.mark.parametrize(("before_other", "after_other"), [(None, None), (None, b"3"), (b"3", None)])
def test_the_only_part_there_is_binds_whatever_the_rules(part, other, before_other, after_other):
    rules = Normalisation(json_by_value=frozenset({f"/{part}"}), unbound=frozenset({f"/{part}"}))
    sent: dict[str, Any] = {part: b"1", other: before_other}
    again: dict[str, Any] = {part: b"2", other: after_other}
    found = compare(replace(ORIGINAL, **sent), proposed=replace(ORIGINAL, **again), rules=rules)
    assert (f"/{part}", "1", "2") in places(found)


def test_elements_without_a_fixed_place_say_where_they_stood():
    found = compare(with_body("[1, 2, 3]"), proposed=with_body("[3, 2, 9]"), rules=by_value(any_order=["/body"]))
    assert found.differences[0].why == "in any order, element 0 of the original and 2 of the proposal have no equal"


def test_differences_come_with_identity_and_scope_first():
    proposed = Representation(
        method="PUT", target="/t", headers=(("a", "b"),), body=b"1", arguments=b"2", scope="s", identity="i"
    )
    found = compare(ORIGINAL, proposed=proposed)
    expected = ["/identity", "/scope", "/method", "/target", "/headers/a/0", "/arguments", "/body"]
    assert [one.pointer for one in found.differences] == expected
    assert found.total == 7


def test_of_each_part_so_many_are_listed_and_all_are_counted():
    many = written([NumberText("1")] * (MOST_LISTED + 50)).encode()
    other = written([NumberText("2")] * (MOST_LISTED + 50)).encode()
    lines = tuple((f"h{index}", "x") for index in range(MOST_LISTED + 1))
    before = replace(ORIGINAL, body=many, arguments=many)
    found = compare(before, proposed=replace(before, body=other, arguments=other, headers=lines, identity="i"))
    assert found.total == 1 + MOST_LISTED + 1 + 2 * (MOST_LISTED + 50)
    parts = [one.pointer.split("/")[1] for one in found.differences]
    assert parts == ["identity", *["headers"] * MOST_LISTED, *["arguments"] * MOST_LISTED, *["body"] * MOST_LISTED]


def test_a_proposal_with_the_same_bytes_is_the_operation_itself():
    found = compare(ORIGINAL, proposed=replace(ORIGINAL))
    assert found == Comparison(differences=(), total=0)
    assert found.identical


# Laws.

NAMES = st.sampled_from(["a", "b", "~", "/", "0", ""])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, "a", "A", "", NumberText("1"), NumberText("1.0"), NumberText("2")]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
BYTES = (
    st.none() | JSON.map(lambda value: written(value).encode()) | st.sampled_from([b"", b"a=1", b"[1,2]", b"[1, 2]"])
)
HEADERS = st.lists(st.tuples(st.sampled_from(["a", "A", "b"]), st.sampled_from(["1", "2"])), max_size=3)
REPRESENTATIONS = st.builds(
    Representation,
    method=st.sampled_from(["GET", "POST"]),
    target=st.just("/t"),
    headers=HEADERS.map(tuple),
    body=BYTES,
    arguments=st.none() | st.sampled_from([b"{}", b"{ }"]),
    scope=st.sampled_from(["", "east"]),
    identity=st.sampled_from(["one", "two"]),
)
PLACES = st.sampled_from(["/body", "/body/a", "/body/b", "/body/0", "/body/1", "/body/a/0", "/body/a/a", "/body/~0"])
SETS = st.frozensets(PLACES, max_size=3)


@st.composite
def normalisations(draw):
    any_order = draw(SETS)
    above = tuple(f"{place}/" for place in any_order)
    usable = SETS.map(lambda chosen: frozenset(place for place in chosen if not place.startswith(above or ("#",))))
    outermost = frozenset(place for place in any_order if not place.startswith(above or ("#",)))
    return Normalisation(
        binding_headers=draw(st.none() | st.frozensets(st.sampled_from(["a", "b"]))),
        header_order_free=draw(st.booleans()),
        json_by_value=frozenset({"/body"}),
        any_order=outermost,
        unbound=draw(usable),
        numbers_by_value=draw(usable),
        letter_case_free=draw(usable),
        null_is_absent=draw(usable) - {"/body"},
    )


@given(REPRESENTATIONS, normalisations())
def test_everything_is_identical_to_itself(one, rules):
    assert compare(one, proposed=one).identical
    assert compare(one, proposed=one, rules=rules).identical


@given(REPRESENTATIONS, REPRESENTATIONS)
def test_identical_means_equal_digests(one, other):
    assert compare(one, proposed=other).identical == (one.digest == other.digest)


@given(REPRESENTATIONS, REPRESENTATIONS, st.just(EXACT) | normalisations())
def test_the_other_way_round_before_and_after_are_swapped(one, other, rules):
    there, back = compare(one, proposed=other, rules=rules), compare(other, proposed=one, rules=rules)
    assert there.total == back.total
    assert set(places(there)) == {(place, after, before) for place, before, after in places(back)}


@given(REPRESENTATIONS, REPRESENTATIONS, normalisations())
def test_rules_only_shorten_the_list_and_leave_scope_identity_and_method(one, other, rules):
    exact, excused = compare(one, proposed=other), compare(one, proposed=other, rules=rules)
    assert excused.total <= exact.total
    words = ("/identity", "/scope", "/method", "/target")
    assert [place for place in exact.differences if place.pointer in words] == [
        place for place in excused.differences if place.pointer in words
    ]


@given(REPRESENTATIONS, REPRESENTATIONS, st.just(EXACT) | normalisations())
def test_no_difference_stands_twice_or_shows_the_same_on_both_sides(one, other, rules):
    found = compare(one, proposed=other, rules=rules)
    assert len({place.pointer for place in found.differences}) == len(found.differences) == found.total
    assert all(place.before != place.after for place in found.differences)


def patched(body: Json, differences: tuple[Difference, ...]) -> Json:
    """Change the body at each difference, as a reader of the report would: removals from the end, then insertions."""
    holder: dict[str, Json] = {"body": body}
    removals = [one for one in reversed(differences) if one.after is ABSENT]
    for one in [*removals, *[one for one in differences if one.after is not ABSENT]]:
        *way, last = pointer_parts(one.pointer)
        node: Any = holder
        for part in way:
            node = node[int(part)] if isinstance(node, list) else node[part]
        put(node, int(last) if isinstance(node, list) else last, one)
    return holder["body"]


def put(node: Any, key: Any, one: Difference) -> None:
    if isinstance(one.after, Absent):
        del node[key]
    elif isinstance(node, list) and one.before is ABSENT:
        node.insert(key, parse(one.after))
    else:
        node[key] = parse(one.after)


@given(JSON, JSON)
def test_the_original_changed_at_each_difference_is_the_proposal(before, after):
    found = compare(with_body(written(before)), proposed=with_body(written(after)))
    if any("first difference is at byte" in one.why for one in found.differences):
        assert before == after
    else:
        assert patched(parse(written(before)), found.differences) == after


@given(JSON, st.lists(st.sampled_from(["a", "0", "~"]), max_size=2))
def test_a_difference_stands_where_its_pointer_says(value, way):
    inner: Any = value
    for name in reversed(way):
        inner = {name: inner}
    outer: Any = NumberText("3")
    for name in reversed(way):
        outer = {name: outer}
    found = compare(with_body(written(inner)), proposed=with_body(written(outer)))
    assert places(found) == [(pointer(["body", *way]), written(value), "3")]
