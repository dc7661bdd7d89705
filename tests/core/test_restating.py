"""Laws of what may be left out of a long record: whatever of it is left out, everything that is concluded stays the same."""

from dataclasses import replace
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from operations.core.advice import advice
from operations.core.conflicts import ConflictKind
from operations.core.consequences import consequences
from operations.core.facts import (
    Attempt,
    Claim,
    Contract,
    Correlation,
    Event,
    Facts,
    Observation,
    Operation,
)
from operations.core.fates import late_copies
from operations.core.missing import missing
from operations.core.permitted import permitted
from operations.core.scenario import answer
from operations.core.standing import infer
from tests.core.restated import deciding, without
from tests.core.strategies import CHANNELS, NOW, long_records

law = settings(max_examples=1000, deadline=None)


def concluded(facts: Facts, now: float) -> dict[str, Any]:
    """Everything that is said of an operation, but for what names an event by its place."""
    standing = infer(facts, now=now)
    verdict = permitted(standing)
    return {
        "standing": standing,
        "verdict": verdict,
        "advice": advice(standing, verdict),
        "missing": missing(standing),
        "consequences": consequences(facts, now),
        "late": late_copies(standing),
        "answer": {**answer(standing), "not_counted": None},
    }


def same(facts: Facts, left_out: set[int], now: float) -> None:
    fewer, before = without(facts, left_out)
    whole, part = concluded(facts, now), concluded(fewer, now)
    exact = max((one.at for _, one in facts.observations), default=0) <= now
    grounds = whole["standing"].grounds
    if exact:
        told = [
            (ground.terms, tuple([before[at] for at in ground.observations])) for ground in part["standing"].grounds
        ]
        assert told == [(ground.terms, ground.observations) for ground in grounds]
        reasons = {before[index]: why for index, why in part["standing"].not_counted}
        assert reasons == {at: why for at, why in whole["standing"].not_counted if at not in left_out}
    else:
        assert [ground.terms for ground in part["standing"].grounds] == [ground.terms for ground in grounds]
    part["standing"] = replace(part["standing"], grounds=grounds)
    assert part == whole


@law
@given(long_records(), st.randoms(use_true_random=False), st.sampled_from([NOW, NOW + 5, NOW + 30, 20]))
def test_whatever_does_not_decide_may_be_left_out_or_kept(facts, random, now):
    spared = set(range(len(facts.events))) - set(deciding(facts))
    event(f"left out: {min(len(spared) // 4 * 4, 12)}")
    same(facts, spared, now)
    same(facts, {index for index in spared if random.random() < 0.5}, now)


def pending(*moments: float) -> list[Observation]:
    say = Observation(at=0, channel="ledger", says=Claim.PENDING, authentic=True, correlation=Correlation.OPERATION)
    return [replace(say, at=at) for at in moments]


def refused(attempt: str, *, at: float) -> Observation:
    return replace(pending(at)[0], says=Claim.ATTEMPT_REFUSED, attempt=attempt, covers_copies=True)


def record(*events: Event) -> Facts:
    """A whole record: everything that was sent is on it."""
    return Facts(contract=Contract(channels=CHANNELS), operation=Operation(attempts_complete=True), events=events)


def test_a_report_between_two_refused_attempts_decides_though_it_is_neither_the_first_nor_the_last():
    sent, said = [Attempt(at=1, id="a1"), Attempt(at=10, id="a2")], [refused("a1", at=5), refused("a2", at=20)]
    facts = record(*sent, *said, *pending(3, 3.5, 7, 14, 15, 16))
    assert deciding(facts) == [0, 1, 2, 3, 4, 5, 6, 7, 9]
    assert infer(facts, now=NOW).conflict == ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED
    assert infer(without(facts, {6})[0], now=NOW).conflict is None
    same(facts, {8}, NOW)


def test_the_report_that_is_named_as_a_ground_is_the_first_on_record_that_no_attempt_explains():
    closed = replace(pending(2)[0], says=Claim.CLOSED)
    facts = record(closed, Attempt(at=10, id="a1"), *pending(15, 8, 7))
    assert infer(facts, now=NOW).grounds.evidence.observations == (3, 0)
    assert deciding(facts) == [0, 1, 2, 3, 4]


def test_of_five_thousand_answers_that_say_the_same_two_decide():
    facts = record(*pending(*range(5000)))
    assert deciding(facts) == [0, 4999]
