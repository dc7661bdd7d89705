"""Closing an original is for what is open, one request at a time, and what only closes another has no more than that one."""

from itertools import product
from typing import Any

import pytest

from operations.core.actions import Action
from operations.core.closing import (
    Closing,
    ClosingBar,
    Linked,
    Request,
    is_open,
    permitted_of,
    permitted_to,
    refused,
    stands_for_another,
    to_close,
)
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
from operations.core.protection import Protection
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


NOW = 10
ENDED = {Situation.APPLIED, Situation.CLOSED}


def request(situation=Situation.OPEN, *, protection=Protection.ACTIVE, until=None, sending=False, leave=None):
    return Request(
        situation=situation, protection=protection, protection_until=until, sending=sending, leave_until=leave
    )


# Whether a closing request may still be sent, or what became of it is not known: by what is known of it, and whether
# this desk is told to send it or an agent may.
@pytest.mark.parametrize(
    ("situation", "sending", "leave", "expected"),
    [
        (Situation.OPEN, False, None, True),
        (Situation.CONFLICT, False, None, True),
        (Situation.NOTHING_CAN_ACT, False, None, False),
        (Situation.NOTHING_CAN_ACT, True, None, True),
        (Situation.NOTHING_CAN_ACT, False, NOW + 1, True),
        (Situation.NOTHING_CAN_ACT, False, NOW, False),  # leave ends before its end
        (Situation.APPLIED, True, NOW + 1, False),
        (Situation.CLOSED, True, NOW + 1, False),
    ],
)
def test_a_closing_request_is_open_while_it_may_be_sent_or_its_outcome_is_not_known(
    situation, sending, leave, expected
):
    assert is_open(request(situation, sending=sending, leave=leave), now=NOW) is expected


@pytest.mark.parametrize("situation", [one for one in Situation if one not in ENDED])
@pytest.mark.parametrize("protection", list(Protection))
def test_one_that_waits_to_be_sent_keeps_another_from_being_sent(situation, protection):
    for waiting in (
        request(situation, protection=protection, sending=True),
        request(situation, protection=protection, leave=NOW + 1),
    ):
        assert stands_for_another(waiting, now=NOW)


# One that went out is the question to ask again only while that is harmless.
@pytest.mark.parametrize(
    ("situation", "protection", "until", "expected"),
    [
        (Situation.OPEN, Protection.ACTIVE, None, True),
        (Situation.OPEN, Protection.ACTIVE, NOW + 1, True),
        (Situation.OPEN, Protection.ACTIVE, NOW, False),
        (Situation.OPEN, Protection.UNESTABLISHED, None, False),
        (Situation.OPEN, Protection.ABSENT, None, False),
        (Situation.CONFLICT, Protection.ACTIVE, None, True),
        (Situation.NOTHING_CAN_ACT, Protection.ACTIVE, None, False),
    ],
)
def test_one_that_went_out_keeps_another_from_being_sent_while_it_can_be_sent_again(
    situation, protection, until, expected
):
    assert stands_for_another(request(situation, protection=protection, until=until), now=NOW) is expected


@pytest.mark.parametrize("situation", sorted(ENDED))
def test_one_that_ended_keeps_nobody_from_another(situation):
    assert not stands_for_another(request(situation, sending=True, leave=NOW + 1), now=NOW)


@pytest.mark.parametrize(("situation", "requests"), list(product(REFUSED, ((), (request(),)))))
def test_what_is_settled_or_contradicted_is_not_closed(situation, requests):
    kind, bar = REFUSED[situation]
    found = to_close(standing(situation), requests=requests)
    assert found is not None
    assert (found.kind, found.sentence, found.rule) == (kind, bar.sentence, f"{situation}: close_original: {bar}")
    assert (found.witness, found.until) == (None, None)


@pytest.mark.parametrize("situation", list(REFUSED))
def test_what_was_sent_to_close_it_is_not_looked_at_where_that_decides_nothing(situation):
    unread = iter((request(until=NOW + 1),))
    assert to_close(standing(situation), requests=unread) is not None
    assert len(list(unread)) == 1


def test_while_another_closing_request_stands_for_it_none_is_sent():
    found = to_close(standing(Situation.OPEN), requests=(request(Situation.CLOSED), request(until=NOW + 1)))
    assert found is not None
    assert (found.kind, found.sentence) == (Kind.MANNERS, ClosingBar.ANOTHER_OPEN.sentence)


@pytest.mark.parametrize("requests", [(), (request(Situation.CLOSED),), (request(until=NOW),)])
def test_what_is_open_may_be_closed(requests):
    assert to_close(standing(Situation.OPEN), requests=requests) is None


@pytest.mark.parametrize(("situation", "action"), list(product(Situation, (Action.PROPOSE_NEW, Action.EXCEPT))))
def test_what_only_closes_another_is_carried_on_by_nothing(situation, action):
    here = standing(situation)
    found = permitted_to(here, original=standing(Situation.OPEN))[action]
    assert found is not None
    if permitted(here)[action] is not None:  # what the table says comes first
        assert found == permitted(here)[action]
        return
    assert (found.kind, found.sentence) == (Kind.SUCCESSOR, ClosingBar.CLOSES_ANOTHER.sentence)
    assert found.rule == f"{situation}: {action}: closes_another"


@pytest.mark.parametrize("original", list(REFUSED))
def test_what_closes_another_is_not_sent_again_once_that_may_not_be_closed(original):
    for situation in Situation:
        found = permitted_to(standing(situation), original=standing(original))[Action.REPEAT]
        assert found == to_close(standing(original), requests=())


@pytest.mark.parametrize("situation", list(Situation))
def test_while_the_original_may_be_closed_its_own_table_says_whether_it_is_sent_again(situation):
    here = standing(situation)
    assert permitted_to(here, original=standing(Situation.OPEN))[Action.REPEAT] == permitted(here)[Action.REPEAT]


@pytest.mark.parametrize("action", [Action.RECORD, Action.OBSERVE, Action.LEAVE_UNRESOLVED])
@pytest.mark.parametrize("situation", list(Situation))
def test_what_sends_nothing_and_makes_no_second_operation_is_not_refused_for_closing_another(situation, action):
    here = standing(situation)
    assert permitted_to(here, original=standing(Situation.APPLIED))[action] == permitted(here)[action]


@pytest.mark.parametrize("situation", list(Situation))
def test_what_closes_nothing_is_not_refused_for_it(situation):
    here = standing(situation)
    assert permitted_to(here, original=None) == permitted(here)


@pytest.mark.parametrize(("situation", "original"), list(product(Situation, (None, *Situation))))
def test_one_action_is_answered_as_in_the_whole_verdict(situation, original):
    other = None if original is None else standing(original)
    linked = Linked(original=other, requests=(request(),))
    verdict = permitted_of(standing(situation), linked=linked)
    assert list(verdict) == [*Action, Closing.CLOSE_ORIGINAL]
    for action, refusal in verdict.items():
        assert refused(standing(situation), action, linked=linked) == refusal


def test_the_answer_of_what_closes_another_is_that_of_its_own_verdict():
    here, original = standing(Situation.NOTHING_CAN_ACT), standing(Situation.APPLIED)
    alone: Any = answer(here)
    found: Any = answer(here, original=original)
    assert Action.REPEAT in alone["permitted"]
    assert found["permitted"] == [Action.OBSERVE, Action.RECORD]
    assert found["refusals"][Action.REPEAT]["reason"] == ClosingBar.HAPPENED.sentence


def test_every_situation_is_answered():
    assert {*REFUSED, Situation.OPEN} == set(Situation) == set(EVENTS)


def test_it_is_none_of_the_six_actions_and_leaves_their_answer_as_it_is():
    assert Closing.CLOSE_ORIGINAL.value not in {action.value for action in Action}
    found = standing(Situation.OPEN)
    assert set(permitted(found)) == set(Action)
    assert "close_original" not in str(answer(found))
