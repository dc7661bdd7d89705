"""The standing of a first attempt, worked out once a contract, is the one that the core infers each time."""

from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from operations import models, reading
from operations.contracts.loading import library, library_text
from operations.core.facts import Attempt, Facts, Operation, Sends
from operations.core.standing import infer
from operations.recording.first_standing import first_standing

NOW = 1_800_000_000.0
WINDOWS = (0.0, 1.0, 3_600.0, 86_400.0, 86_340.0, 86_340.0000001, 30 * 86_400.0, 400 * 86_400.0)


@cache
def contract(name: str) -> models.Contract:
    return models.Contract(document=library_text(name))


def facts(terms: Any, at: float, sends: Sends, *, identity_known: bool) -> Facts:
    events = (Attempt(at=at, id="order-1", sends=sends, scope="desk/main"),)
    return Facts(contract=terms, operation=Operation(identity_known=identity_known), events=events)


@given(
    name=st.sampled_from(sorted(library())),
    ago=st.sampled_from(WINDOWS) | st.floats(-10, 500 * 86_400, allow_nan=False),
    sends=st.sampled_from(Sends),
    identity_known=st.booleans(),
)
def test_it_is_what_the_core_infers(name, ago, sends, identity_known):
    told = contract(name)
    at = NOW - ago
    expected = infer(facts(reading.terms(told), at, sends, identity_known=identity_known), now=NOW)
    found, gaps = first_standing(told, identity_known=identity_known, sends=sends)
    assert found == expected
    assert gaps == reading.gaps(expected)
