"""The table of permitted actions is total and says what semantics.md (Permitted actions) says."""

from itertools import product

import pytest

from operations.core.actions import Action
from operations.core.facts import (
    Attempt,
    Authority,
    Channel,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
    Successor,
    SuccessorState,
)
from operations.core.permitted import BARS, PERMITTED, Bar, Circumstances, Kind, bar_of, permitted
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Situation, infer

EVERY_CIRCUMSTANCE = [
    Circumstances(situation, protection, *flags)
    for situation, protection in product(Situation, Protection)
    for flags in product((False, True), repeat=4)
]

# The rows of semantics.md, by what they permit besides `observe`; `repeat` and the successor have conditions of their own.
ROWS = {
    Situation.CONFLICT: {Action.LEAVE_UNRESOLVED, Action.EXCEPT},
    Situation.APPLIED: {Action.RECORD},
    Situation.CLOSED: {Action.RECORD, Action.PROPOSE_NEW},
    Situation.NOTHING_CAN_ACT: {Action.RECORD, Action.PROPOSE_NEW, Action.REPEAT},
    Situation.OPEN: {Action.LEAVE_UNRESOLVED, Action.EXCEPT, Action.REPEAT},
}
# The order in which the document lets the kinds of refusal speak, an action a line.
PRECEDENCE = {
    Action.RECORD: (Kind.CONFLICT, Kind.UNPROVEN),
    Action.OBSERVE: (Kind.NO_CHANNEL,),
    Action.REPEAT: (Kind.CONFLICT, Kind.SETTLED, Kind.SUCCESSOR, Kind.HARM, Kind.MANNERS),
    Action.PROPOSE_NEW: (Kind.CONFLICT, Kind.SETTLED, Kind.SUCCESSOR, Kind.HARM),
    Action.EXCEPT: (Kind.SETTLED, Kind.SUCCESSOR),
    Action.LEAVE_UNRESOLVED: (Kind.SETTLED,),
}
EXCLUDED = {Situation.CLOSED, Situation.NOTHING_CAN_ACT}
SETTLES = {
    Action.REPEAT: {Situation.APPLIED, Situation.CLOSED},
    Action.PROPOSE_NEW: {Situation.APPLIED},
    Action.EXCEPT: {Situation.APPLIED, *EXCLUDED},
    Action.LEAVE_UNRESOLVED: {Situation.APPLIED, *EXCLUDED},
}
SHUT_BY_A_SUCCESSOR = {Action.REPEAT, Action.PROPOSE_NEW, Action.EXCEPT}


def is_permitted(action, found):
    """The rows and their conditions, read from the document."""
    if action is Action.OBSERVE:
        return found.observable
    if action not in ROWS[found.situation]:
        return False
    if found.successor_open and action in SHUT_BY_A_SUCCESSOR:
        return False
    if action is not Action.REPEAT:
        return True
    waits = found.situation is Situation.OPEN and (found.protection is not Protection.ACTIVE or found.in_flight)
    return not waits and not found.too_soon


def kind_of(action, found):
    """The first kind of the document's precedence whose condition holds."""
    holds = {
        Kind.CONFLICT: found.situation is Situation.CONFLICT,
        Kind.SETTLED: found.situation in SETTLES.get(action, set()),
        Kind.SUCCESSOR: found.successor_open,
        Kind.HARM: found.situation is Situation.OPEN
        and (action is Action.PROPOSE_NEW or found.protection is not Protection.ACTIVE),
        Kind.MANNERS: found.in_flight or found.too_soon,
        Kind.UNPROVEN: found.situation is Situation.OPEN,
        Kind.NO_CHANNEL: not found.observable,
    }
    return next(kind for kind in PRECEDENCE[action] if holds[kind])


def test_the_table_is_total_over_every_situation_and_action():
    assert {(situation, action) for situation in PERMITTED for action in PERMITTED[situation]} == set(
        product(Situation, Action)
    )


def test_every_bar_of_the_table_has_a_kind_and_every_bar_is_used():
    used = {bar for cells in PERMITTED.values() for bars in cells.values() for bar in bars}
    assert used == set(Bar) == set(BARS)


@pytest.mark.parametrize("action", Action)
def test_each_cell_refuses_and_permits_as_the_document_says(action):
    for found in EVERY_CIRCUMSTANCE:
        bar = bar_of(action, found)
        assert (bar is None) == is_permitted(action, found), found
        if bar is not None:
            assert BARS[bar][0] is kind_of(action, found), found


def test_nothing_that_sends_is_permitted_while_the_recipient_contradicts_itself():
    for found in EVERY_CIRCUMSTANCE:
        if found.situation is Situation.CONFLICT:
            assert bar_of(Action.REPEAT, found) is Bar.CONTRADICTION
            assert bar_of(Action.PROPOSE_NEW, found) is Bar.CONTRADICTION


LEDGER = Channel(authority=Authority.HISTORY, reads=Reads.STRONG)
TERMS = {
    "mechanism": Mechanism.KEY,
    "guaranteed_for": 1000,
    "margin": 10,
    "covers": Covers.EVERY_OUTCOME,
    "concurrent_use": ConcurrentUse.PROTECTED,
}


def verdict(*events, now, channels=None, sealed=True, **terms):
    facts = Facts(
        contract=Contract(
            protection=ProtectionTerms(**{**TERMS, **terms}),
            channels={"ledger": LEDGER} if channels is None else channels,
        ),
        operation=Operation(attempts_complete=sealed, identity_known=True),
        events=events,
    )
    return permitted(infer(facts, now=now))


def sent(at=0, name="a1"):
    return Attempt(at=at, id=name, sends=Sends.ONE, scope="live")


def said(says, at, **more):
    return Observation(at=at, channel="ledger", says=says, authentic=True, correlation=Correlation.OPERATION, **more)


def test_a_refusal_names_its_cell():
    refusal = verdict(sent(), now=5)[Action.PROPOSE_NEW]
    assert refusal.rule == "anything else: propose_new: may_act"


def test_a_refused_repeat_says_what_protection_lacks():
    refusal = verdict(sent(), now=2000)[Action.REPEAT]
    assert refusal.kind is Kind.HARM
    assert refusal.sentence == f"{Bar.UNPROTECTED.sentence} {ProtectionReason.LAPSED.sentence}"


def test_a_witness_is_given_for_harm_alone():
    for now in (5, 2000):
        for refusal in verdict(sent(), said("pending", 3), now=now).values():
            assert refusal is None or (refusal.witness is not None) == (refusal.kind is Kind.HARM)


@pytest.mark.parametrize(
    ("events", "terms", "now", "until"),
    [
        # pacing alone: from the last attempt that may have arrived
        ((sent(), sent(20, "a2")), {"min_interval": 30}, 40, 50),
        # a pending that grows stale, and pacing: the later of both opens
        ((sent(), said("pending", 15)), {"pending_fresh_for": 50, "min_interval": 30}, 20, 65),
        ((sent(), said("pending", 15)), {"pending_fresh_for": 5, "min_interval": 30}, 20, 30),
        # the newest fresh report counts, an accepted too
        ((sent(), said("pending", 15), said("accepted", 18)), {"pending_fresh_for": 50}, 20, 68),
        # protection ends before the report grows stale: then the answer becomes another refusal
        ((sent(), said("pending", 900)), {"pending_fresh_for": 500}, 950, 990),
        # a report that never grows stale: only the end of protection changes the answer
        ((sent(), said("pending", 15)), {}, 20, 990),
        # and with an endless protection nothing does
        ((sent(), said("pending", 15)), {"guaranteed_for": Guarantee.UNLIMITED}, 20, None),
        # where nothing can act, protection plays no part
        ((sent(), said("attempt_refused", 5, attempt="a1", covers_copies=True)), {"min_interval": 3000}, 10, 3000),
    ],
)
def test_a_repeat_against_manners_says_until_when(events, terms, now, until):
    refusal = verdict(*events, now=now, **terms)[Action.REPEAT]
    assert (refusal.kind, refusal.until) == (Kind.MANNERS, until)


@pytest.mark.parametrize("now", [49, 50, 51])
def test_pacing_opens_at_its_very_second(now):
    assert (verdict(sent(20), now=now, min_interval=30)[Action.REPEAT] is None) == (now >= 50)


def test_the_freshness_of_a_report_ends_after_its_very_second():
    fresh, stale = [
        verdict(sent(), said("pending", 15), now=now, pending_fresh_for=5)[Action.REPEAT] for now in (20, 20.5)
    ]
    assert (fresh.kind, fresh.until) == (Kind.MANNERS, 20)
    assert stale is None


def test_an_accepted_bars_the_repeat_as_a_pending_does():
    assert verdict(sent(), said("accepted", 15), now=20)[Action.REPEAT].kind is Kind.MANNERS
    assert verdict(sent(), said("accepted", 15), now=20, repeat_while_pending=True)[Action.REPEAT] is None


@pytest.mark.parametrize(
    ("channel", "asked"),
    [
        ({"authority": Authority.HISTORY}, True),
        ({"authority": Authority.CURRENT}, True),
        ({"authority": Authority.DERIVED}, True),
        # nobody there to ask about the effect
        ({"authority": Authority.TRANSPORT}, False),
        ({"authority": Authority.CLIENT}, False),
        ({"authority": Authority.NONE}, False),
        # it tells, it can't be asked
        ({"authority": Authority.HISTORY, "pollable": False}, False),
    ],
)
def test_only_a_channel_that_can_be_asked_permits_observing(channel, asked):
    found = verdict(sent(), now=5, channels={"only": Channel(**channel)})[Action.OBSERVE]
    assert (found is None) == asked
    assert found is None or found.kind is Kind.NO_CHANNEL


def successor(at, state, name="s1"):
    return Successor(at=at, id=name, state=SuccessorState(state))


@pytest.mark.parametrize(
    ("states", "shut"),
    [
        ([successor(1, "open")], True),
        # the newest state holds, in whatever order the events came
        ([successor(1, "open"), successor(2, "no_effect")], False),
        ([successor(2, "no_effect"), successor(1, "open")], False),
        ([successor(1, "no_effect"), successor(2, "open")], True),
        # of two states at one date the one that never permits more
        ([successor(1, "open"), successor(1, "no_effect")], True),
        # each successor for itself
        ([successor(1, "no_effect"), successor(1, "open", "s2")], True),
        # a date later than now is read as now, so it is newest
        ([successor(3, "open"), successor(99, "no_effect")], False),
    ],
)
def test_an_open_successor_shuts_what_would_act_beside_it(states, shut):
    found = verdict(sent(), *states, now=5)
    assert (found[Action.REPEAT] is not None) == shut
    assert (found[Action.EXCEPT] is not None) == shut
    assert found[Action.PROPOSE_NEW].kind is (Kind.SUCCESSOR if shut else Kind.HARM)
