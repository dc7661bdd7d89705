"""Nonsense can't be planned with, and the same seed gives the same waits on every machine."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.facts import LATEST, FactError
from operations.core.inquiry import Askable, Backoff, Inquiry, Question

BACKOFF = Backoff(first=10, factor=2, cap=100, jitter=0, seed="operation 1")
ASKABLE = Askable(channel="status", min_interval=5, last_asked_at=20, not_before=30)
INQUIRY = Inquiry(
    question=Question.UNKNOWN,
    since=0,
    expected_by=1_000,
    channels=(ASKABLE,),
    backoff=BACKOFF,
    asks_made=0,
    asks_allowed=5,
    ask_ahead=60,
    call_ahead=30,
)
NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("whole", "field", "value", "rule"),
    [
        (BACKOFF, "first", 0, "positive"),
        (BACKOFF, "first", -1, "positive"),
        (BACKOFF, "first", NAN, "positive"),
        (BACKOFF, "first", INFINITE, "positive"),
        (BACKOFF, "factor", 0.99, "at_least_one"),
        (BACKOFF, "factor", NAN, "at_least_one"),
        (BACKOFF, "factor", INFINITE, "at_least_one"),
        (BACKOFF, "cap", 9, "at_least_first"),
        (BACKOFF, "cap", NAN, "at_least_first"),
        (BACKOFF, "cap", INFINITE, "at_least_first"),
        (BACKOFF, "jitter", -0.1, "fraction"),
        # A wait of nothing at all would be a loop.
        (BACKOFF, "jitter", 1, "fraction"),
        (BACKOFF, "jitter", NAN, "fraction"),
        (ASKABLE, "min_interval", -1, "not_negative"),
        (ASKABLE, "min_interval", NAN, "finite"),
        (ASKABLE, "last_asked_at", INFINITE, "finite"),
        (ASKABLE, "not_before", 2.0**54, "finite"),
        (INQUIRY, "since", NAN, "finite"),
        (INQUIRY, "expected_by", -INFINITE, "finite"),
        (INQUIRY, "protection_until", INFINITE, "finite"),
        (INQUIRY, "deadline", INFINITE, "finite"),
        (INQUIRY, "watch_until", NAN, "finite"),
        (INQUIRY, "asks_made", -1, "not_negative"),
        (INQUIRY, "asks_allowed", -1, "not_negative"),
        (INQUIRY, "ask_ahead", -1, "not_negative"),
        (INQUIRY, "call_ahead", -1, "not_negative"),
        (INQUIRY, "watch_every", -1, "not_negative"),
        (INQUIRY, "watch_every", 0, "positive"),
        # The person would be called before the answer could come.
        (INQUIRY, "call_ahead", 61, "at_most_ask_ahead"),
        (INQUIRY, "channels", (ASKABLE, Askable(channel="status")), "unique"),
    ],
)
def test_nonsense_is_refused_with_its_field_and_rule(whole, field, value, rule):
    changed: dict[str, Any] = {field: value}
    with pytest.raises(FactError) as caught:
        replace(whole, **changed)
    assert (caught.value.field, caught.value.rule) == (field, rule)
    assert caught.value.message.startswith("must ")


@pytest.mark.parametrize(
    ("whole", "changed"),
    [
        (BACKOFF, {"first": 1e-9, "factor": 1, "cap": LATEST, "jitter": 0.999}),
        (BACKOFF, {"first": LATEST, "factor": LATEST, "cap": LATEST}),
        (ASKABLE, {"min_interval": 0, "last_asked_at": -LATEST, "not_before": LATEST}),
        (INQUIRY, {"asks_allowed": 0, "ask_ahead": 30, "watch_every": 1e-9, "channels": ()}),
    ],
)
def test_the_outermost_values_are_allowed(whole, changed: dict[str, Any]):
    assert replace(whole, **changed)


@pytest.mark.parametrize(("ask", "wait"), [(0, 10), (1, 20), (2, 40), (3, 80), (4, 100), (5, 100), (10**9, 100)])
def test_the_wait_grows_from_ask_to_ask_up_to_its_cap(ask, wait):
    assert BACKOFF.wait_before(ask) == wait


def test_a_wait_that_does_not_grow_stays():
    assert replace(BACKOFF, factor=1).wait_before(10**9) == 10


def test_the_same_seed_gives_the_same_wait_on_every_machine():
    waits = [round(replace(BACKOFF, jitter=0.5).wait_before(ask), 6) for ask in range(3)]
    assert waits == [7.665881, 19.353163, 28.737083]


def test_another_seed_and_another_ask_are_drawn_anew():
    jittery = replace(BACKOFF, first=100, jitter=0.5)
    drawn = {replace(jittery, seed=str(seed)).wait_before(ask) for seed in range(50) for ask in range(4)}
    assert len(drawn) == 200


def test_waits_are_spread_over_the_whole_of_the_jitter():
    jittery = replace(BACKOFF, first=100, jitter=0.5)
    waits = [replace(jittery, seed=str(seed)).wait_before(0) for seed in range(2_000)]
    assert 50 < min(waits) < 51
    assert 99 < max(waits) < 100
    assert 74 < sum(waits) / len(waits) < 76


@given(
    first=st.floats(0.001, 1e6),
    factor=st.floats(1, 1e6),
    more=st.floats(0, 1e6),
    jitter=st.floats(0, 0.999),
    seed=st.text(max_size=5),
    ask=st.integers(0, 10**6),
)
def test_jitter_only_shortens_and_by_no_more_than_its_fraction(first, factor, more, jitter, seed, ask):
    backoff = Backoff(first=first, factor=factor, cap=first + more, jitter=jitter, seed=seed)
    whole = replace(backoff, jitter=0).wait_before(ask)
    assert first <= whole <= first + more
    assert whole * (1 - jitter) * (1 - 1e-9) <= backoff.wait_before(ask) <= whole


@given(st.floats(0, 1e9), st.integers(0, 100))
def test_any_wait_is_shortened_by_its_jitter(wait, ask):
    assert 0.75 * wait * (1 - 1e-9) <= replace(BACKOFF, jitter=0.25).shortened(wait, ask=ask) <= wait


def test_the_next_wait_counts_from_the_last_ask_through_any_channel():
    channels = (ASKABLE, Askable(channel="events", last_asked_at=25), Askable(channel="list"))
    assert replace(INQUIRY, channels=channels).anchor == 25


def test_the_first_wait_counts_from_when_the_question_is_open():
    assert replace(INQUIRY, since=7, channels=(Askable(channel="status", not_before=9),)).anchor == 7
    assert replace(INQUIRY, since=7, channels=()).anchor == 7
