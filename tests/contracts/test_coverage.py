"""What rules leave open or say in vain is found before anything is read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.contracts.bound import Bound
from operations.contracts.coverage import EXPECTED, overlaps, silent, unhandled, unreachable
from operations.contracts.document import Document
from operations.contracts.forms import read_plain
from operations.contracts.matching import unmet
from operations.contracts.places import Papers
from tests.contracts.documents import rule, unchecked

ANY = {"at": "/status", "at_least": 100}


def status(*statuses: int) -> dict[str, Any]:
    return {"at": "/status", "in": list(statuses)}


def rules(*whens: Any, says: str = "indeterminate") -> Document:
    """Return a contract with a rule for each `when`."""
    return unchecked({"/readings": [rule(f"r{place}", when=when, says=says) for place, when in enumerate(whens)]})


def in_vain(*whens: Any) -> list[int]:
    return [index for index, _ in unreachable(rules(*whens))]


@pytest.mark.parametrize(
    "whens",
    [
        [status(200), status(200)],
        [status(200, 201), status(201)],
        [status(200), status(201), status(200, 201)],  # covered status by status
        [{"at": "/status", "at_most": 299}, {"at": "/status", "at_most": 204}],
        [{"at": "/body/a", "exists": True}, {"all": [status(200), {"at": "/body/a", "equals": "x"}]}],
        [{"at": "/body/a", "prefix": "x"}, {"at": "/body/a", "prefix": "xy"}],
        [{"at": "/body/a", "exists": True}, {"at": "/body/a", "equals_identity": True}],
        [{"any": [status(200), status(404)]}, {"all": [status(404), {"at": "/body/a", "absent": True}]}],
        [{"at": "/body/a", "in": ["x", "y"]}, {"at": "/body/a", "equals": "y"}],
        [{"at": "/body/n", "at_least": 3}, {"at": "/body/n", "at_least": 3.5}],
    ],
)
def test_a_rule_behind_one_that_holds_whenever_it_does_is_in_vain(whens):
    assert in_vain(*whens) == [len(whens) - 1]


@pytest.mark.parametrize(
    "when",
    [
        {"all": [status(200), status(404)]},
        {"all": [{"at": "/body/a", "absent": True}, {"at": "/body/a", "equals": "x"}]},
        {"all": [{"at": "/body/a", "equals": "x"}, {"at": "/body/a", "prefix": "y"}]},
        {"all": [{"at": "/status", "at_least": 600}]},
    ],
)
def test_a_rule_that_contradicts_itself_is_in_vain(when):
    assert in_vain(when) == [0]


@pytest.mark.parametrize(
    "whens",
    [
        [status(200), status(200, 201)],
        [{"all": [status(200), {"at": "/body/a", "exists": True}]}, status(200)],
        [{"at": "/body/a", "equals": "x"}, {"at": "/body/a", "exists": True}],
        [{"at": "/body/a", "equals": "order-1"}, {"at": "/body/a", "equals_identity": True}],
        [{"at": "/body/a", "equals_identity": True}, {"at": "/body/a", "equals": "order-1"}],
        [{"at": "/body/a", "exists": True}, {"at": "/body/b", "exists": True}],
        [{"at": "/body/a", "absent": True}, {"at": "/body/a", "exists": True}],
    ],
)
def test_a_rule_that_can_be_reached_is_never_reported(whens):
    assert in_vain(*whens) == []


PLACES = st.sampled_from(["/body/a", "/body/b"])
VALUES = st.sampled_from(["x", "xy", "order-1", 1, 2, True])
LEAVES = st.one_of(
    st.builds(lambda at, value: {"at": at, "equals": value}, PLACES, VALUES),
    st.builds(lambda at, values: {"at": at, "in": values}, PLACES, st.lists(VALUES, min_size=1, max_size=2)),
    st.builds(
        lambda at, word: {"at": at, word: True}, PLACES, st.sampled_from(["exists", "absent", "equals_identity"])
    ),
    st.builds(
        lambda at, word, value: {"at": at, word: value},
        PLACES,
        st.sampled_from(["at_least", "at_most"]),
        st.integers(0, 3),
    ),
    st.builds(lambda at, value: {"at": at, "prefix": value}, PLACES, st.sampled_from(["x", "xy", "o"])),
    st.builds(lambda statuses: status(*statuses), st.lists(st.sampled_from([200, 404, 500]), min_size=1, max_size=2)),
)
WHENS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda word, told: {word: told}, st.sampled_from(["all", "any"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=4,
)
ANSWERS = st.fixed_dictionaries(
    {"status": st.sampled_from([200, 404, 500])},
    optional={"a": st.one_of(VALUES, st.none()), "b": st.one_of(VALUES, st.none())},
)


@given(st.lists(WHENS, min_size=1, max_size=4), st.lists(ANSWERS, min_size=1, max_size=20))
def test_no_answer_is_ever_read_by_a_rule_that_is_reported_in_vain(whens, answers):
    document = rules(*whens)
    vain = {index for index, _ in unreachable(document)}
    for told in answers:
        papers: Papers = {
            "status": read_plain(told["status"]),
            "body": {name: read_plain(value) for name, value in told.items() if name != "status"},
        }
        reads = (index for index, one in document.rules_of("record") if not unmet(one.when, papers, bound=BOUND))
        assert next(reads, None) not in vain


BOUND = Bound(identity="order-1")


def test_a_status_that_no_rule_can_hold_on_is_unhandled():
    assert unhandled(rules(status(200)))["record"] == tuple(sorted(EXPECTED - {200}))
    assert unhandled(rules({"all": [ANY, {"at": "/body/a", "exists": True}]}))["reply"] == tuple(sorted(EXPECTED))
    assert "record" not in unhandled(rules(ANY))
    assert "wire" not in unhandled(rules(ANY))  # what has no status


def test_a_channel_that_no_rule_reads_is_silent():
    assert silent(rules(ANY)) == ("reply", "wire")


def test_rules_whose_order_decides_are_told_and_an_exception_before_the_general_rule_is_not():
    general = rule("general", when=ANY, says="indeterminate")
    mine = rule("mine", when={"all": [status(200, 404), {"at": "/body/a", "exists": True}]})
    other = rule("other", when={"all": [status(404), {"at": "/body/b", "exists": True}]}, says="pending")
    found = list(overlaps(unchecked({"/readings": [mine, other, general]})))
    assert [(one.first, one.second, one.statuses) for one in found] == [("mine", "other", (404,))]
    assert str(found[0]) == "mine comes before other at 404"


class TestStatusesOfWhichHttpLetsNothingBeClaimed:
    """Redirections, 429 and 503 are read by rules that claim nothing, and by no others."""

    CLAIMING = rule("claiming", when=ANY)
    CATCHING = rule("catching", when=ANY, says="indeterminate")

    def test_a_rule_that_claims_something_does_not_answer_for_them(self):
        left = unhandled(unchecked({"/readings": [self.CLAIMING]}))["record"]
        assert left == (301, 302, 303, 307, 308, 429, 503)

    def test_one_that_takes_an_attempt_out_answers_for_pacing(self):
        refusing = rule("refusing", when=ANY, says="attempt_refused", covers_copies=False)
        assert unhandled(unchecked({"/readings": [refusing]}))["record"] == (301, 302, 303, 307, 308)

    def test_a_rule_for_the_rest_can_be_reached_behind_one_that_claims_something(self):
        assert list(unreachable(unchecked({"/readings": [self.CLAIMING, self.CATCHING]}))) == []
        assert [index for index, _ in unreachable(unchecked({"/readings": [self.CATCHING, self.CLAIMING]}))] == [1]

    def test_two_that_differ_overlap_only_where_both_read(self):
        found = list(overlaps(unchecked({"/readings": [self.CLAIMING, {**self.CATCHING, "when": status(200, 302)}]})))
        assert [one.statuses for one in found] == [(200,)]
