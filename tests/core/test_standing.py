"""Standing is the first row that holds, and says for each value what it rests on."""

from dataclasses import replace
from typing import Any

import pytest

from operations.core.conflicts import ConflictKind
from operations.core.facts import Claim, ClosureCovers, ConcurrentUse, Event, Facts, Guarantee, Mechanism, Sends
from operations.core.protection import ProtectionReason
from operations.core.sifting import Dated, NotCounted, WhyNot
from operations.core.standing import (
    EVIDENCE,
    LAW,
    Evidence,
    Finality,
    FurtherEffect,
    Grounds,
    Situation,
    collapsed,
    infer,
)
from operations.core.weighed import Ground
from tests.core.building import (
    NOW,
    absent,
    accepted,
    applied,
    attempt,
    closed,
    facts,
    kept,
    not_sent,
    pending,
    refused,
    said,
    standing,
    weighed,
)

A1, A2 = attempt(10), attempt(20, "a2")
TWICE = attempt(10, sends=Sends.MANY)
IDENTITY = {"closure": ClosureCovers.IDENTITY}
UNSEALED = {"sealed": False}
APPLIED, NOT_APPLIED, PENDING, UNKNOWN = Evidence
SETTLED, EXCLUDED, POSSIBLE, UNESTABLISHED = Finality
CLOSURE, RECORD, FRESH = ("closure.covers",), ("operation.attempts_complete",), ("protection.pending_fresh_for",)
NOTHING = Ground()


# events, terms, evidence, what it rests on, finality, what that rests on (None: the same), situation
ROWS: list[tuple[list[Event], dict[str, Any], Evidence, Ground, Finality, Ground | None, Situation]] = [
    # conflict: nothing is established, not even what could be by itself
    ([A1, applied(50), closed(60)], {}, UNKNOWN, Ground((1, 2), CLOSURE), UNESTABLISHED, None, Situation.CONFLICT),
    (
        [A1, refused(15), pending(50)],
        {},
        UNKNOWN,
        Ground((2, 1), RECORD),
        UNESTABLISHED,
        None,
        Situation.CONFLICT,
    ),
    # an applied: on every one of them
    ([A1, applied(50)], {}, APPLIED, Ground((1,)), SETTLED, None, Situation.APPLIED),
    ([applied(50), A1, pending(60), applied(40)], {}, APPLIED, Ground((0, 3)), SETTLED, None, Situation.APPLIED),
    ([applied(50)], UNSEALED, APPLIED, Ground((0,)), SETTLED, None, Situation.APPLIED),
    # an unordered or older pending never regresses it, and an older absent contradicts nothing
    (
        [A1, applied(50), pending(90, channel="webhook"), absent(20)],
        {},
        APPLIED,
        Ground((1,)),
        SETTLED,
        None,
        Situation.APPLIED,
    ),
    # a closed excludes: the newest
    ([A1, closed(50), closed(40)], {}, NOT_APPLIED, Ground((1,), CLOSURE), EXCLUDED, None, Situation.CLOSED),
    ([A1, closed(5)], {**IDENTITY, **UNSEALED}, NOT_APPLIED, Ground((1,), CLOSURE), EXCLUDED, None, Situation.CLOSED),
    (
        [A1, closed(50), pending(90, channel="webhook")],
        IDENTITY,
        NOT_APPLIED,
        Ground((1,), CLOSURE),
        EXCLUDED,
        None,
        Situation.CLOSED,
    ),
    # nothing can act: on what took each attempt out
    ([], {}, NOT_APPLIED, Ground((), RECORD), EXCLUDED, None, Situation.NOTHING_CAN_ACT),
    (
        [not_sent(15), A1, A2, refused(30, "a2"), refused(25, "a2")],
        {},
        NOT_APPLIED,
        Ground((0, 4), RECORD),
        EXCLUDED,
        None,
        Situation.NOTHING_CAN_ACT,
    ),
    # the newest of the fresh pendings and the absents is a pending
    ([A1, pending(50), pending(60), pending(55)], {}, PENDING, Ground((2,), FRESH), POSSIBLE, None, Situation.OPEN),
    ([A1, absent(50), pending(50)], {}, PENDING, Ground((2,), FRESH), POSSIBLE, None, Situation.OPEN),
    ([A1, pending(50), absent(50), absent(40)], {}, PENDING, Ground((1,), FRESH), POSSIBLE, None, Situation.OPEN),
    (
        [A1, pending(80), absent(50), pending(60)],
        {"pending_fresh_for": 20},
        PENDING,
        Ground((1,), FRESH),
        POSSIBLE,
        None,
        Situation.OPEN,
    ),
    ([A1, pending(50, channel="webhook")], {}, PENDING, Ground((1,), FRESH), POSSIBLE, None, Situation.OPEN),
    ([pending(5)], UNSEALED, PENDING, Ground((0,), FRESH), POSSIBLE, None, Situation.OPEN),
    # a closed of earlier attempts does not exclude what was sent since
    ([A1, closed(15), A2, pending(50)], {}, PENDING, Ground((3,), FRESH), POSSIBLE, None, Situation.OPEN),
    # it is an absent, dated at or after every live attempt was sent
    ([A1, absent(10)], {}, NOT_APPLIED, Ground((1,)), UNESTABLISHED, NOTHING, Situation.OPEN),
    ([A1, A2, absent(20), absent(15)], {}, NOT_APPLIED, Ground((2,)), UNESTABLISHED, NOTHING, Situation.OPEN),
    ([A1, pending(40), absent(50)], {}, NOT_APPLIED, Ground((2,)), POSSIBLE, Ground((1,)), Situation.OPEN),
    ([A1, accepted(60), absent(50)], {}, NOT_APPLIED, Ground((2,)), POSSIBLE, Ground((1,)), Situation.OPEN),
    (
        [A1, pending(70), absent(60)],
        {"pending_fresh_for": 29},
        NOT_APPLIED,
        Ground((2,)),
        POSSIBLE,
        Ground((1,)),
        Situation.OPEN,
    ),
    ([A1, absent(15), A2, refused(30, "a2")], {}, NOT_APPLIED, Ground((1,)), UNESTABLISHED, NOTHING, Situation.OPEN),
    ([absent(50)], UNSEALED, NOT_APPLIED, Ground((0,)), UNESTABLISHED, NOTHING, Situation.OPEN),
    # otherwise: nothing was learnt, ...
    ([A1], {}, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
    ([], UNSEALED, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
    ([A1, closed(50)], UNSEALED, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
    ([A1, refused(50, covers_copies=False)], {}, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
    # ... it was only admitted, ...
    ([A1, accepted(50)], {}, UNKNOWN, NOTHING, POSSIBLE, Ground((1,)), Situation.OPEN),
    # ... the newest word of either kind is what makes it possible, ...
    ([A1, accepted(50), accepted(60), accepted(55)], {}, UNKNOWN, NOTHING, POSSIBLE, Ground((2,)), Situation.OPEN),
    (
        [A1, pending(50), accepted(60)],
        {"pending_fresh_for": 10},
        UNKNOWN,
        NOTHING,
        POSSIBLE,
        Ground((2,)),
        Situation.OPEN,
    ),
    # ... the report is stale, ...
    ([A1, pending(50)], {"pending_fresh_for": 49}, UNKNOWN, NOTHING, POSSIBLE, Ground((1,)), Situation.OPEN),
    # ... or the read was before an attempt that may act
    ([A1, absent(9)], {}, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
    ([A1, absent(15), A2], {}, UNKNOWN, NOTHING, UNESTABLISHED, NOTHING, Situation.OPEN),
]


@pytest.mark.parametrize(("events", "terms", "evidence", "rests", "finality", "final_rests", "situation"), ROWS)
def test_the_first_row_that_holds_is_what_is_known(events, terms, evidence, rests, finality, final_rests, situation):
    found = standing(*events, **terms)
    assert (found.evidence, found.finality, found.situation) == (evidence, finality, situation)
    assert found.grounds.evidence == rests
    assert found.grounds.finality == (rests if final_rests is None else final_rests)


@pytest.mark.parametrize(
    ("events", "row"),
    [
        ([A1, applied(50), closed(60)], "conflict"),
        ([A1, applied(50)], "an applied"),
        ([A1, closed(50)], "a closed excludes"),
        ([], "nothing can act"),
        ([A1, pending(50)], "the newest is a pending"),
        ([A1, absent(50)], "the newest is an absent"),
        ([A1], "otherwise"),
    ],
)
def test_a_standing_names_the_row_that_held(events, row):
    assert standing(*events).row == row


def test_the_rows_come_in_the_order_of_the_document():
    assert [row.name for row in EVIDENCE] == [
        "an applied",
        "a closed excludes",
        "nothing can act",
        "the newest is a pending",
        "the newest is an absent",
        "otherwise",
    ]


@pytest.mark.parametrize(("now", "evidence"), [(60, PENDING), (70, PENDING), (70.5, UNKNOWN), (900, UNKNOWN)])
def test_a_pending_is_fresh_until_it_is_older_than_the_contract_lets_it_be(now, evidence):
    assert standing(A1, pending(60), now=now, pending_fresh_for=10).evidence is evidence


def test_a_pending_stays_fresh_where_the_contract_gives_no_limit():
    assert standing(A1, pending(60), now=10**9).evidence is PENDING


def test_a_pending_that_goes_stale_leaves_the_older_read_as_the_newest():
    events = (A1, absent(50), pending(60))
    assert standing(*events, now=70, pending_fresh_for=10).evidence is PENDING
    assert standing(*events, now=71, pending_fresh_for=10).evidence is NOT_APPLIED


def test_a_pending_of_zero_seconds_is_fresh_at_its_own_date():
    assert standing(A1, pending(60), now=60, pending_fresh_for=0).evidence is PENDING
    assert standing(A1, pending(60), now=61, pending_fresh_for=0).evidence is UNKNOWN


POSSIBLY, NO_MORE = FurtherEffect.POSSIBLE, FurtherEffect.EXCLUDED


@pytest.mark.parametrize(
    ("events", "terms", "further", "rests"),
    [
        # what isn't on record may act
        ([A1, applied(50)], UNSEALED, POSSIBLY, RECORD),
        ([A1, applied(5)], {}, POSSIBLY, RECORD),
        # one live attempt that was sent once
        ([A1, applied(50)], {"mechanism": Mechanism.NONE}, NO_MORE, RECORD),
        ([A1, attempt(20, "a2"), refused(30, "a2"), applied(50)], {"mechanism": Mechanism.NONE}, NO_MORE, RECORD),
        ([A1, attempt(20, "a2"), not_sent(30, "a2"), applied(50)], {"mechanism": Mechanism.NONE}, NO_MORE, RECORD),
        # one that may have been sent twice, or two: only under protection, ...
        ([TWICE, applied(50)], {"mechanism": Mechanism.NONE}, POSSIBLY, ("protection",)),
        ([TWICE, applied(50)], {}, NO_MORE, (*RECORD, "protection")),
        ([A1, A2, applied(50)], {"mechanism": Mechanism.NONE}, POSSIBLY, ("protection",)),
        ([A1, A2, applied(50)], {}, NO_MORE, (*RECORD, "protection")),
        # ... the last of them too, counted from the first, ...
        ([A1, attempt(60, "a2"), applied(70)], {"guaranteed_for": 61}, NO_MORE, (*RECORD, "protection")),
        ([A1, attempt(60, "a2"), applied(70)], {"guaranteed_for": 60}, POSSIBLY, ("protection",)),
        ([attempt(60, "a2"), A1, applied(70)], {"guaranteed_for": 60}, POSSIBLY, ("protection",)),
        # ... however late it is now, ...
        ([A1, A2, applied(50)], {"guaranteed_for": 30}, NO_MORE, (*RECORD, "protection")),
        # ... by the contract's own terms, ...
        ([A1, A2, applied(50), kept(60, until=900)], {"guaranteed_for": 5}, POSSIBLY, ("protection",)),
        ([A1, A2, applied(50), said("protection_lost", 15)], {}, NO_MORE, (*RECORD, "protection")),
        ([A1, A2, applied(50)], {"known": False}, POSSIBLY, ("protection",)),
        ([A1, A2, applied(50)], {"concurrent_use": ConcurrentUse.UNDOCUMENTED}, POSSIBLY, ("protection",)),
        # ... and in one scope, wherever a repeat would go
        ([A1, attempt(20, "a2", scope="test"), applied(50)], {}, POSSIBLY, ("protection",)),
        ([A1, A2, applied(50)], {"scope": "test"}, NO_MORE, (*RECORD, "protection")),
        (
            [A1, A2, attempt(30, "a3", scope="test"), refused(40, "a3"), applied(50)],
            {},
            NO_MORE,
            (*RECORD, "protection"),
        ),
    ],
)
def test_a_further_effect_is_excluded_only_if_what_was_sent_acts_at_most_once(events, terms, further, rests):
    found = standing(*events, **terms)
    assert (found.evidence, found.further_effect) == (APPLIED, further)
    assert found.grounds.further_effect == Ground((), rests)


def test_an_effect_of_before_every_attempt_may_come_again_though_all_were_refused():
    # something that is not on record made it
    assert standing(refused(20), A1, applied(5)).further_effect is POSSIBLY


@pytest.mark.parametrize("events", [[A1], [A1, closed(50)], [A1, pending(50)], [A1, applied(50), closed(60)]])
def test_there_is_no_further_effect_where_none_is_established(events):
    found = standing(*events)
    assert (found.further_effect, found.grounds.further_effect) == (None, NOTHING)


@pytest.mark.parametrize(
    ("events", "together"),
    [([A1], True), ([A1, A2], True), ([A1, attempt(20, "a2", scope="")], False), ([A1, attempt(99, "a2")], False)],
)
def test_attempts_collapse_into_one_effect_in_one_scope_under_protection(events, together):
    assert collapsed(weighed(*events, guaranteed_for=99)) is together


def test_a_conflict_is_named_beside_what_it_leaves_unknown():
    found = standing(A1, applied(50), closed(60))
    assert (found.conflict, found.evidence) == (ConflictKind.APPLIED_AND_CLOSED, UNKNOWN)
    assert standing(A1, applied(50)).conflict is None


def test_protection_is_read_apart_from_the_evidence():
    found = standing(A1, applied(50), closed(60), guaranteed_for=101)
    assert (found.protection, found.protection_until, found.protection_reason) == ("active", 101, None)
    found = standing(A1, applied(50), guaranteed_for=5)
    assert (found.protection, found.protection_reason) == ("unestablished", ProtectionReason.LAPSED)
    found = standing(A1, guaranteed_for=Guarantee.UNLIMITED)
    assert found.grounds.protection == Ground((), ("protection.guaranteed_for", "protection.after"))


@pytest.mark.parametrize(
    ("refs", "named", "twice"),
    [
        ([None], (), False),
        (["T-1"], ("T-1",), False),
        (["T-1", "T-1", None], ("T-1",), False),
        (["T-2", "T-1"], ("T-2", "T-1"), True),
        (["T-2", None, "T-1", "T-2", "T-3"], ("T-2", "T-1", "T-3"), True),
    ],
)
def test_two_different_effects_among_the_applied_are_a_duplicate(refs, named, twice):
    found = standing(A1, *[applied(50 + index, effect_ref=ref) for index, ref in enumerate(refs)])
    assert (found.effect_refs, found.duplicate_effect) == (named, twice)


def test_two_effects_are_named_in_a_conflict_too():
    events = (A1, applied(50, effect_ref="T-1"), applied(60, effect_ref="T-2"), closed(70))
    assert standing(*events).duplicate_effect


def test_what_does_not_count_is_listed_in_the_order_of_the_events():
    found = standing(applied(5, channel="note"), A1, absent(50, channel="list"), said("guessed", 60))
    assert found.not_counted == (
        NotCounted(0, WhyNot.NO_AUTHORITY),
        NotCounted(2, WhyNot.GONE_IS_NOT_NEVER),
        NotCounted(3, WhyNot.UNKNOWN_CLAIM),
    )


def test_a_standing_holds_what_it_was_inferred_from():
    found = facts(A1, pending(60), absent(50))
    weighed_then = infer(found, now=NOW).weighed
    assert (weighed_then.facts, weighed_then.now) == (found, NOW)
    assert weighed_then.newest == (Dated(60, 1), True)
    assert weighed_then.active


@pytest.mark.parametrize(("events", "active"), [([pending(50)], True), ([accepted(50)], True), ([absent(50)], False)])
def test_activity_is_any_pending_or_accepted(events, active):
    assert weighed(A1, *events).active is active


def test_a_changed_table_changes_the_answer():
    found = facts(A1, applied(50), closed(60))
    assert infer(found, now=NOW, law=replace(LAW, conflicts=())).evidence is APPLIED
    assert infer(found, now=NOW, law=replace(LAW, conflicts=(), evidence=EVIDENCE[1:])).evidence is NOT_APPLIED


def test_a_changed_authority_changes_the_answer():
    everybody = dict.fromkeys(LAW.authority, frozenset(Claim))
    found = facts(A1, applied(50, channel="note"))
    assert infer(found, now=NOW).evidence is UNKNOWN
    assert infer(found, now=NOW, law=replace(LAW, authority=everybody)).evidence is APPLIED


def test_without_a_row_that_holds_nothing_is_known():
    found = infer(facts(A1, accepted(50)), now=NOW, law=replace(LAW, evidence=(), protection=()))
    assert (found.evidence, found.finality, found.situation) == (UNKNOWN, POSSIBLE, Situation.OPEN)
    assert (found.row, found.grounds.evidence) == ("no row", NOTHING)
    assert (found.protection, found.protection_reason) == ("unestablished", ProtectionReason.UNDOCUMENTED)
    twice = infer(facts(A1, A2, applied(50)), now=NOW, law=replace(LAW, protection=()))
    assert twice.further_effect is POSSIBLY


def test_every_value_has_its_ground():
    assert standing(A1, A2, applied(50), attempt(60, "a3")).grounds == Grounds(
        evidence=Ground((2,)),
        finality=Ground((2,)),
        protection=Ground((), ("protection.guaranteed_for", "protection.margin")),
        further_effect=Ground((), (*RECORD, "protection")),
    )


def test_equal_facts_have_equal_standings():
    found = Facts(events=(attempt(0),))
    assert infer(found, now=9) == infer(found, now=9)
