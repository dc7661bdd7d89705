"""Closing an original is for what is open: every situation, with and without another closing request that is open."""

from itertools import product

import pytest

from operations.core.actions import Action
from operations.core.closing import Closing, ClosingBar, in_its_place, to_close
from operations.core.facts import (
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    Contract,
    Correlation,
    Facts,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
)
from operations.core.permitted import Kind, permitted
from operations.core.scenario import answer
from operations.core.standing import Situation, infer

TERMS = Contract(
    protection=ProtectionTerms(),
    closure=Closure(covers=ClosureCovers.IDENTITY),
    channels={"record": Channel(authority=Authority.HISTORY, reads=Reads.STRONG)},
)


def said(claim, at):
    return Observation(
        at=at, channel="record", says=claim, authentic=True, correlation=Correlation.OPERATION, effect_ref=None
    )


SENT = Attempt(at=0, id="a1", sends=Sends.ONE)
EVENTS = {
    Situation.OPEN: (SENT,),
    Situation.APPLIED: (SENT, said("applied", 5)),
    Situation.CLOSED: (SENT, said("closed", 5)),
    Situation.CONFLICT: (SENT, said("applied", 5), said("closed", 6)),
    Situation.NOTHING_CAN_ACT: (),
}
# What semantics.md says nothing of, read from the situations: what is open may be closed, one request at a time.
REFUSED = {
    Situation.CONFLICT: (Kind.CONFLICT, ClosingBar.CONTRADICTION),
    Situation.APPLIED: (Kind.SETTLED, ClosingBar.HAPPENED),
    Situation.CLOSED: (Kind.SETTLED, ClosingBar.CLOSED),
    Situation.NOTHING_CAN_ACT: (Kind.SETTLED, ClosingBar.NOTHING_TO_CLOSE),
}


def standing(situation):
    facts = Facts(
        contract=TERMS, operation=Operation(attempts_complete=True, identity_known=True), events=EVENTS[situation]
    )
    found = infer(facts, now=10)
    assert found.situation is situation
    return found


@pytest.mark.parametrize(("situation", "another_open"), list(product(REFUSED, (False, True))))
def test_what_is_settled_or_contradicted_is_not_closed(situation, another_open):
    kind, bar = REFUSED[situation]
    found = to_close(standing(situation), another_open=another_open)
    assert found is not None
    assert (found.kind, found.sentence, found.rule) == (kind, bar.sentence, f"{situation}: close_original: {bar}")
    assert (found.witness, found.until) == (None, None)


def test_while_another_closing_request_is_open_none_is_sent():
    found = to_close(standing(Situation.OPEN), another_open=True)
    assert found is not None
    assert (found.kind, found.sentence) == (Kind.MANNERS, ClosingBar.ANOTHER_OPEN.sentence)


def test_what_is_open_may_be_closed():
    assert to_close(standing(Situation.OPEN), another_open=False) is None


@pytest.mark.parametrize(("situation", "action"), list(product(Situation, (Action.PROPOSE_NEW, Action.EXCEPT))))
def test_what_only_closes_another_is_carried_on_by_nothing(situation, action):
    found = in_its_place(standing(situation), action, closes_another=True)
    assert found is not None
    assert (found.kind, found.sentence) == (Kind.SUCCESSOR, ClosingBar.CLOSES_ANOTHER.sentence)
    assert found.rule == f"{situation}: {action}: closes_another"


@pytest.mark.parametrize("action", [Action.RECORD, Action.OBSERVE, Action.REPEAT, Action.LEAVE_UNRESOLVED])
def test_what_makes_no_second_operation_is_not_refused_for_closing_another(action):
    assert in_its_place(standing(Situation.OPEN), action, closes_another=True) is None


@pytest.mark.parametrize("action", list(Action))
def test_what_closes_nothing_is_not_refused_for_it(action):
    assert in_its_place(standing(Situation.OPEN), action, closes_another=False) is None


def test_every_situation_is_answered():
    assert {*REFUSED, Situation.OPEN} == set(Situation) == set(EVENTS)


def test_it_is_none_of_the_six_actions_and_leaves_their_answer_as_it_is():
    assert Closing.CLOSE_ORIGINAL.value not in {action.value for action in Action}
    found = standing(Situation.OPEN)
    assert set(permitted(found)) == set(Action)
    assert "close_original" not in str(answer(found))
