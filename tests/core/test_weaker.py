"""Of two promises the weaker governs, term by term, and never permits what one of them would not."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.actions import Action
from operations.core.facts import (
    After,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Covers,
    Event,
    Facts,
    Guarantee,
    Mechanism,
    Operation,
    ProtectionTerms,
    Reads,
)
from operations.core.permitted import permitted
from operations.core.protection import Protection
from operations.core.standing import infer
from operations.core.weaker import AFTER, CLOSURE, CONCURRENT_USE, COVERS, MECHANISM, governed_by, promised_for, weaker
from tests.core.building import CHANNELS, PROTECTED, absent, accepted, attempt, closed, kept, lost, pending, refused

UNDOCUMENTED, WHILE, UNLIMITED = Guarantee.UNDOCUMENTED, Guarantee.WHILE_EXISTS, Guarantee.UNLIMITED
EVERY, SUCCESS = Covers.EVERY_OUTCOME, Covers.SUCCESS_ONLY


def contract(*, closure: ClosureCovers = ClosureCovers.IDENTITY, **terms: Any) -> Contract:
    """Everything promised for 1000 s less 10 s, with these terms instead."""
    return Contract(
        protection=ProtectionTerms(**{**PROTECTED, **terms}),
        closure=Closure(covers=closure),
        channels=CHANNELS,
    )


# The term, one value, the other, and which of them governs whichever came first.
PAIRS = [
    # a recipient that recognises no repeat is not believed when it states that it keeps a number
    ("mechanism", Mechanism.KEY, Mechanism.NONE, Mechanism.NONE),
    ("mechanism", Mechanism.KEY, Mechanism.UNDOCUMENTED, Mechanism.UNDOCUMENTED),
    ("mechanism", Mechanism.UNDOCUMENTED, Mechanism.NONE, Mechanism.NONE),
    # silence says less than any time, a time that depends on a deletion less than a stated one, and a stated one less than for good
    ("guaranteed_for", 1000, UNDOCUMENTED, UNDOCUMENTED),
    ("guaranteed_for", WHILE, UNDOCUMENTED, UNDOCUMENTED),
    ("guaranteed_for", UNLIMITED, UNDOCUMENTED, UNDOCUMENTED),
    ("guaranteed_for", 1000, WHILE, WHILE),
    ("guaranteed_for", UNLIMITED, WHILE, WHILE),
    ("guaranteed_for", 1000, 600, 600),
    ("guaranteed_for", UNLIMITED, 600, 600),
    # ours, and as slow as we ever knew it to be
    ("margin", 10, 60, 60),
    # a late repeat that is refused can't run
    ("after", After.REFUSED, After.RUNS_AS_NEW, After.RUNS_AS_NEW),
    ("after", After.REFUSED, After.UNDOCUMENTED, After.UNDOCUMENTED),
    ("after", After.RUNS_AS_NEW, After.UNDOCUMENTED, After.UNDOCUMENTED),
    ("covers", EVERY, SUCCESS, SUCCESS),
    ("covers", EVERY, Covers.UNDOCUMENTED, Covers.UNDOCUMENTED),
    ("covers", SUCCESS, Covers.UNDOCUMENTED, Covers.UNDOCUMENTED),
    ("concurrent_use", ConcurrentUse.PROTECTED, ConcurrentUse.UNDOCUMENTED, ConcurrentUse.UNDOCUMENTED),
    # the recipient's wish of either day
    ("repeat_while_pending", True, False, False),
    # a report of being under way holds a repeat back for longer, at last for good
    ("pending_fresh_for", 60, 600, 600),
    ("pending_fresh_for", 60, None, None),
    ("min_interval", 5, 30, 30),
]
IDS = [f"{name}: {one} and {other}" for name, one, other, _ in PAIRS]


@pytest.mark.parametrize(("name", "one", "other", "governs"), PAIRS, ids=IDS)
def test_the_more_cautious_word_governs_whichever_came_first(name, one, other, governs):
    for first, current in ((one, other), (other, one)):
        found = weaker(contract(**{name: first}), current=contract(**{name: current}))
        assert getattr(found.protection, name) == governs


@pytest.mark.parametrize("name", ProtectionTerms.__dataclass_fields__)
def test_every_term_stands_in_the_table(name):
    assert name in {row[0] for row in PAIRS}


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (MECHANISM, Mechanism),
        (COVERS, Covers),
        (CONCURRENT_USE, ConcurrentUse),
        (AFTER, After),
        (CLOSURE, ClosureCovers),
    ],
)
def test_every_word_of_a_term_has_its_rank(order, words):
    assert sorted(order) == sorted(words)


def test_a_closing_shuts_what_both_say_that_it_shuts():
    found = weaker(contract(closure=ClosureCovers.IDENTITY), current=contract(closure=ClosureCovers.EARLIER_ATTEMPTS))
    assert found.closure.covers is ClosureCovers.EARLIER_ATTEMPTS
    found = weaker(contract(closure=ClosureCovers.EARLIER_ATTEMPTS), current=contract(closure=ClosureCovers.IDENTITY))
    assert found.closure.covers is ClosureCovers.EARLIER_ATTEMPTS


def test_what_a_channel_can_speak_for_is_as_we_read_it_now():
    now = {"record": Channel(authority=Authority.HISTORY, reads=Reads.STRONG)}
    then = {"record": Channel(), "index": Channel(authority=Authority.DERIVED)}
    found = weaker(Contract(channels=then), current=Contract(channels=now))
    assert found.channels == now


def test_a_late_repeat_that_is_refused_promises_more_than_any_time():
    first = contract(after=After.REFUSED, guaranteed_for=UNDOCUMENTED, margin=None)
    assert promised_for(first.protection) is UNLIMITED
    found = weaker(first, current=contract(guaranteed_for=600, after=After.RUNS_AS_NEW))
    assert (found.protection.guaranteed_for, found.protection.margin) == (600, 10)


@pytest.mark.parametrize(
    ("terms", "margin"),
    [
        ({"guaranteed_for": UNLIMITED}, 10),  # a stated end may come before no end: it has to be heard
        ({"guaranteed_for": UNDOCUMENTED}, None),  # a stated end is the only ground, and one of them could not use it
        ({"guaranteed_for": WHILE}, None),
        ({"guaranteed_for": UNLIMITED, "mechanism": Mechanism.UNDOCUMENTED}, None),
    ],
)
def test_a_margin_of_one_contract_alone_is_used_only_to_end_a_promise(terms, margin):
    one, other = contract(guaranteed_for=UNLIMITED), contract(**{**terms, "margin": None})
    assert weaker(one, current=other).protection.margin == margin
    assert weaker(other, current=one).protection.margin == margin


def test_which_contract_a_term_comes_from_is_told():
    told = governed_by(contract(guaranteed_for=600, margin=10), current=contract(guaranteed_for=1000, margin=60))
    assert told == {"protection.guaranteed_for": True, "protection.margin": False}


TERMS: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    mechanism=st.sampled_from(Mechanism),
    guaranteed_for=st.sampled_from([40, 400, *Guarantee]),
    margin=st.sampled_from([1, 20]),
    after=st.sampled_from(After),
    covers=st.sampled_from([EVERY, EVERY, SUCCESS]),
    concurrent_use=st.sampled_from([ConcurrentUse.PROTECTED, ConcurrentUse.PROTECTED, ConcurrentUse.UNDOCUMENTED]),
    repeat_while_pending=st.booleans(),
    pending_fresh_for=st.sampled_from([None, 10, 1000]),
    min_interval=st.sampled_from([0, 50]),
    closure=st.sampled_from(ClosureCovers),
    stated=st.booleans(),
)
SAID = st.lists(
    st.sampled_from(
        [
            pending(30),
            pending(95),
            accepted(20),
            absent(60),
            closed(50),
            refused(40),
            kept(30, until=70),
            kept(30, until=500),
            lost(35),
            attempt(45, "a2"),
        ]
    ),
    max_size=4,
    unique=True,
)
_RANK = {Protection.ABSENT: 0, Protection.UNESTABLISHED: 1, Protection.ACTIVE: 2}


def made(terms: dict[str, Any]) -> Contract:
    told = dict(terms)
    number = not isinstance(told["guaranteed_for"], Guarantee)
    if not told.pop("stated") and not number:
        told["margin"] = None
    return contract(**told)


def standing(under: Contract, said: list[Event]):
    events = (attempt(), *said)
    return infer(
        Facts(contract=under, operation=Operation(attempts_complete=True, identity_known=True), events=events), now=100
    )


@given(TERMS, TERMS, SAID)
def test_the_weaker_promise_protects_no_longer_than_either(first, current, said):
    one, other = made(first), made(current)
    governed = standing(weaker(one, current=other), said)
    for alone in (standing(one, said), standing(other, said)):
        assert _RANK[governed.protection] <= _RANK[alone.protection]
        if governed.protection is Protection.ACTIVE and alone.protection_until is not None:
            assert governed.protection_until is not None
            assert governed.protection_until <= alone.protection_until


@given(TERMS, TERMS, SAID)
def test_what_sends_is_permitted_only_where_both_promises_permit_it(first, current, said):
    one, other = made(first), made(current)
    alone = [standing(one, said), standing(other, said)]
    if any(found.conflict for found in alone):
        return  # what contradicts the one promise need not contradict the weaker
    governed = permitted(standing(weaker(one, current=other), said))
    for found in alone:
        both = permitted(found)
        for action in (Action.REPEAT, Action.PROPOSE_NEW):
            assert governed[action] is not None or both[action] is None


@given(TERMS)
def test_one_promise_is_as_weak_as_itself(terms):
    same = made(terms)
    assert weaker(same, current=same) == same


def test_it_does_not_matter_for_a_promise_which_came_first():
    values = list(product((None, 10), (UNDOCUMENTED, UNLIMITED), Mechanism))
    for left, right in product(values, values):
        one, other = (contract(margin=m, guaranteed_for=g, mechanism=k) for m, g, k in (left, right))
        assert weaker(one, current=other) == weaker(other, current=one)
