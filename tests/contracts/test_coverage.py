"""What rules leave open or say in vain is found before anything is read."""

from typing import Any

import pytest

from operations.contracts.coverage import EXPECTED, overlaps, silent, unhandled, unreachable
from operations.contracts.document import Document
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
