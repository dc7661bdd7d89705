"""At the very date on which an answer turns, and where two rules meet, each rule keeps its word."""

from math import nextafter
from typing import Any

import pytest

from operations.core.actions import Action
from operations.core.facts import After, Event, Guarantee, Mechanism
from operations.core.fates import Fate, FateKind, acted_at, late_copies
from operations.core.permitted import PERMITTED, Bar, Kind, Refusal, permitted
from operations.core.standing import Situation
from tests.core.building import NOW, absent, accepted, attempt, closed, kept, not_sent, pending, standing, weighed

A1 = attempt(10)
SHORT = {"guaranteed_for": 0, "margin": 0}


def repeat(*events: Event, **more: Any) -> Refusal | None:
    return permitted(standing(*events, **more))[Action.REPEAT]


def kind(*events: Event, **more: Any) -> Kind | None:
    refusal = repeat(*events, **more)
    return None if refusal is None else refusal.kind


def test_an_attempt_sent_this_moment_may_have_acted_this_moment():
    assert acted_at(weighed(attempt(NOW)), "a1") == NOW
    assert acted_at(weighed(attempt(NOW + 50)), "a1") == NOW


def test_between_two_neighbouring_moments_the_later_is_after_the_earlier():
    later = nextafter(1.0, 2)
    assert acted_at(weighed(attempt(0), absent(1.0), now=later), "a1") == later


@pytest.mark.parametrize(
    ("events", "terms", "names"),
    [
        # the statement's own date is covered by it, and so is every date before its end less the margin
        ([attempt(20), kept(20, until=900)], SHORT, ()),
        ([attempt(19), kept(20, until=900)], SHORT, ("a1",)),
        ([kept(20, until=50), attempt(49.5), kept(60, until=900)], SHORT, ()),
        ([kept(20, until=50), attempt(50), kept(60, until=900)], SHORT, ("a1",)),
        ([kept(20, until=50), attempt(39.5), kept(60, until=900)], {**SHORT, "margin": 10}, ()),
        ([kept(20, until=50), attempt(40), kept(60, until=900)], {**SHORT, "margin": 10}, ("a1",)),
        # each by itself
        ([attempt(19), kept(20, until=900), attempt(25, "a2")], SHORT, ("a1",)),
        # one that can't arrive any more is no copy
        ([attempt(19), not_sent(19), kept(20, until=900)], SHORT, ()),
        # by the contract's own terms
        ([A1, attempt(60, "a2"), kept(70, until=900)], {"guaranteed_for": 60}, ("a2",)),
        # no end, no late copy; no protection, nothing to outlast
        ([A1], {"guaranteed_for": Guarantee.UNLIMITED}, ()),
        ([A1], {"guaranteed_for": 0, "after": After.REFUSED}, ()),
        ([A1, kept(20, until=50)], {"guaranteed_for": 0}, ()),
        ([A1], {"mechanism": Mechanism.NONE}, ()),
    ],
)
def test_a_copy_may_outlast_a_protection_if_it_went_out_without_one(events, terms, names):
    assert late_copies(standing(*events, **terms)) == names


@pytest.mark.parametrize("make", [pending, accepted])
def test_a_report_is_fresh_up_to_its_limit_and_a_repeat_waits_so_long(make):
    found = repeat(A1, make(60), now=70, pending_fresh_for=10)
    assert found is not None
    assert (found.kind, found.until) == (Kind.MANNERS, 70)
    assert repeat(A1, make(60), now=70.5, pending_fresh_for=10) is None
    assert repeat(A1, make(60), now=70, pending_fresh_for=10, repeat_while_pending=True) is None


def test_a_repeat_may_go_out_at_the_very_end_of_its_pacing():
    assert kind(A1, now=29, min_interval=20) is Kind.MANNERS
    assert kind(A1, now=30, min_interval=20) is None


def test_a_repeat_is_refused_for_harm_at_the_very_end_of_protection():
    assert kind(A1, now=999) is None
    assert kind(A1, now=1000) is Kind.HARM


def test_no_passing_of_time_opens_what_is_refused_for_harm():
    found = repeat(A1, now=20, min_interval=500, mechanism=Mechanism.NONE)
    assert found is not None
    assert (found.kind, found.until) == (Kind.HARM, None)


def test_the_witness_against_a_repeat_is_what_protection_misses():
    found = repeat(A1, sealed=False)
    assert found is not None
    assert found.witness == (Fate("a1", FateKind.NEVER_ACTS), Fate("?", FateKind.ACTED, NOW))
    refusal = permitted(standing(A1, sealed=False))[Action.PROPOSE_NEW]
    assert refusal is not None
    assert refusal.witness == (Fate("a1", FateKind.ACTED, 10), Fate("?", FateKind.NEVER_ACTS))


def test_a_changed_table_changes_what_is_permitted():
    found = standing(A1)
    shut = {**PERMITTED, Situation.OPEN: {**PERMITTED[Situation.OPEN], Action.REPEAT: (Bar.HAPPENED,)}}
    assert permitted(found)[Action.REPEAT] is None
    refusal = permitted(found, table=shut)[Action.REPEAT]
    assert refusal is not None
    assert (refusal.kind, refusal.rule) == (Kind.SETTLED, "anything else: repeat: happened")


def test_a_closure_of_earlier_attempts_opens_a_new_operation_until_another_attempt_goes_out():
    assert permitted(standing(A1, closed(10)))[Action.PROPOSE_NEW] is None
    again = permitted(standing(A1, closed(10), attempt(10.5, "a2")))[Action.PROPOSE_NEW]
    assert again is not None
    assert again.witness == (Fate("a1", FateKind.NEVER_ACTS), Fate("a2", FateKind.ACTED, 10.5))
