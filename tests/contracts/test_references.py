"""A reference is known to be the operation's once an answer that counts has named it."""

import pytest

from operations.contracts.references import known_references
from operations.contracts.terms import terms
from operations.core.facts import Attempt, Correlation, Facts, Observation, Operation, Sends
from operations.core.standing import infer
from tests.contracts.documents import contract


def known(*seen: Observation) -> frozenset[str]:
    sent = Attempt(at=5, id="a-1", sends=Sends.ONE)
    told = Operation(attempts_complete=True, identity_known=True)
    return known_references(infer(Facts(contract=terms(contract()), operation=told, events=(sent, *seen)), now=100))


def said(says: str = "pending", **more) -> Observation:
    given = {"channel": "reply", "authentic": True, "correlation": Correlation.OPERATION, "effect_ref": "e-1", **more}
    return Observation(at=10, says=says, **given)


@pytest.mark.parametrize(
    "told",
    [
        {"authentic": False},
        {"channel": "rumour"},
        {"correlation": Correlation.ARGUMENTS},
        {"correlation": Correlation.WEAK},
        {"correlation": Correlation.MISMATCH},
        {"effect_ref": None},
    ],
)
def test_an_answer_that_does_not_count_makes_no_reference_known(told):
    assert known(said(**told)) == frozenset()


@pytest.mark.parametrize("says", ["pending", "accepted", "applied", "attempt_refused"])
def test_one_that_counts_does_whatever_it_says_of_the_effect(says):
    assert known(said(says), said(effect_ref="e-2")) == {"e-1", "e-2"}
