"""What we say these recipients do is a contract like any other: it loads, may be selected, and its examples read as they say."""

import pytest

from operations.contracts.checking import check
from operations.contracts.loading import draft_reasons, load
from operations.core.facts import Mechanism
from tests.third_party.desk import CONTRACTS, own_contract

NAMES = sorted(path.stem for path in CONTRACTS.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_it_loads_and_may_be_selected(name):
    assert draft_reasons(load(own_contract(name))) == ()


@pytest.mark.parametrize("name", NAMES)
def test_no_status_is_left_without_a_rule(name):
    assert check(own_contract(name)).findings == ()


@pytest.mark.parametrize("name", ["localstripe-refunds", "moto-ec2"])
def test_where_the_key_is_ignored_it_promises_nothing(name):
    assert load(own_contract(name)).protection.mechanism.value is Mechanism.NONE
