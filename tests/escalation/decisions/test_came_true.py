"""Whether a risk came true: the rule as a table over situations, and the database reading the same rule."""

from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest

from escalation.decisions.business_exception import use
from escalation.decisions.came_true import RULE, Score, score, scored
from escalation.models import BusinessException
from escalation.models.business_exception import Excuses, Loss
from escalation.policy import Role
from operations import recording
from operations.core.standing import Evidence, Finality, FurtherEffect
from tests.escalation.building import T0, Made, operation
from tests.escalation.decisions.risks import NOW, accepted, owner
from tests.escalation.people import with_role

MINUTE = timedelta(minutes=1)
HAPPENED = (Evidence.APPLIED, Finality.SETTLED)
RULED_OUT = (Evidence.NOT_APPLIED, Finality.EXCLUDED)
NOT_THERE = (Evidence.NOT_APPLIED, Finality.UNESTABLISHED)
UNDER_WAY = (Evidence.PENDING, Finality.POSSIBLE)
UNKNOWN = (Evidence.UNKNOWN, Finality.UNESTABLISHED)
NONE = (None, None)
SETTLED = (*HAPPENED, False, FurtherEffect.EXCLUDED)
MAY_AGAIN = (*HAPPENED, False, FurtherEffect.POSSIBLE)
DOUBLE = (*HAPPENED, True, FurtherEffect.POSSIBLE)


def known(loss, original, successor=NONE, *, taken=True):
    evidence, finality, duplicate, further = original if len(original) == 4 else (*original, False, None)
    return {
        "used_at__isnull": not taken,
        "loss": loss,
        "operation__evidence": evidence,
        "operation__finality": finality,
        "operation__duplicate_effect": duplicate,
        "operation__further_effect": further,
        "successor__isnull": successor == NONE,
        "successor__evidence": successor[0],
        "successor__finality": successor[1],
    }


CASES = [
    # feared: that it happens twice, and a second operation was created
    (Loss.TWICE, SETTLED, HAPPENED, Score.CAME_TRUE),
    (Loss.TWICE, MAY_AGAIN, HAPPENED, Score.CAME_TRUE),
    (Loss.TWICE, DOUBLE, RULED_OUT, Score.CAME_TRUE),  # the original alone happened twice
    (Loss.TWICE, DOUBLE, UNKNOWN, Score.CAME_TRUE),
    (Loss.TWICE, RULED_OUT, HAPPENED, Score.DID_NOT),
    (Loss.TWICE, RULED_OUT, UNKNOWN, Score.DID_NOT),  # one of the two can't happen: never both
    (Loss.TWICE, SETTLED, RULED_OUT, Score.DID_NOT),
    (Loss.TWICE, MAY_AGAIN, RULED_OUT, Score.UNKNOWN),  # a copy of the original may still act
    (Loss.TWICE, SETTLED, UNKNOWN, Score.UNKNOWN),
    (Loss.TWICE, SETTLED, NOT_THERE, Score.UNKNOWN),  # not there when read is not ruled out
    (Loss.TWICE, NOT_THERE, HAPPENED, Score.UNKNOWN),
    (Loss.TWICE, UNDER_WAY, HAPPENED, Score.UNKNOWN),
    (Loss.TWICE, UNKNOWN, RULED_OUT, Score.UNKNOWN),
    # feared: that it happens twice, and we stopped
    (Loss.TWICE, SETTLED, NONE, Score.DID_NOT),
    (Loss.TWICE, MAY_AGAIN, NONE, Score.UNKNOWN),
    (Loss.TWICE, DOUBLE, NONE, Score.CAME_TRUE),
    (Loss.TWICE, RULED_OUT, NONE, Score.DID_NOT),
    (Loss.TWICE, UNKNOWN, NONE, Score.UNKNOWN),
    # feared: that it never happened
    (Loss.MISSING, SETTLED, NONE, Score.DID_NOT),
    (Loss.MISSING, RULED_OUT, NONE, Score.CAME_TRUE),
    (Loss.MISSING, NOT_THERE, NONE, Score.UNKNOWN),
    (Loss.MISSING, UNDER_WAY, NONE, Score.UNKNOWN),
    (Loss.MISSING, UNKNOWN, NONE, Score.UNKNOWN),
    # feared: that it happened, or still will
    (Loss.HAPPENED, SETTLED, NONE, Score.CAME_TRUE),
    (Loss.HAPPENED, DOUBLE, NONE, Score.CAME_TRUE),
    (Loss.HAPPENED, RULED_OUT, NONE, Score.DID_NOT),
    (Loss.HAPPENED, NOT_THERE, NONE, Score.UNKNOWN),
    (Loss.HAPPENED, UNDER_WAY, NONE, Score.UNKNOWN),
    (Loss.HAPPENED, UNKNOWN, NONE, Score.UNKNOWN),
]


@pytest.mark.parametrize(("loss", "original", "successor", "expected"), CASES)
def test_what_became_of_a_risk(loss, original, successor, expected):
    assert score(known(loss, original, successor)) is expected


EVERY = (SETTLED, MAY_AGAIN, DOUBLE, RULED_OUT, NOT_THERE, UNDER_WAY, UNKNOWN)
SECONDS = (NONE, HAPPENED, RULED_OUT, NOT_THERE, UNDER_WAY, UNKNOWN)


@pytest.mark.parametrize(("loss", "original", "successor"), list(product(Loss, EVERY, SECONDS)))
def test_a_risk_that_nobody_took_has_no_score_whatever_is_learnt(loss, original, successor):
    assert score(known(loss, original, successor, taken=False)) is Score.NOT_TAKEN


@pytest.mark.parametrize(("loss", "original", "successor"), list(product(Loss, EVERY, SECONDS)))
def test_no_two_rows_of_the_rule_disagree(loss, original, successor):
    seen = known(loss, original, successor)
    held = {found for found, columns in RULE if all(seen[column] == value for column, value in columns.items())}
    assert len(held) <= 1


@pytest.mark.parametrize(("loss", "successor"), list(product(Loss, SECONDS)))
def test_while_nothing_is_established_of_the_original_it_is_unknown(loss, successor):
    assert {score(known(loss, original, successor)) for original in (NOT_THERE, UNDER_WAY, UNKNOWN)} == {Score.UNKNOWN}


def lost(identity: str = "order-1001", *, parcel: str = "Cedar") -> Made:
    made = operation(identity, parcel=parcel)
    made.timed_out(now=T0 + MINUTE)
    return made


def joined() -> Score:
    """What the database reads of the only risk there is."""
    return Score.__members__[scored(BusinessException.objects.all()).get().score.upper()]


def stopped(made: Made, loss: Loss) -> None:
    """Somebody accepted that we stop."""
    accepted(made, with_role("mira", Role.REVIEWER), owner(), excuses=Excuses.STOPPING, loss=loss)


def done_again(made: Made) -> Made:
    """Somebody accepted a second operation, and it was created."""
    mira = with_role("mira", Role.REVIEWER)
    row = accepted(made, mira, owner())
    second = lost(f"order-{uuid4()}", parcel="Cedar, again")
    with recording.writing(made.id, now=NOW) as pen:
        use(pen, row, successor=second.id, by=mira)
    return second


@pytest.mark.django_db
def test_the_database_joins_what_is_learnt_of_the_second_operation():
    made = lost()
    second = done_again(made)
    assert joined() is Score.UNKNOWN
    made.issued("T-1", now=NOW + MINUTE)
    assert joined() is Score.UNKNOWN
    second.issued("T-2", now=NOW + 2 * MINUTE)
    assert joined() is Score.CAME_TRUE


@pytest.mark.django_db
def test_the_database_joins_that_the_original_was_ruled_out():
    made = lost()
    second = done_again(made)
    second.issued("T-2", now=NOW + MINUTE)
    made.recorded("closed", now=NOW + 2 * MINUTE)
    assert joined() is Score.DID_NOT


@pytest.mark.django_db
def test_a_contradiction_makes_it_unknown_again():
    made = lost()
    stopped(made, Loss.MISSING)
    made.issued("T-1", now=NOW + MINUTE)
    assert joined() is Score.DID_NOT
    made.recorded("closed", now=NOW + 2 * MINUTE)
    assert joined() is Score.UNKNOWN


@pytest.mark.django_db
def test_what_was_only_accepted_and_not_used_is_no_risk_that_was_taken():
    made = lost()
    accepted(made, with_role("mira", Role.REVIEWER), owner())
    made.issued("T-1", now=NOW + MINUTE)
    assert joined() is Score.NOT_TAKEN
