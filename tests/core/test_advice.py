"""Advice orders what is permitted; it can neither add an action nor take one away."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operations.core.actions import Action
from operations.core.advice import Advice, Because, Pace, advice
from operations.core.facts import Authority, Channel, ClosureCovers, Event, Mechanism, Reads
from operations.core.permitted import permitted
from operations.core.standing import infer
from tests.core.building import NOW, absent, applied, attempt, closed, not_sent, pending, standing, successor
from tests.core.strategies import CHANNELS, facts
from tests.core.strategies import NOW as THEN

A1 = attempt(10)
RECORD, OBSERVE, REPEAT = Action.RECORD, Action.OBSERVE, Action.REPEAT
PROPOSE_NEW, EXCEPT, LEAVE = Action.PROPOSE_NEW, Action.EXCEPT, Action.LEAVE_UNRESOLVED
HISTORY, CURRENT, DERIVED = Authority.HISTORY, Authority.CURRENT, Authority.DERIVED
paces = st.dictionaries(
    st.sampled_from([*CHANNELS, "unlisted"]),
    st.builds(Pace, quota=st.sampled_from([None, 0, 1]), not_before=st.one_of(st.none(), st.integers(0, 100))),
)


def advised(*events: Event, paces: dict[str, Pace] | None = None, **more: Any) -> tuple[Advice, ...]:
    found = standing(*events, **more)
    return advice(found, permitted(found), paces=paces)


def order(*events: Event, **more: Any) -> list[Action]:
    return [step.action for step in advised(*events, **more)]


def asking(*events: Event, **more: Any) -> Advice:
    return next(step for step in advised(*events, **more) if step.action is OBSERVE)


def because(action: Action, *events: Event, **more: Any) -> Because:
    return next(step.because for step in advised(*events, **more) if step.action is action)


@settings(max_examples=500, deadline=None)
@given(facts(), paces, st.sets(st.sampled_from(Action)))
def test_advice_holds_exactly_the_permitted_actions(found, paces, taken_away):
    found = infer(found, now=THEN)
    verdict = permitted(found)
    refusal = next(each for each in verdict.values() if each is not None)
    verdict |= {action: verdict[action] or refusal for action in taken_away}
    may = [action for action, refused in verdict.items() if refused is None]
    assert sorted(step.action for step in advice(found, verdict, paces=paces)) == sorted(may)


@settings(max_examples=300, deadline=None)
@given(facts(), paces)
def test_a_pace_moves_nothing_but_asking(found, paces):
    found = infer(found, now=THEN)
    verdict = permitted(found)
    at_ease, paced = advice(found, verdict), advice(found, verdict, paces=paces)
    assert [step for step in at_ease if step.action is not OBSERVE] == [
        step for step in paced if step.action is not OBSERVE
    ]


@settings(max_examples=300, deadline=None)
@given(facts(), paces)
def test_only_a_channel_that_can_be_asked_is_named(found, paces):
    found = infer(found, now=THEN)
    for step in advice(found, permitted(found), paces=paces):
        if step.channel is not None:
            assert step.action is OBSERVE
            assert CHANNELS[step.channel].pollable
            assert paces.get(step.channel, Pace()).quota != 0


@pytest.mark.parametrize(
    ("events", "terms", "expected"),
    [
        # what can be finished is finished first, and asking only confirms it
        ([A1, applied(50)], {}, [RECORD, OBSERVE]),
        ([A1, closed(50)], {}, [RECORD, PROPOSE_NEW, OBSERVE]),
        ([A1, not_sent(50)], {}, [RECORD, REPEAT, PROPOSE_NEW, OBSERVE]),
        # whoever can teach something is asked before anything is sent, and a risk is accepted last
        ([A1], {}, [OBSERVE, REPEAT, LEAVE, EXCEPT]),
        ([A1], {"mechanism": Mechanism.NONE}, [OBSERVE, LEAVE, EXCEPT]),
        ([A1, applied(50), closed(60)], {}, [OBSERVE, LEAVE, EXCEPT]),
        # nobody to ask
        ([A1], {"channels": {}}, [REPEAT, LEAVE, EXCEPT]),
        ([A1, successor(20)], {}, [OBSERVE, LEAVE]),
    ],
)
def test_the_first_sensible_step_comes_first(events, terms, expected):
    assert order(*events, **terms) == expected


def test_asking_that_teaches_nothing_in_time_comes_after_what_sends_and_before_what_leaves_it_open():
    used_up = dict.fromkeys(["ledger", "list", "search"], Pace(quota=0))
    assert order(A1, paces=used_up) == [REPEAT, OBSERVE, LEAVE, EXCEPT]
    too_late = dict.fromkeys(["ledger", "list", "search"], Pace(not_before=1000))
    assert order(A1, paces=too_late) == [REPEAT, OBSERVE, LEAVE, EXCEPT]


@pytest.mark.parametrize(
    ("action", "events", "terms", "expected"),
    [
        (RECORD, [A1, applied(50)], {}, Because.CAN_BE_FINISHED),
        (OBSERVE, [A1], {}, Because.CAN_LEARN),
        (OBSERVE, [A1, applied(50)], {}, Because.ONLY_CONFIRMS),
        # nobody who can be asked knows what is missing
        (
            OBSERVE,
            [A1],
            {"channels": {"hints": Channel(authority=DERIVED), "webhook": Channel(authority=HISTORY, pollable=False)}},
            Because.ONLY_CONFIRMS,
        ),
        (REPEAT, [A1], {}, Because.RECOGNISED),
        (REPEAT, [A1, not_sent(50)], {}, Because.FIRST_SEND),
        (REPEAT, [], {}, Because.FIRST_SEND),
        (PROPOSE_NEW, [A1, closed(50)], {}, Because.STILL_WANTED),
        (LEAVE, [A1], {}, Because.CAN_WAIT),
        (EXCEPT, [A1], {}, Because.AT_A_RISK),
    ],
)
def test_a_step_says_why_it_stands_where_it_stands(action, events, terms, expected):
    assert because(action, *events, **terms) is expected


@pytest.mark.parametrize(
    ("channels", "best"),
    [
        # reads first: what a strong read shows is so now
        ({"a": Channel(authority=HISTORY), "b": Channel(authority=CURRENT, reads=Reads.STRONG)}, "b"),
        (
            {
                "a": Channel(authority=HISTORY, reads=Reads.UNORDERED),
                "b": Channel(authority=HISTORY, reads=Reads.EVENTUAL),
            },
            "b",
        ),
        (
            {
                "a": Channel(authority=HISTORY, reads=Reads.EVENTUAL),
                "b": Channel(authority=CURRENT, reads=Reads.STRONG),
            },
            "b",
        ),
        # then authority
        (
            {
                "a": Channel(authority=CURRENT, reads=Reads.STRONG),
                "b": Channel(authority=HISTORY, reads=Reads.STRONG),
            },
            "b",
        ),
        (
            {
                "a": Channel(authority=DERIVED, reads=Reads.STRONG, positive_is_conclusive=True),
                "b": Channel(authority=CURRENT, reads=Reads.STRONG),
            },
            "b",
        ),
        # then the name, so that the answer doesn't change by itself
        ({"b": Channel(authority=HISTORY), "a": Channel(authority=HISTORY)}, "a"),
    ],
)
def test_the_channel_that_can_settle_most_is_asked(channels, best):
    assert asking(A1, channels=channels) == Advice(OBSERVE, Because.CAN_LEARN, best, None)


@pytest.mark.parametrize(
    ("paces", "step"),
    [
        # the best one has no quota left
        ({"ledger": Pace(quota=0)}, Advice(OBSERVE, Because.CAN_LEARN, "list", None)),
        ({"ledger": Pace(quota=1)}, Advice(OBSERVE, Because.CAN_LEARN, "ledger", None)),
        # nobody has
        (dict.fromkeys(["ledger", "list", "search"], Pace(quota=0)), Advice(OBSERVE, Because.NO_QUOTA)),
        # whoever may be asked first, is
        ({"ledger": Pace(not_before=NOW + 5)}, Advice(OBSERVE, Because.CAN_LEARN, "list", None)),
        ({"ledger": Pace(not_before=NOW - 5)}, Advice(OBSERVE, Because.CAN_LEARN, "ledger", NOW - 5)),
        ({"ledger": Pace(not_before=0)}, Advice(OBSERVE, Because.CAN_LEARN, "ledger", 0)),
        (
            {
                "ledger": Pace(not_before=NOW + 9),
                "list": Pace(not_before=NOW + 5),
                "search": Pace(not_before=NOW + 7),
            },
            Advice(OBSERVE, Because.CAN_LEARN, "list", NOW + 5),
        ),
        # of those of one time the one that can settle most
        (
            dict.fromkeys(["search", "list", "ledger"], Pace(not_before=NOW + 5)),
            Advice(OBSERVE, Because.CAN_LEARN, "ledger", NOW + 5),
        ),
        # in the last moment before protection ends, and not in that moment
        (
            dict.fromkeys(["search", "list", "ledger"], Pace(not_before=999)),
            Advice(OBSERVE, Because.CAN_LEARN, "ledger", 999),
        ),
        (
            dict.fromkeys(["search", "list", "ledger"], Pace(not_before=1000)),
            Advice(OBSERVE, Because.TOO_LATE_TO_LEARN, "ledger", 1000),
        ),
        # a channel that isn't in the contract paces nothing
        ({"unlisted": Pace(quota=0)}, Advice(OBSERVE, Because.CAN_LEARN, "ledger", None)),
    ],
)
def test_a_channel_is_asked_within_its_pace(paces, step):
    assert asking(A1, paces=paces) == step


@pytest.mark.parametrize(
    ("events", "terms"),
    [
        # protection has no end
        ([A1], {"mechanism": Mechanism.KEY, "guaranteed_for": 10**6}),
        # no repeat is permitted that could come too late
        ([A1], {"mechanism": Mechanism.NONE}),
        ([A1, pending(50)], {}),
        ([A1, successor(20)], {}),
    ],
)
def test_no_answer_is_too_late_where_no_repeat_would_be(events, terms):
    late = dict.fromkeys(["ledger", "list", "search"], Pace(not_before=1000))
    assert asking(*events, paces=late, **terms).because is Because.CAN_LEARN


def test_in_a_contradiction_the_channels_that_state_are_asked():
    found = asking(A1, applied(50), closed(60), closure=ClosureCovers.IDENTITY)
    assert (found.because, found.channel) == (Because.CAN_LEARN, "ledger")


def test_the_places_of_an_absent_and_a_stale_report_change_no_order():
    assert order(A1, absent(50)) == order(A1) == [OBSERVE, REPEAT, LEAVE, EXCEPT]


@pytest.mark.parametrize("reason", Because)
def test_every_because_is_a_sentence(reason):
    assert reason.sentence[0].isupper()
    assert reason.sentence.endswith(".")
