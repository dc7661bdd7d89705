"""What is missing is said with the channels that could supply it, and nothing is missing where all is settled."""

from typing import Any

import pytest

from operations.core.facts import (
    Authority,
    Channel,
    ClosureCovers,
    ConcurrentUse,
    Covers,
    Event,
    Guarantee,
    Mechanism,
    Reads,
    Sends,
)
from operations.core.missing import Fact, missing
from tests.core.building import (
    absent,
    accepted,
    applied,
    attempt,
    closed,
    lost,
    not_sent,
    pending,
    refused,
    standing,
)

A1, A2 = attempt(10), attempt(20, "a2")
OPEN = [Fact.WHETHER_IT_HAPPENED, Fact.WHETHER_IT_CAN_STILL_ACT]
UNSEALED = {"sealed": False}


def facts_missing(*events: Event, **more: Any) -> list[Fact]:
    return [gap.fact for gap in missing(standing(*events, **more))]


@pytest.mark.parametrize(
    ("events", "terms"),
    [
        ([], {}),
        ([A1, applied(50)], {}),
        ([A1, closed(50)], {}),
        ([A1, closed(5)], {"closure": ClosureCovers.IDENTITY, "sealed": False, "mechanism": Mechanism.NONE}),
        ([A1, not_sent(15)], {}),
        ([A1, refused(15)], {"known": False}),
        # two effects are established: no further answer is needed to know that it acted again
        ([A1, applied(50, effect_ref="T-1"), applied(60, effect_ref="T-2")], UNSEALED),
    ],
)
def test_nothing_is_missing_where_the_outcome_is_settled(events, terms):
    assert facts_missing(*events, **terms) == []


WOULD_MOVE: list[tuple[list[Event], dict[str, Any], list[Fact]]] = [
    # a contradiction: which statement holds, and nothing before that
    ([A1, applied(50), closed(60)], UNSEALED, [Fact.WHICH_STATEMENT_HOLDS]),
    # an open outcome under protection
    ([A1], {}, OPEN),
    ([A1, pending(50)], {}, OPEN),
    ([A1, absent(50)], {}, OPEN),
    # the report is stale; an accepted is no report that could be
    ([A1, pending(50)], {"pending_fresh_for": 5}, [*OPEN, Fact.WHETHER_STILL_UNDER_WAY]),
    ([A1, accepted(50)], {"pending_fresh_for": 5}, OPEN),
    # the read is older than what it would have to show
    ([A1, absent(15), A2], {}, [*OPEN, Fact.A_READ_AFTER_THE_LAST_ATTEMPT]),
    (
        [A1, absent(15), A2, pending(50)],
        {"pending_fresh_for": 5},
        [*OPEN, Fact.A_READ_AFTER_THE_LAST_ATTEMPT],
    ),
    # what else was sent, and not a word of protection before that
    ([A1], UNSEALED, [*OPEN, Fact.WHAT_ELSE_WAS_SENT]),
    ([A1, applied(50)], UNSEALED, [Fact.WHETHER_IT_ACTED_AGAIN, Fact.WHAT_ELSE_WAS_SENT]),
    (
        [attempt(10, sends=Sends.MANY), applied(50)],
        {"mechanism": Mechanism.NONE},
        [Fact.WHETHER_IT_ACTED_AGAIN],
    ),
    # what would protect a repeat, by the reason why nothing does
    ([A1], {"known": False}, [*OPEN, Fact.THE_IDENTITY_SENT]),
    ([A1], {"scope": "test"}, [*OPEN, Fact.THE_SAME_SCOPE]),
    ([A1], {"covers": Covers.SUCCESS_ONLY}, [*OPEN, Fact.WHICH_OUTCOMES_ARE_KEPT]),
    ([A1], {"concurrent_use": ConcurrentUse.UNDOCUMENTED}, [*OPEN, Fact.WHAT_CONCURRENT_USE_DOES]),
    ([A1], {"mechanism": Mechanism.UNDOCUMENTED}, [*OPEN, Fact.WHETHER_REPEATS_ARE_RECOGNISED]),
    ([A1], {"guaranteed_for": Guarantee.UNDOCUMENTED}, [*OPEN, Fact.WHETHER_REPEATS_ARE_RECOGNISED]),
    ([A1], {"guaranteed_for": 20}, [*OPEN, Fact.WHETHER_THE_NUMBER_IS_KEPT]),
    ([A1], {"guaranteed_for": Guarantee.WHILE_EXISTS}, [*OPEN, Fact.WHETHER_THE_NUMBER_IS_KEPT]),
    # without a margin no stated end could be used
    ([A1], {"guaranteed_for": Guarantee.WHILE_EXISTS, "margin": None}, OPEN),
    (
        [A1],
        {"guaranteed_for": Guarantee.UNDOCUMENTED, "margin": None},
        [*OPEN, Fact.WHETHER_REPEATS_ARE_RECOGNISED],
    ),
    # nothing to find out: there is none, or it was withdrawn
    ([A1], {"mechanism": Mechanism.NONE}, OPEN),
    ([A1, lost(50)], {}, OPEN),
    # all of it at once, the most telling first
    (
        [A1, pending(50)],
        {"pending_fresh_for": 5, "known": False, "sealed": False},
        [*OPEN, Fact.WHETHER_STILL_UNDER_WAY, Fact.WHAT_ELSE_WAS_SENT, Fact.THE_IDENTITY_SENT],
    ),
]


@pytest.mark.parametrize(("events", "terms", "expected"), WOULD_MOVE)
def test_what_would_move_the_standing_is_missing(events, terms, expected):
    assert facts_missing(*events, **terms) == expected


CHANNELS = {
    "ledger": Channel(authority=Authority.HISTORY, reads=Reads.STRONG),
    "events": Channel(authority=Authority.HISTORY, reads=Reads.EVENTUAL),
    "list": Channel(authority=Authority.CURRENT, reads=Reads.STRONG),
    "search": Channel(authority=Authority.DERIVED, positive_is_conclusive=True),
    "hints": Channel(authority=Authority.DERIVED),
    # whoever can't be asked may still answer
    "webhook": Channel(authority=Authority.HISTORY, pollable=False),
    "gateway": Channel(authority=Authority.TRANSPORT),
    "client": Channel(authority=Authority.CLIENT),
    "note": Channel(authority=Authority.NONE),
}
STATES = ("ledger", "events", "list", "webhook")


@pytest.mark.parametrize(
    ("fact", "channels", "events", "terms"),
    [
        (Fact.WHICH_STATEMENT_HOLDS, STATES, [A1, applied(50), closed(60)], {}),
        (Fact.WHETHER_IT_HAPPENED, ("ledger", "events", "list", "search", "webhook"), [A1], {}),
        (Fact.WHETHER_IT_CAN_STILL_ACT, STATES, [A1], {}),
        (Fact.WHETHER_STILL_UNDER_WAY, STATES, [A1, pending(50)], {"pending_fresh_for": 5}),
        (Fact.A_READ_AFTER_THE_LAST_ATTEMPT, ("ledger",), [A1, absent(5)], {}),
        (
            Fact.WHETHER_IT_ACTED_AGAIN,
            ("ledger", "events", "list", "search", "webhook"),
            [A1, applied(50)],
            UNSEALED,
        ),
        (Fact.WHAT_ELSE_WAS_SENT, (), [A1], UNSEALED),
        (Fact.THE_IDENTITY_SENT, (), [A1], {"known": False}),
        (Fact.THE_SAME_SCOPE, (), [A1], {"scope": "test"}),
        (Fact.WHICH_OUTCOMES_ARE_KEPT, (), [A1], {"covers": Covers.SUCCESS_ONLY}),
        (Fact.WHAT_CONCURRENT_USE_DOES, (), [A1], {"concurrent_use": ConcurrentUse.UNDOCUMENTED}),
        (Fact.WHETHER_REPEATS_ARE_RECOGNISED, (), [A1], {"mechanism": Mechanism.UNDOCUMENTED}),
        (Fact.WHETHER_THE_NUMBER_IS_KEPT, STATES, [A1], {"guaranteed_for": 20}),
    ],
)
def test_a_missing_fact_names_the_channels_that_could_supply_it(fact, channels, events, terms):
    found = {gap.fact: gap.channels for gap in missing(standing(*events, channels=CHANNELS, **terms))}
    assert found[fact] == channels


def test_a_contract_without_channels_leaves_a_fact_missing_without_any():
    assert [gap.channels for gap in missing(standing(A1, channels={}))] == [(), ()]


def test_every_fact_can_be_missing():
    assert {fact for _, _, expected in WOULD_MOVE for fact in expected} == set(Fact)


@pytest.mark.parametrize("fact", Fact)
def test_every_fact_is_a_sentence_that_says_what_to_find_out(fact):
    assert fact.sentence[0].isupper()
    assert fact.sentence.endswith(".")
