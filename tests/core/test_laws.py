"""Laws that hold for all facts: what may not matter does not, and losing a promise never opens a door."""

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from operations.core.actions import Action
from operations.core.advice import advice
from operations.core.consequences import consequences
from operations.core.facts import (
    Claim,
    ClosureCovers,
    ConcurrentUse,
    Correlation,
    Covers,
    Guarantee,
    Mechanism,
    Observation,
)
from operations.core.permitted import Kind, permitted
from operations.core.scenario import answer_of
from operations.core.sifting import date_of
from operations.core.standing import Evidence, Finality, Situation, infer
from tests.core.strategies import NOW, facts, observations

law = settings(max_examples=400, deadline=None)
INDEXED = ("not_counted",)


def known(found, now=NOW):
    """The answer without what names an event by its place, and without which of several like histories is shown."""
    answer: dict[str, Any] = answer_of(found, now=now)
    refusals = {action: refusal["kind"] for action, refusal in answer["refusals"].items()}
    return {**{key: value for key, value in answer.items() if key not in INDEXED}, "refusals": refusals}


def permits(found, now=NOW):
    return {action for action, refusal in permitted(infer(found, now=now)).items() if refusal is None}


def counted(found, now=NOW):
    """The indices of the observations that count."""
    settles_nothing = {index for index, _ in infer(found, now=now).not_counted}
    return [index for index, _ in found.observations if index not in settles_nothing]


@law
@given(facts(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(found, random):
    shuffled = list(found.events)
    random.shuffle(shuffled)
    assert known(replace(found, events=tuple(shuffled))) == known(found)


@law
@given(facts(), st.integers(0, 10))
def test_an_observation_that_comes_later_says_the_same_at_the_same_date(found, delay):
    delayed = tuple(
        replace(event, at=event.at + delay, as_of=date_of(event, now=NOW)) if isinstance(event, Observation) else event
        for event in found.events
    )
    assert known(replace(found, events=delayed)) == known(found)


@law
@given(facts(), observations)
def test_an_observation_that_does_not_count_changes_only_the_list_of_those(found, more):
    extended = replace(found, events=(*found.events, more))
    assume(len(found.events) not in counted(extended))
    assert known(extended) == known(found)
    assert infer(extended, now=NOW).not_counted[:-1] == infer(found, now=NOW).not_counted


@law
@given(facts(), st.data())
def test_replaying_an_observation_changes_nothing(found, data):
    assume(found.observations)
    _, seen = data.draw(st.sampled_from(found.observations))
    again = replace(seen, at=seen.at + 1, as_of=date_of(seen, now=NOW))
    assert known(replace(found, events=(*found.events, again))) == known(found)


WEAKER = [
    {"mechanism": Mechanism.NONE},
    {"mechanism": Mechanism.UNDOCUMENTED},
    {"guaranteed_for": Guarantee.UNDOCUMENTED},
    {"covers": Covers.UNDOCUMENTED},
    {"concurrent_use": ConcurrentUse.UNDOCUMENTED},
]


@law
@given(facts(), st.sampled_from(WEAKER))
def test_a_weaker_promise_never_permits_more(found, weaker):
    contract = found.contract
    less = replace(found, contract=replace(contract, protection=replace(contract.protection, **weaker)))
    assert permits(less) <= permits(found)


@law
@given(facts())
def test_the_recipient_dropping_the_request_number_never_permits_more(found):
    lost = replace(found, events=(*found.events, settling(Claim.PROTECTION_LOST, NOW)))
    assert permits(lost) <= permits(found)


def settling(says, at):
    """An observation that counts."""
    return Observation(at=at, channel="ledger", says=says, authentic=True, correlation=Correlation.OPERATION)


@law
@given(facts(), st.integers(0, NOW), st.booleans())
def test_a_pending_on_an_unordered_channel_never_regresses_what_is_settled(found, date, identity):
    covers = ClosureCovers.IDENTITY if identity else ClosureCovers.EARLIER_ATTEMPTS
    found = replace(
        found,
        contract=replace(found.contract, closure=replace(found.contract.closure, covers=covers)),
        events=(*found.events, settling("closed" if identity else "applied", NOW)),
    )
    before = infer(found, now=NOW)
    assume(before.conflict is None)
    late = Observation(
        at=NOW,
        as_of=date,
        channel="webhook",
        says=Claim.PENDING,
        authentic=True,
        correlation=Correlation.OPERATION,
    )
    after = infer(replace(found, events=(*found.events, late)), now=NOW)
    assert (after.evidence, after.finality, after.conflict) == (before.evidence, before.finality, None)


BY_TIME = {"protection", "protection_until", "protection_reason", "permitted", "refusals", "missing"}


@law
@given(facts(), st.integers(1, 2000))
def test_time_alone_changes_protection_freshness_and_pacing_and_nothing_else(found, later):
    latest = max([event.at for event in found.events], default=0)
    now = max(NOW, latest)
    before, after = infer(found, now=now), infer(found, now=now + later)
    first, second = known(found, now), known(found, now + later)
    if before.evidence is Evidence.PENDING and after.evidence is not Evidence.PENDING:
        assert found.contract.protection.pending_fresh_for is not None
        assert after.situation is Situation.OPEN
        first, second = ({**seen, "evidence": None} for seen in (first, second))
    assert {key: first[key] for key in first.keys() - BY_TIME} == {key: second[key] for key in second.keys() - BY_TIME}
    assert after.situation is before.situation


@law
@given(facts(), st.integers(1, 2000))
def test_time_alone_opens_nothing_but_a_repeat_that_waited_for_manners(found, later):
    now = max(NOW, max([event.at for event in found.events], default=0))
    before = permitted(infer(found, now=now))
    for action in permits(found, now + later) - permits(found, now):
        refusal = before[action]
        assert refusal is not None
        assert (action, refusal.kind) == (Action.REPEAT, Kind.MANNERS)


@settings(law, suppress_health_check=[HealthCheck.filter_too_much])
@given(facts(), st.sampled_from([30, 60, 1000, Guarantee.UNLIMITED]), st.sampled_from([None, 4, 20, 100]))
def test_until_is_when_the_answer_changes(found, guaranteed_for, fresh_for):
    terms = replace(
        found.contract.protection,
        mechanism=Mechanism.KEY,
        guaranteed_for=guaranteed_for,
        covers=Covers.EVERY_OUTCOME,
        concurrent_use=ConcurrentUse.PROTECTED,
        pending_fresh_for=fresh_for,
        min_interval=found.contract.protection.min_interval or 20,
    )
    found = replace(found, contract=replace(found.contract, protection=terms))
    now = max(NOW, max([event.at for event in found.events], default=0))
    refusal = permitted(infer(found, now=now))[Action.REPEAT]
    assume(refusal is not None and refusal.until is not None)
    assert refusal is not None  # for the type checker, which assume tells nothing
    assert refusal.until is not None
    half_way, beyond = (now + refusal.until) / 2, refusal.until + 1e-6
    meanwhile = permitted(infer(found, now=half_way))[Action.REPEAT]
    assert meanwhile is not None
    assert (meanwhile.kind, meanwhile.until) == (Kind.MANNERS, refusal.until)
    after = permitted(infer(found, now=beyond))[Action.REPEAT]
    assert after is None or after.kind is not Kind.MANNERS


@law
@given(facts())
def test_a_refusal_for_harm_shows_in_the_consequences_and_a_permission_does_not(found):
    standing = infer(found, now=NOW)
    rows = consequences(found, NOW)
    for action in (Action.REPEAT, Action.PROPOSE_NEW):
        refusal = permitted(standing)[action]
        gains = [row for row in rows if row.of(action) not in (0, 1, row.stop)]
        if refusal is None:
            assert not gains
        elif refusal.kind is Kind.HARM:
            assert gains


@law
@given(facts())
def test_what_is_settled_is_the_same_in_every_history(found):
    standing = infer(found, now=NOW)
    rows = consequences(found, NOW)
    assert 1 <= len(rows) <= 36
    if standing.finality is Finality.SETTLED:
        assert all(row.history.acted for row in rows)
    if standing.finality is Finality.EXCLUDED:
        assert not any(row.history.acted + row.history.may_act for row in rows)


@law
@given(facts())
def test_advice_orders_what_is_permitted_and_adds_nothing(found):
    standing = infer(found, now=NOW)
    verdict = permitted(standing)
    steps = [step.action for step in advice(standing, verdict)]
    assert sorted(steps) == sorted(permits(found))
    assert Action.EXCEPT not in steps[:-1]
