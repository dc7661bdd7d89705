"""In worlds drawn at random, the core never claims what is not so and never permits what would act twice."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from operations.core.actions import Action
from operations.core.conflicts import ConflictKind
from operations.core.facts import ClosureCovers
from operations.core.permitted import permitted
from operations.core.standing import Evidence, Finality, FurtherEffect, Standing, infer
from tests.simulator.drawn import NOW, UNKNOWN, Drawn, drawn, repeated
from tests.simulator.recipient import Recipient

EXAMPLES = settings(max_examples=max(500, settings().max_examples))  # more under --hypothesis-profile=search
EXPLAINED = (ConflictKind.APPLIED_AND_CLOSED, ConflictKind.ACTIVE_AFTER_CLOSED)


def standing_of(found: Drawn) -> Standing:
    return infer(found.facts, now=NOW)


def effects(found: Drawn) -> list[float]:
    return [effect.at for effect in Recipient(found.world).effects]


def newest_absence(standing: Standing) -> float:
    return max(dated.at for dated in standing.weighed.said.absent)


@EXAMPLES
@given(drawn())
def test_an_honest_recipient_is_never_said_to_contradict_itself(found: Drawn) -> None:
    conflict = standing_of(found).conflict
    covers = found.facts.contract.closure.covers
    unknown = any(one.name in UNKNOWN for one in found.world.submissions)
    corner = covers is ClosureCovers.EARLIER_ATTEMPTS and unknown and conflict in EXPLAINED  # Corner.UNRECORDED
    assert conflict is None or corner


@EXAMPLES
@given(drawn())
def test_what_is_established_is_so(found: Drawn) -> None:
    standing, happened = standing_of(found), effects(found)
    if standing.evidence is Evidence.APPLIED:
        assert happened
        assert happened[0] <= NOW
    elif standing.finality is Finality.EXCLUDED:
        assert happened == []
    elif standing.evidence is Evidence.NOT_APPLIED:
        assert [at for at in happened if at <= newest_absence(standing)] == []


@EXAMPLES
@given(drawn())
def test_what_is_pending_or_possible_had_arrived(found: Drawn) -> None:
    standing = standing_of(found)
    if standing.evidence is Evidence.PENDING or standing.finality is Finality.POSSIBLE:
        assert any(moment <= NOW for moment, _ in Recipient(found.world).received)


@EXAMPLES
@given(drawn())
def test_a_further_effect_that_is_excluded_does_not_come(found: Drawn) -> None:
    if standing_of(found).further_effect is FurtherEffect.EXCLUDED:
        dropped = found.world.store is not None and found.world.store.dropped <= NOW
        assert len(effects(found)) == 1 or dropped  # Corner.WITHDRAWN


@EXAMPLES
@given(drawn(), st.integers(0, 9), st.sampled_from((0, 5, 300)))
def test_a_permitted_repeat_gains_no_second_effect(found: Drawn, takes: int, lasts: int) -> None:
    standing = standing_of(found)
    margin = found.facts.contract.protection.margin or 0
    if permitted(standing)[Action.REPEAT] is not None:
        return
    arrives = NOW + min(takes, max(margin - 1, 0))
    after = len(Recipient(repeated(found, arrives=arrives, acts=arrives + lasts)).effects)
    assume(not straggles(found, standing))
    assert after <= max(1, len(effects(found)))


def straggles(found: Drawn, standing: Standing) -> bool:
    """Corner.STRAGGLER: a copy arrives after the end that the recipient stated."""
    said = standing.weighed.said
    ends = [until for _, until in said.kept]
    copies = [copy.arrives for one in found.world.submissions for copy in one.copies]
    return bool(ends) and max(copies, default=0) >= max(ends)


@EXAMPLES
@given(drawn())
def test_a_new_operation_is_permitted_only_where_nothing_ever_acts(found: Drawn) -> None:
    if permitted(standing_of(found))[Action.PROPOSE_NEW] is None:
        assert effects(found) == []
