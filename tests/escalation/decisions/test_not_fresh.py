"""Without a fresh proof of who decides, nothing that sends or risks is decided, whoever asks for it and from wherever."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from escalation.decisions.approve_exception import approve, decline
from escalation.decisions.business_exception import propose
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.new_operation import authorise_new
from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.rules import end, set_limit, set_rule
from escalation.models import BusinessException, FourEyesRule, NewOperation, ProtectedRepeat, RiskLimit, User
from escalation.models.money import Money
from escalation.models.protected_repeat import AGENT
from escalation.policy import May, Role
from escalation.proof import NotFresh, Proof, Way
from operations import models
from operations.core.missing import Fact
from tests.escalation.building import T0, Made, operation
from tests.escalation.decisions.risks import NOW, limit, proposed, risk, taker
from tests.escalation.people import proved, with_role
from tests.escalation.successors import AUTHORITY, closed, request_in_place_of

pytestmark = pytest.mark.django_db
LONG_AGO = NOW - timedelta(minutes=16)


def lost() -> Made:
    """An operation whose reply was lost."""
    made = operation()
    made.timed_out(now=T0 + timedelta(minutes=1))
    return made


def stale_or_none(person: User) -> list[Proof | None]:
    """Every proof that is none: nothing, one of long ago, one of somebody else, one by less than the person has."""
    other = User.objects.create_user("somebody else", password="another long phrase")
    return [
        None,
        proved(person, at=LONG_AGO),
        proved(other, at=NOW),
        Proof(person=person.pk, way=Way.PASSWORD, at=NOW),  # which the person does not have
    ]


def refused(decide, made, person) -> None:
    """Nothing is written for any proof that is none."""
    for proof in stale_or_none(person):
        with pytest.raises(NotFresh):
            decide(replace(taker(made, person), proof=proof))
    assert not models.Decision.objects.exists()


def test_no_repeat_is_authorised():
    made = lost()
    refused(lambda by: protected_repeat(made.id, by, executor=AGENT), made, with_role("mira", Role.OPERATOR))
    assert not ProtectedRepeat.objects.exists()
    assert models.Attempt.objects.count() == 1


def test_no_new_operation_is_authorised():
    made = closed()

    def decide(by):
        authorise_new(made.id, by, request=request_in_place_of(made), authority=AUTHORITY, by_exception=False)

    refused(decide, made, with_role("mira", Role.AUTHORISER))
    assert not NewOperation.objects.exists()


def test_no_risk_is_proposed():
    made = lost()
    refused(lambda by: propose(made.id, by, risk=risk()), made, with_role("mira", Role.REVIEWER))
    assert not BusinessException.objects.exists()


def test_no_risk_is_accepted_and_one_may_still_be_declined():
    made = lost()
    row = proposed(made, with_role("mira", Role.REVIEWER))
    second = with_role("ada", Role.RISK_OWNER)
    limit(Role.RISK_OWNER)
    with pytest.raises(NotFresh):
        approve(row.pk, replace(taker(made, second), proof=None), remark="")
    row.refresh_from_db()
    assert row.approved_at is None
    assert decline(row.pk, replace(taker(made, second), proof=None), remark="Not worth it.").declined_by == second


def test_no_rule_and_no_limit_is_set_or_ended():
    admin = with_role("admin", Role.ADMINISTRATOR)
    fresh, old = proved(admin, at=NOW), proved(admin, at=LONG_AGO)
    kept = set_rule(May.REPEAT, recipient=None, least=None, person=admin, now=NOW, proof=fresh)
    most = Money(Decimal(9), "EUR")
    with pytest.raises(NotFresh):
        set_rule(May.AUTHORISE_NEW, recipient=None, least=None, person=admin, now=NOW, proof=old)
    with pytest.raises(NotFresh):
        set_limit(Role.RISK_OWNER, recipient=None, most=most, person=admin, now=NOW, proof=old)
    with pytest.raises(NotFresh):
        end(FourEyesRule, kept.pk, person=admin, now=NOW, proof=None)
    assert list(FourEyesRule.objects.filter(ended_at=None)) == [kept]
    assert not RiskLimit.objects.exists()


def test_what_sends_and_risks_nothing_takes_no_proof():
    made = lost()
    by = replace(taker(made, with_role("mira", Role.REVIEWER)), proof=None)
    at = NOW + timedelta(days=1)
    fact = Fact.WHETHER_IT_HAPPENED
    row = leave_unresolved(made.id, by, fact=fact, told="Ada at the desk", look_again_at=at, remark="")
    assert "proved" not in row.decision.content


def test_the_chain_says_how_and_when_it_was_proved():
    made, person = lost(), with_role("mira", Role.OPERATOR)
    row = protected_repeat(made.id, taker(made, person), executor=AGENT)
    assert row.decision.content["proved"] == {"by": "sign-in link", "at": NOW.isoformat()}
