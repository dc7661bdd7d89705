"""What `when` holds of, and how it says why it doesn't."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from operations.contracts.bound import Alike, Argument, Bound
from operations.contracts.matching import AnyWhen, When, depth, unmet
from operations.contracts.places import MISSING, UNREADABLE, Papers
from operations.core.strict_json import NumberText as N

READ = TypeAdapter(When)
BOUND = Bound(identity="order-1", arguments={"to": Argument(value="anna"), "sum": Argument(value=N("10.0"))})
PAPERS: Papers = {
    "status": N("200"),
    "headers": {"etag": '"a"'},
    "body": {"key": "order-1", "to": "anna", "sum": N("10.0"), "n": N("7"), "none": None, "yes": True, "l": ["x", "y"]},
    "fact": MISSING,
}


def when(told: Any) -> AnyWhen:
    found: AnyWhen = READ.validate_json(json.dumps(told))
    return found


def one(at: str, **condition: Any) -> AnyWhen:
    return when({"at": at, **condition})


@pytest.mark.parametrize(
    "told",
    [
        {"at": "/status"},
        {"at": "/status", "equals": 200, "exists": True},
        {"at": "/status", "equals": None},
        {"at": "/status", "exists": False},
        {"at": "/status", "in": []},
        {"at": "/status", "prefix": ""},
        {"at": "/status", "at_least": "200"},
        {"at": "/status", "matches": "2.."},
        {"at": "status", "equals": 200},
        {"at": "", "exists": True},
        {"at": "/request", "exists": True},
        {"at": "/headers/ETag", "exists": True},
        {"at": "/headers", "exists": True},
        {"at": "/body/~2", "exists": True},
        {"all": []},
        {"any": [], "all": []},
        {"all": [{"at": "/status", "equals": 200}], "at": "/status"},
        "status == 200",
        [],
    ],
)
def test_what_is_not_one_condition_at_one_place_is_refused(told):
    with pytest.raises(ValidationError):
        when(told)


@pytest.mark.parametrize(
    "condition",
    [
        one("/status", equals=201),
        one("/status", equals="200"),  # a number is no text
        one("/body/yes", equals=1),  # true is no number
        one("/body/n", equals=True),
        one("/body/none", exists=True),  # null is as good as nothing
        one("/body/missing", exists=True),
        one("/body/key", absent=True),
        one("/body/n", at_least=8),
        one("/body/n", at_most=6),
        one("/body/key", at_least=0),  # text has no size
        one("/body/n", prefix="7"),
        one("/body/key", prefix="rder"),
        one("/body/to", equals_argument="sum"),
        one("/body/to", equals_argument="nobody"),
        one("/body/to", equals_identity=True),
        one("/body/l/2", exists=True),
        one("/body/l/01", exists=True),  # no leading zeros in an index
        one("/body/key/deeper", exists=True),
    ],
)
def test_a_condition_that_does_not_hold_says_what_was_found(condition):
    failed = unmet(condition, PAPERS, bound=BOUND)
    assert [failure.at for failure in failed] == [condition.at]
    assert " is " in str(failed[0])
    assert ", wanted " in str(failed[0])


@pytest.mark.parametrize(
    "condition",
    [
        one("/status", equals=200),
        one("/body/n", equals=7.0),  # numbers by value
        one("/body/sum", equals=10),
        one("/body/yes", equals=True),
        one("/status", **{"in": [201, 200]}),
        one("/body/key", exists=True),
        one("/body/none", absent=True),
        one("/body/missing", absent=True),
        one("/body/n", at_least=7),
        one("/body/n", at_most=7.0),
        one("/body/key", prefix="order-"),
        one("/body/to", equals_argument="to"),
        one("/body/sum", equals_argument="sum"),
        one("/body/key", equals_identity=True),
        one("/body/l/1", equals="y"),
        one("/headers/etag", exists=True),
    ],
)
def test_a_condition_holds_of_what_stands_there(condition):
    assert unmet(condition, PAPERS, bound=BOUND) == ()


@pytest.mark.parametrize("condition", [{"absent": True}, {"exists": True}, {"equals": "x"}, {"equals_identity": True}])
def test_nothing_holds_in_a_part_that_could_not_be_read(condition):
    failed = unmet(one("/body/error", **condition), {"body": UNREADABLE}, bound=BOUND)
    assert failed[0].found == "a part that can't be read"


def test_a_huge_exponent_is_compared_without_being_written_out():
    papers: Papers = {"body": {"n": N("1e999999999999")}}
    assert unmet(one("/body/n", at_least=1), papers, bound=BOUND) == ()
    assert unmet(one("/body/n", equals=1), papers, bound=BOUND)


def test_an_argument_is_compared_in_the_way_its_contract_says():
    bound = Bound(identity="i", arguments={"sum": Argument(value="1000", how=Alike.SPELLING)})
    same: Papers = {"body": {"sum": N("1000")}}
    other: Papers = {"body": {"sum": N("1000.0")}}
    assert unmet(one("/body/sum", equals_argument="sum"), same, bound=bound) == ()
    assert unmet(one("/body/sum", equals_argument="sum"), other, bound=bound)


def test_all_names_the_first_that_fails_and_any_all_that_it_offers():
    wrong, other, right = ({"at": "/status", "equals": status} for status in (1, 2, 200))
    assert [one.wanted for one in unmet(when({"all": [right, wrong, other]}), PAPERS, bound=BOUND)] == ["1"]
    assert [one.wanted for one in unmet(when({"any": [wrong, other]}), PAPERS, bound=BOUND)] == ["1", "2"]
    assert unmet(when({"any": [wrong, {"all": [right, right]}]}), PAPERS, bound=BOUND) == ()


def test_depth_counts_the_conditions_too():
    assert depth(when({"all": [{"any": [{"at": "/status", "equals": 200}]}]})) == 3


LEAVES = st.sampled_from([{"at": "/status", "equals": status} for status in (200, 500)])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda word, children: {word: children},
        st.sampled_from(["all", "any"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def by_hand(told: Any) -> bool:
    if "at" in told:
        return bool(told["equals"] == 200)
    return all(map(by_hand, told["all"])) if "all" in told else any(map(by_hand, told["any"]))


@given(TREES)
def test_all_and_any_mean_all_and_any(told):
    assert (not unmet(when(told), PAPERS, bound=BOUND)) is by_hand(told)
