"""A lost request and a lost reply leave the same record, the same answer, and a different number of effects.

This is what the desk is for: no cleverness in the core can tell the two apart, so it must not try.
"""

from typing import Any

import pytest

from operations.core.actions import Action
from operations.core.facts import (
    After,
    ConcurrentUse,
    Covers,
    Guarantee,
    Mechanism,
    ProtectionTerms,
)
from operations.core.permitted import permitted
from operations.core.scenario import answer_of
from operations.core.standing import Evidence, infer
from tests.simulator.recipient import Copy, Recipient, Store, Submission, World
from tests.simulator.wire import FOLLOW_UPS, FollowUp, Story, nothing_more, told, without_ids

NOW = 90
SURE: dict[str, Any] = {
    "mechanism": Mechanism.KEY,
    "covers": Covers.EVERY_OUTCOME,
    "concurrent_use": ConcurrentUse.PROTECTED,
}
TERMS = {
    "no protection": (ProtectionTerms(mechanism=Mechanism.NONE), None),
    "nothing documented": (ProtectionTerms(), Store()),
    "a window that is open": (ProtectionTerms(**SURE, guaranteed_for=1_000, margin=10), Store(keeps_for=1_000)),
    "a window that is over": (ProtectionTerms(**SURE, guaranteed_for=50, margin=10), Store(keeps_for=50)),
    "for ever": (ProtectionTerms(**SURE, guaranteed_for=Guarantee.UNLIMITED), Store()),
    "late repeats refused": (
        ProtectionTerms(**SURE, guaranteed_for=50, margin=10, after=After.REFUSED),
        Store(keeps_for=50, after_refused=True),
    ),
    "successes alone are kept": (
        ProtectionTerms(mechanism=Mechanism.KEY, covers=Covers.SUCCESS_ONLY, guaranteed_for=1_000, margin=10),
        Store(keeps_for=1_000, every_outcome=False),
    ),
}
pairs = pytest.mark.parametrize(
    ("terms", "follow_up"),
    [(terms, follow_up) for terms in TERMS for follow_up in FOLLOW_UPS],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)


def pair(terms: str, follow_up: FollowUp) -> tuple[Story, Story]:
    """The same story twice: the request is lost, the reply is lost."""
    protection, store = TERMS[terms]
    return told("request", protection, store, follow_up), told("reply", protection, store, follow_up)


@pairs
def test_the_records_are_equal_and_the_effects_are_not(terms: str, follow_up: FollowUp) -> None:
    request, reply = pair(terms, follow_up)
    assert without_ids(request.facts) == without_ids(reply.facts)
    assert (request.effects, reply.effects) == (0, 1)


@pairs
def test_the_answers_are_equal(terms: str, follow_up: FollowUp) -> None:
    request, reply = [answer_of(without_ids(story.facts), now=NOW) for story in pair(terms, follow_up)]
    assert request == reply
    assert request["evidence"] == Evidence.UNKNOWN


@pairs
def test_a_repeat_is_permitted_only_where_it_ends_both_with_one_effect(terms: str, follow_up: FollowUp) -> None:
    stories = pair(terms, follow_up)
    ends = [len(Recipient(repeated(story)).effects) for story in stories]
    allowed = [permitted(infer(story.facts, now=NOW))[Action.REPEAT] is None for story in stories]
    assert allowed[0] == allowed[1]
    assert not allowed[0] or max(ends) == 1


def repeated(story: Story) -> World:
    """What happens if the request goes out once more now."""
    repeat = Submission("again", NOW, (Copy(NOW + 1, acts=NOW + 1, kept=False),))
    return story.world._replace(submissions=(*story.world.submissions, repeat))


@pytest.mark.parametrize(("terms", "ends"), [("no protection", [1, 2]), ("a window that is over", [1, 2])])
def test_without_protection_a_repeat_doubles_the_one_that_acted(terms: str, ends: list[int]) -> None:
    stories = pair(terms, nothing_more)
    assert [len(Recipient(repeated(story)).effects) for story in stories] == ends


def test_only_an_accurate_read_of_the_record_tells_them_apart() -> None:
    request, reply = pair("no protection", nothing_more)
    for story in (request, reply):
        story.read(60, "ledger")
    assert infer(request.facts, now=NOW).evidence is Evidence.NOT_APPLIED
    assert infer(reply.facts, now=NOW).evidence is Evidence.APPLIED
