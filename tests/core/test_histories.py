"""The histories are the few that a person can tell apart, and each cell counts the most effects that could exist."""

import pytest

from operations.core.actions import Action
from operations.core.consequences import consequences
from operations.core.facts import (
    After,
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
    Successor,
    SuccessorState,
)
from operations.core.histories import HistoryKind, histories
from operations.core.standing import infer

LEDGER = Channel(authority=Authority.HISTORY, reads=Reads.STRONG)
CLIENT = Channel(authority=Authority.CLIENT)
KEY = {
    "mechanism": Mechanism.KEY,
    "guaranteed_for": 1000,
    "margin": 10,
    "covers": Covers.EVERY_OUTCOME,
    "concurrent_use": ConcurrentUse.PROTECTED,
}
NONE = {"mechanism": Mechanism.NONE}


def facts(*events, sealed=True, closure=ClosureCovers.EARLIER_ATTEMPTS, **terms):
    return Facts(
        contract=Contract(
            protection=ProtectionTerms(**terms),
            closure=Closure(covers=closure),
            channels={"ledger": LEDGER, "client": CLIENT},
        ),
        operation=Operation(attempts_complete=sealed, identity_known=True),
        events=events,
    )


def sent(at=0, name="a1", sends=Sends.ONE, scope="live"):
    return Attempt(at=at, id=name, sends=sends, scope=scope)


def said(says, at, channel="ledger", **more):
    return Observation(at=at, channel=channel, says=says, authentic=True, correlation=Correlation.OPERATION, **more)


def told(found, now=100):
    """Each history's word with its cells: stop, repeat, repeat after the window, new."""
    return {
        row.history.kind.value: (row.stop, row.repeat, row.repeat_after_window, row.propose_new)
        for row in consequences(found, now)
    }


def test_nothing_sent():
    assert told(facts(**KEY)) == {"nothing_sent": (0, 1, 1, 1)}


def test_an_attempt_that_never_left_leaves_one_history():
    never = facts(sent(), said("not_sent", 5, "client", attempt="a1"), **NONE)
    assert told(never) == {"never_left": (0, 1, None, 1)}


def test_a_refused_attempt_leaves_one_history_and_the_same_bytes_would_be_refused_again():
    refused = facts(sent(), said("attempt_refused", 5, attempt="a1", covers_copies=True), **KEY)
    assert told(refused) == {"refused": (0, 0, 0, 1)}


@pytest.mark.parametrize(("covers", "repeat"), [("identity", 0), ("earlier_attempts", 1)])
def test_after_a_closure_a_repeat_acts_only_if_it_covers_no_more_than_earlier_attempts(covers, repeat):
    closed = facts(sent(), said("closed", 5), closure=ClosureCovers(covers), **KEY)
    assert told(closed) == {"closed": (0, repeat, repeat, 1)}


def test_an_unknown_outcome_under_protection():
    assert told(facts(sent(), **KEY)) == {
        "request_lost": (0, 1, 1, 1),
        "under_way": (1, 1, "unknown", 2),
        "reply_lost": (1, 1, "unknown", 2),
    }


@pytest.mark.parametrize(("after", "later"), [("runs_as_new", 2), ("undocumented", "unknown"), ("refused", None)])
def test_after_the_window_the_contract_says_what_a_repeat_does(after, later):
    assert told(facts(sent(), **KEY, after=After(after)))["reply_lost"] == (1, 1, later, 2)


def test_a_stated_end_is_an_end_even_where_a_late_repeat_is_refused():
    kept = facts(sent(), said("protection_until", 5, until=500), **KEY, after=After.REFUSED)
    assert told(kept)["reply_lost"] == (1, 1, 1, 2)


def test_an_endless_protection_has_no_later_column():
    endless = facts(sent(), **{**KEY, "guaranteed_for": Guarantee.UNLIMITED})
    assert told(endless)["reply_lost"] == (1, 1, None, 2)


def test_an_unknown_outcome_at_a_recipient_without_protection():
    assert told(facts(sent(), **NONE)) == {
        "request_lost": (0, 1, None, 1),
        "under_way": (1, 2, None, 2),
        "reply_lost": (1, 2, None, 2),
    }


@pytest.mark.parametrize(("after", "repeat"), [("runs_as_new", 2), ("undocumented", "unknown")])
def test_a_lapsed_guarantee_is_counted_as_far_as_the_contract_says(after, repeat):
    assert told(facts(sent(), **KEY, after=After(after)), now=2000)["reply_lost"] == (1, repeat, None, 2)


def test_a_withdrawn_request_number_runs_as_new():
    assert told(facts(sent(), said("protection_lost", 50), **KEY))["reply_lost"] == (1, 2, None, 2)


def test_an_undocumented_protection_bounds_nothing():
    assert told(facts(sent()))["reply_lost"] == (1, "unknown", None, 2)


def test_what_was_reported_under_way_was_not_lost():
    reported = facts(sent(), said("pending", 5), **KEY)
    assert told(reported) == {
        "came_to_nothing": (0, 0, 1, 1),
        "under_way": (1, 1, "unknown", 2),
        "reply_lost": (1, 1, "unknown", 2),
    }


def test_without_protection_what_came_to_nothing_runs_anew():
    assert told(facts(sent(), said("pending", 5), **NONE))["came_to_nothing"] == (0, 1, None, 1)


def test_a_read_of_this_moment_leaves_no_history_in_which_it_acted():
    assert set(told(facts(sent(), said("absent", 100), **NONE))) == {"request_lost", "under_way"}


def test_two_attempts_without_protection_may_both_act():
    assert told(facts(sent(), sent(5, "a2"), **NONE)) == {
        "request_lost": (0, 1, None, 1),
        "under_way": (1, 2, None, 2),
        "reply_lost": (1, 2, None, 2),
        "acted_twice": (2, 2, None, 2),
        "acted_and_may_again": (2, 2, None, 2),
        "two_under_way": (2, 2, None, 2),
    }


def test_two_attempts_read_as_absent_this_moment_may_both_still_act():
    kinds = set(told(facts(sent(), sent(5, "a2"), said("absent", 100), **NONE)))
    assert kinds == {"request_lost", "under_way", "two_under_way"}


def test_a_sender_that_resends_by_itself_may_act_twice():
    assert "acted_twice" in told(facts(sent(sends=Sends.MANY), **NONE))


def test_attempts_under_one_protection_act_at_most_once_together():
    assert set(told(facts(sent(), sent(5, "a2"), **KEY))) == {"request_lost", "under_way", "reply_lost"}


def test_attempts_in_two_scopes_are_not_collapsed():
    assert "acted_twice" in told(facts(sent(), sent(5, "a2", scope="other"), **KEY))


def test_a_record_that_is_not_complete_adds_what_is_not_on_record():
    assert set(told(facts(sent(), sealed=False, **KEY))) == {
        "request_lost",
        "under_way",
        "reply_lost",
        "off_record_acted",
        "off_record_under_way",
        "acted_twice",
        "acted_and_may_again",
        "two_under_way",
    }


def test_where_nothing_is_on_record_something_off_it_may_act():
    assert set(told(facts(sealed=False, **KEY))) == {"nothing_sent", "off_record_acted", "off_record_under_way"}


def test_a_closure_of_all_that_is_on_record_leaves_what_is_not():
    closed = facts(sent(), said("closed", 5), sealed=False, **KEY)
    assert told(closed) == {
        "closed": (0, 1, None, 1),
        "off_record_acted": (1, "unknown", None, 2),
        "off_record_under_way": (1, "unknown", None, 2),
    }


def test_what_happened_once_and_can_not_happen_again_is_one_history():
    assert told(facts(sent(), said("applied", 5), **KEY)) == {"acted": (1, 1, "unknown", 2)}


def test_what_happened_may_happen_again_where_nothing_collapses_the_copies():
    assert told(facts(sent(), sent(2, "a2"), said("applied", 5), **NONE)) == {
        "acted": (1, 2, None, 2),
        "acted_twice": (2, 2, None, 2),
        "acted_and_may_again": (2, 2, None, 2),
    }


def test_two_named_effects_are_two():
    twice = facts(
        sent(), sent(2, "a2"), said("applied", 5, effect_ref="T-1"), said("applied", 6, effect_ref="T-2"), **NONE
    )
    assert told(twice) == {"acted_twice": (2, 2, None, 2)}


def test_a_contradiction_is_told_from_both_sides():
    both = facts(sent(), said("applied", 5), said("closed", 6), closure=ClosureCovers.IDENTITY, **KEY)
    assert [(row.history.kind.value, row.history.assuming) for row in consequences(both, 100)] == [
        ("acted", "If the report that it happened is right"),
        ("closed", "If the report that it ended without effect is right"),
    ]


@pytest.mark.parametrize(
    ("events", "kinds"),
    [
        # gone from the record: it happened, or had not by then and may still
        ([sent(), said("applied", 5), said("absent", 50)], {"acted", "request_lost", "under_way", "reply_lost"}),
        # active after it was closed
        ([sent(), said("closed", 5), said("pending", 9)], {"closed", "came_to_nothing", "under_way", "reply_lost"}),
        # active although every attempt was refused
        (
            [sent(), said("attempt_refused", 5, attempt="a1", covers_copies=True), said("pending", 9)],
            {"refused", "came_to_nothing", "under_way", "reply_lost"},
        ),
        # it happened although every attempt was refused
        (
            [sent(), said("attempt_refused", 5, attempt="a1", covers_copies=True), said("applied", 9)],
            {"refused", "acted"},
        ),
    ],
)
def test_every_kind_of_contradiction_is_told_from_both_sides(events, kinds):
    found = facts(*events, **KEY)
    assert infer(found, now=100).conflict is not None
    assert {history.kind.value for history in histories(infer(found, now=100))} == kinds


def test_contradictions_within_contradictions_come_to_an_end():
    found = facts(
        sent(),
        said("applied", 5),
        said("absent", 50),
        said("closed", 60),
        said("pending", 70),
        said("attempt_refused", 80, attempt="a1", covers_copies=True),
        said("pending", 90),
        closure=ClosureCovers.IDENTITY,
        **KEY,
    )
    assert 2 <= len(histories(infer(found, now=100))) <= 24


def test_an_open_successor_may_act_too():
    carried = facts(sent(), Successor(at=50, id="s1", state=SuccessorState.OPEN), **NONE)
    assert told(carried)["request_lost"] == (1, 2, None, 2)
    assert told(carried)["reply_lost"] == (2, 2, None, 2)


def test_a_successor_that_ended_without_effect_adds_none():
    ended = facts(sent(), Successor(at=50, id="s1", state=SuccessorState.NO_EFFECT), **NONE)
    assert told(ended)["request_lost"] == (0, 1, None, 1)


def test_a_thousand_attempts_and_ten_thousand_observations_leave_a_few_histories():
    crowd = [sent(number / 1000, f"a{number}") for number in range(1000)]
    reads = [said("pending" if number % 2 else "absent", 2 + number / 1000) for number in range(10_000)]
    assert len(consequences(facts(*crowd, *reads, sealed=False, **NONE), 100)) <= 9


@pytest.mark.parametrize("action", Action)
def test_each_action_reads_its_own_column(action):
    row = next(row for row in consequences(facts(sent(), **NONE), 100) if row.history.kind is HistoryKind.REQUEST_LOST)
    assert row.of(action) == {Action.REPEAT: 1, Action.PROPOSE_NEW: 1, Action.EXCEPT: 1}.get(action, 0)


def test_every_history_of_an_attempt_names_who_acts():
    for history in histories(infer(facts(sent(), sent(5, "a2"), **NONE), now=100)):
        assert bool(history.actors) == bool(history.acted + history.may_act)
