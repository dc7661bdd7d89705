"""A witness is a history that the observations allow and in which the refused action acts beside the original."""

import pytest

from operations.core.actions import Action
from operations.core.facts import (
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
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
)
from operations.core.fates import Fate, FateKind, acted_at, can_act, late_copies, witness
from operations.core.standing import infer

LEDGER = Channel(authority=Authority.HISTORY, reads=Reads.STRONG)
NEVER, ACTED, MAY = FateKind.NEVER_ACTS, FateKind.ACTED, FateKind.MAY_STILL_ACT


def standing(*events, now=100, sealed=True, known=True, scope=None, closure=ClosureCovers.EARLIER_ATTEMPTS, **terms):
    facts = Facts(
        contract=Contract(
            protection=ProtectionTerms(**terms), closure=Closure(covers=closure), channels={"ledger": LEDGER}
        ),
        operation=Operation(attempts_complete=sealed, identity_known=known, repeat_scope=scope),
        events=events,
    )
    return infer(facts, now=now)


def sent(at=0, name="a1", scope="live"):
    return Attempt(at=at, id=name, sends=Sends.ONE, scope=scope)


def said(says, at, **more):
    return Observation(at=at, channel="ledger", says=says, authentic=True, correlation=Correlation.OPERATION, **more)


def test_an_attempt_that_a_closure_covers_cannot_act():
    found = standing(sent(0), sent(50, "a2"), said("closed", 50), sent(60, "a3"))
    assert [attempt.id for attempt in can_act(found.weighed)] == ["a3"]


def test_no_attempt_can_act_after_a_closure_of_the_identity():
    found = standing(sent(0), said("closed", 50), sent(60, "a3"), closure=ClosureCovers.IDENTITY)
    assert can_act(found.weighed) == []


@pytest.mark.parametrize(
    ("events", "at"),
    [
        # nothing speaks against its having acted at once
        ([sent(10)], 10),
        # not by an absent: between the read and now
        ([sent(10), said("absent", 40)], 70),
        ([sent(40), said("absent", 40)], 70),
        # an older read says nothing of it
        ([sent(41), said("absent", 40)], 41),
        # the newest read counts, in any order
        ([sent(10), said("absent", 60), said("absent", 40)], 80),
        # read this very moment: it can't have acted by now
        ([sent(10), said("absent", 100)], None),
        # by the date of an applied, the earliest of them
        ([sent(10), said("absent", 20), said("applied", 80), said("applied", 40)], 30),
        # sent after the applied: another one acted
        ([sent(0, "a0"), sent(90), said("applied", 80)], None),
    ],
)
def test_an_act_is_dated_where_the_observations_allow_it(events, at):
    assert acted_at(standing(*events).weighed, "a1") == at


def test_two_neighbouring_seconds_leave_room_for_an_act_at_the_later():
    late = 2.0**53
    found = standing(sent(0), said("absent", late - 1), now=late)
    assert acted_at(found.weighed, "a1") == late


@pytest.mark.parametrize(
    ("events", "at"),
    [
        # a submission not on record may have been sent at any time up to now
        ([], 100),
        ([said("absent", 60)], 80),
        # but after a closure that would cover it
        ([sent(0), said("closed", 40)], 70),
        ([sent(0), said("closed", 100)], None),
    ],
)
def test_a_submission_not_on_record_acts_after_every_closure_and_absent(events, at):
    assert acted_at(standing(*events, sealed=False).weighed, "?") == at


@pytest.mark.parametrize(
    ("found", "action", "fates"),
    [
        # the reply was lost: it acted
        (
            standing(sent(), mechanism=Mechanism.NONE),
            Action.REPEAT,
            [Fate("a1", ACTED, 0)],
        ),
        (standing(sent(), mechanism=Mechanism.NONE), Action.PROPOSE_NEW, [Fate("a1", ACTED, 0)]),
        # read this very moment, it is not there: it may still act
        (standing(sent(), said("absent", 100)), Action.PROPOSE_NEW, [Fate("a1", MAY)]),
        # what isn't on record may have used another identity; no line of the record need act
        (
            standing(sent(), sealed=False, mechanism=Mechanism.KEY),
            Action.REPEAT,
            [Fate("a1", NEVER), Fate("?", ACTED, 100)],
        ),
        # for a new operation the attempt on record is harm enough
        (
            standing(sent(), sealed=False, mechanism=Mechanism.KEY),
            Action.PROPOSE_NEW,
            [Fate("a1", ACTED, 0), Fate("?", NEVER)],
        ),
        # the attempt in the other scope is the one that a repeat is not recognised beside
        (
            standing(sent(0), sent(5, "a2", "other"), mechanism=Mechanism.KEY, scope="live"),
            Action.REPEAT,
            [Fate("a1", NEVER), Fate("a2", ACTED, 5)],
        ),
        # what concurrent use does is unknown: harm needs an original in flight
        (
            standing(sent(), mechanism=Mechanism.KEY, covers=Covers.EVERY_OUTCOME, guaranteed_for=1000, margin=1),
            Action.REPEAT,
            [Fate("a1", MAY)],
        ),
        # the refused one never acts, the other one did
        (
            standing(sent(0), sent(5, "a2"), said("attempt_refused", 6, attempt="a1", covers_copies=True)),
            Action.PROPOSE_NEW,
            [Fate("a1", NEVER), Fate("a2", ACTED, 5)],
        ),
        # all that is on record is covered by the closure: only something else could act, and after it
        (
            standing(sent(0), said("closed", 40), sealed=False),
            Action.PROPOSE_NEW,
            [Fate("a1", NEVER), Fate("?", ACTED, 70)],
        ),
        # read this very moment, and nothing on record can act: it may still come
        (
            standing(said("absent", 100), sealed=False),
            Action.REPEAT,
            [Fate("?", MAY)],
        ),
    ],
)
def test_the_witness_acts_where_the_refused_action_would_act_beside_it(found, action, fates):
    assert list(witness(found, action)) == fates


def test_a_witness_has_a_line_for_each_of_a_thousand_attempts():
    found = standing(*[sent(number, f"a{number}") for number in range(1000)], now=5000)
    assert [fate.attempt for fate in witness(found, Action.PROPOSE_NEW)] == [f"a{number}" for number in range(1000)]


def test_concurrency_is_asked_only_once_every_outcome_is_kept():
    found = standing(
        sent(), mechanism=Mechanism.KEY, concurrent_use=ConcurrentUse.PROTECTED, guaranteed_for=1000, margin=1
    )
    assert list(witness(found, Action.REPEAT)) == [Fate("a1", ACTED, 0)]


KEPT = {"covers": Covers.EVERY_OUTCOME, "concurrent_use": ConcurrentUse.PROTECTED, "margin": 10}


@pytest.mark.parametrize(
    ("found", "late"),
    [
        # protected by the contract's own interval: its copies are assumed to arrive in time
        (standing(sent(), now=50, mechanism=Mechanism.KEY, guaranteed_for=200, **KEPT), ()),
        # only the recipient's later word protects the repeat, not the copies of what went out before it
        (standing(sent(), said("protection_until", 20, until=100), now=30, **KEPT), ("a1",)),
        # sent after that word, it went out under it
        (standing(sent(25), said("protection_until", 20, until=100), now=30, **KEPT), ()),
        # sent too late to arrive under it
        (
            standing(
                sent(95), said("protection_until", 20, until=100), said("protection_until", 96, until=900), **KEPT
            ),
            ("a1",),
        ),
        # sent while the newest word was that the number is lost, whatever was promised before and after
        (
            standing(
                said("protection_until", 5, until=900),
                said("protection_lost", 10),
                sent(20),
                said("protection_until", 30, until=900),
                **KEPT,
            ),
            ("a1",),
        ),
        # of two words of one date the weaker one counts
        (
            standing(
                said("protection_until", 5, until=25),
                said("protection_until", 5, until=900),
                sent(20),
                said("protection_until", 30, until=900),
                **KEPT,
            ),
            ("a1",),
        ),
        # sent after the interval had ended
        (
            standing(
                sent(0),
                sent(70, "a2"),
                said("protection_until", 80, until=300),
                now=90,
                mechanism=Mechanism.KEY,
                guaranteed_for=60,
                **KEPT,
            ),
            ("a2",),
        ),
        # without an end there is nothing to outlast, and without protection nothing to warn of
        (standing(sent(), mechanism=Mechanism.KEY, guaranteed_for=Guarantee.UNLIMITED, **KEPT), ()),
        (standing(sent()), ()),
    ],
)
def test_copies_that_may_outlast_the_protection_are_named(found, late):
    assert late_copies(found) == late
