"""Who may do what: the table, and the sentence where the answer is no."""

from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction

from escalation.models import RoleGrant, User
from escalation.models.money import Money
from escalation.policy import HOLDS, May, Role, above_limit, roles_of, why_not
from operations.models import Recipient
from tests.escalation.building import T0
from tests.escalation.decisions.risks import limit
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
SENDS_OR_RISKS = {May.REPEAT, May.CLOSE_ORIGINAL, May.AUTHORISE_NEW, May.APPROVE_EXCEPTION}


@pytest.fixture
def desk():
    return Recipient.objects.create(key="desk", name="Desk", created_at=T0)


@pytest.fixture
def other():
    return Recipient.objects.create(key="other", name="Other", created_at=T0)


@pytest.mark.parametrize("what", May)
def test_somebody_without_a_role_may_nothing_and_reads_which_role_it_takes(what):
    sentence = why_not(User.objects.create_user("nobody"), what, recipient=None)
    assert sentence is not None
    assert what.sentence in sentence
    assert any(f"“{role.value}”" in sentence for role in Role if what in HOLDS[role])


@pytest.mark.parametrize("what", May)
def test_somebody_inactive_may_nothing(what):
    gone = User.objects.create_superuser("gone", is_active=False)
    assert why_not(gone, what, recipient=None) is not None


def test_a_role_for_one_recipient_is_none_for_another(desk, other):
    person = with_role("mira", Role.OPERATOR, recipient=desk)
    assert why_not(person, May.REPEAT, recipient=desk.id) is None
    assert why_not(person, May.REPEAT, recipient=other.id) is not None
    assert why_not(person, May.REPEAT, recipient=None) is not None


def test_a_role_that_was_taken_back_is_none(desk):
    person = with_role("mira", Role.OPERATOR)
    RoleGrant.objects.update(ended_at=T0)
    assert roles_of(person, recipient=desk.id) == frozenset()


@pytest.mark.parametrize("role", Role)
def test_a_role_holds_what_the_table_says_and_nothing_else(role, desk):
    person = with_role("mira", role)
    assert {what for what in May if why_not(person, what, recipient=desk.id) is None} == HOLDS[role]


def test_every_thing_is_held_by_some_role():
    assert set().union(*HOLDS.values()) == set(May)


def test_a_viewer_only_reads():
    assert HOLDS[Role.VIEWER] == frozenset()


def test_whoever_proposes_a_risk_by_role_does_not_accept_it_by_the_same():
    assert [role for role in Role if {May.PROPOSE_EXCEPTION, May.APPROVE_EXCEPTION} <= HOLDS[role]] == []


def test_a_reviewer_sends_and_risks_nothing():
    assert not HOLDS[Role.REVIEWER] & SENDS_OR_RISKS


def test_nobody_gives_a_role_to_themselves():
    person = User.objects.create_user("mira")
    with pytest.raises(DatabaseError), transaction.atomic():
        RoleGrant.objects.create(person=person, role=Role.OPERATOR, given_at=T0, given_by=person)


def test_a_role_is_not_held_twice():
    person = with_role("mira", Role.OPERATOR)
    with pytest.raises(DatabaseError), transaction.atomic():
        RoleGrant.objects.create(person=person, role=Role.OPERATOR, given_at=T0)


@pytest.mark.parametrize("change", ["role", "given_at", "person_id"])
def test_what_was_given_can_not_be_rewritten(change):
    with_role("mira", Role.VIEWER)
    values = {"role": Role.ADMINISTRATOR, "given_at": T0, "person_id": 0}
    with pytest.raises(DatabaseError), transaction.atomic():
        RoleGrant.objects.update(**{change: values[change]})
    with pytest.raises(DatabaseError), transaction.atomic():
        RoleGrant.objects.all().delete()


@pytest.mark.parametrize("exposure", [Money(Decimal(1), "EUR"), None])
def test_nobody_sets_their_own_limit_by_a_role_that_they_hold(desk, exposure):
    both = with_role("both", Role.RISK_OWNER, Role.ADMINISTRATOR)
    limit(Role.RISK_OWNER, None if exposure is None else "1000", by=both)
    ida = with_role("ida", Role.RISK_OWNER)
    assert "no limit is set for you here" in (above_limit(both, recipient=desk.id, exposure=exposure) or "")
    assert above_limit(ida, recipient=desk.id, exposure=exposure) is None


def test_what_somebody_else_set_holds_for_who_set_another(desk):
    both = with_role("both", Role.RISK_OWNER, Role.ADMINISTRATOR)
    limit(Role.RISK_OWNER, "10")
    limit(Role.RISK_OWNER, "1000", recipient=desk, by=both)
    assert above_limit(both, recipient=desk.id, exposure=Money(Decimal(10), "EUR")) is None
    assert above_limit(both, recipient=desk.id, exposure=Money(Decimal(11), "EUR")) is not None
