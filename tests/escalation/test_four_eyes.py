"""Where it takes a second person, and how much one may accept: refusals first, then what the sentences say."""

from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction

from escalation.decisions import NotAllowed
from escalation.decisions.rules import Ended, OwnLimit, SetAlready, end, set_limit, set_rule
from escalation.models import FourEyesRule, RiskLimit, RoleGrant, User
from escalation.models.money import Money
from escalation.policy import ALWAYS_TWO, DOORS, May, Role, above_limit, second_person_needed
from operations.models import Recipient
from tests.escalation.building import HOUR, T0
from tests.escalation.decisions.risks import limit, owner
from tests.escalation.people import proved, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR


def euros(amount: str) -> Money:
    return Money(Decimal(amount), "EUR")


@pytest.fixture
def desk():
    return Recipient.objects.create(key="desk", name="Desk", created_at=T0)


@pytest.fixture
def other():
    return Recipient.objects.create(key="other", name="Other", created_at=T0)


@pytest.fixture
def admin():
    return with_role("root", Role.ADMINISTRATOR)


def ruled(
    admin: User, door: May = May.REPEAT, *, at: Recipient | None = None, least: Money | None = None
) -> FourEyesRule:
    return set_rule(
        door, recipient=None if at is None else at.pk, least=least, person=admin, now=T0, proof=proved(admin, at=T0)
    )


def needed(door: May, at: Recipient, amount: Money | None = None) -> str | None:
    return second_person_needed(door, recipient=at.pk, amount=amount)


def test_who_is_no_administrator_sets_and_ends_nothing(admin, desk):
    person = with_role("mira", *[role for role in Role if role is not Role.ADMINISTRATOR])
    rule, most = ruled(admin), limit(Role.RISK_OWNER)
    with pytest.raises(NotAllowed, match="administrator"):
        ruled(person, May.REPAIR_RECORD)
    with pytest.raises(NotAllowed, match="administrator"):
        set_limit(Role.RISK_OWNER, recipient=None, most=euros("9"), person=person, now=T0, proof=proved(person, at=T0))
    for kind, row in ((FourEyesRule, rule), (RiskLimit, most)):
        with pytest.raises(NotAllowed, match="administrator"):
            end(kind, row.pk, person=person, now=NOW, proof=proved(person, at=NOW))
    assert (FourEyesRule.objects.count(), RiskLimit.objects.count()) == (1, 1)


def test_nobody_sets_their_own_limit(admin):
    with pytest.raises(OwnLimit):
        set_limit(admin, recipient=None, most=euros("9"), person=admin, now=T0, proof=proved(admin, at=T0))
    with pytest.raises(DatabaseError, match="nobody_sets_their_own_limit"), transaction.atomic():
        limit(admin, by=admin)


@pytest.mark.parametrize("of", ["the person", "a role they hold", "a role they hold at another recipient"])
def test_nobody_ends_a_limit_that_holds_for_themselves(admin, desk, other, of):
    if of == "the person":
        row = limit(admin, recipient=desk)
    else:
        here = other if "another" in of else desk
        RoleGrant.objects.create(person=admin, role=Role.RISK_OWNER.value, recipient=here, given_at=T0)
        row = limit(Role.RISK_OWNER, recipient=desk if here is desk else None)
    with pytest.raises(OwnLimit, match="holds for you"):
        end(RiskLimit, row.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    assert RiskLimit.objects.get().ended_at is None


def test_who_holds_every_role_by_the_host_ends_no_role_s_limit_that_another_set(desk):
    first = User.objects.create_superuser("first")
    row = limit(Role.RISK_OWNER, recipient=desk)
    with pytest.raises(OwnLimit):
        end(RiskLimit, row.pk, person=first, now=NOW, proof=proved(first, at=NOW))


def test_the_database_refuses_who_ends_their_own_limit(admin, desk):
    row = limit(admin, recipient=desk)
    with pytest.raises(DatabaseError), transaction.atomic():
        RiskLimit.objects.filter(pk=row.pk).update(ended_at=NOW, ended_by=admin)


def test_an_administrator_ends_the_limits_of_others_and_of_a_role_that_they_set_for_others(admin, desk, other):
    RoleGrant.objects.create(person=admin, role=Role.RISK_OWNER.value, recipient=other, given_at=T0)
    theirs = limit(with_role("lena", Role.RISK_OWNER), recipient=desk)
    elsewhere, own_making = limit(Role.RISK_OWNER, recipient=desk), limit(Role.RISK_OWNER, by=admin)
    for row in (theirs, elsewhere, own_making):
        end(RiskLimit, row.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    assert not RiskLimit.objects.filter(ended_at=None).exists()


def test_the_same_rule_is_not_set_twice_until_it_was_ended(admin):
    rule = ruled(admin)
    with pytest.raises(SetAlready):
        ruled(admin)
    end(FourEyesRule, rule.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    assert ruled(admin).pk != rule.pk


def test_what_was_ended_is_not_ended_again(admin):
    rule = ruled(admin)
    end(FourEyesRule, rule.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    with pytest.raises(Ended):
        end(FourEyesRule, rule.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))


@pytest.mark.parametrize(
    "change", [{"door": "repair_record"}, {"from_amount": 1}, {"set_at": NOW}, {"recipient": None}]
)
def test_a_rule_is_never_changed_or_removed(admin, desk, change):
    ruled(admin, at=desk)
    with pytest.raises(DatabaseError), transaction.atomic():
        FourEyesRule.objects.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        FourEyesRule.objects.all().delete()


@pytest.mark.owner
def test_an_end_stands_even_for_the_owner_of_the_tables(admin):
    rule = ruled(admin)
    end(FourEyesRule, rule.pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    with pytest.raises(DatabaseError, match="Cannot update rows"), transaction.atomic():
        FourEyesRule.objects.update(ended_at=None, ended_by=None)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("a_limit_is_a_roles_or_a_persons", {"role": ""}),
        ("a_limit_is_an_amount_or_for_words", {"most": None}),
        ("a_limit_is_an_amount_or_for_words", {"most": 0}),
        ("a_limit_is_an_amount_or_for_words", {"currency": "eur"}),
        ("a_limit_is_ended_by_somebody", {"ended_at": NOW}),
    ],
)
def test_the_database_refuses_what_no_limit_can_be(admin, name, values):
    fields = {"role": "risk owner", "most": 5, "currency": "EUR", "set_at": T0, "set_by": admin, **values}
    with pytest.raises(DatabaseError, match=name), transaction.atomic():
        RiskLimit.objects.create(**fields)


@pytest.mark.parametrize("values", [{"currency": "EUR"}, {"from_amount": 1}, {"from_amount": 0, "currency": "EUR"}])
def test_the_database_refuses_half_an_amount(admin, values):
    with pytest.raises(DatabaseError, match="always_or_from"), transaction.atomic():
        FourEyesRule.objects.create(door="repeat", set_at=T0, set_by=admin, **values)


@pytest.mark.parametrize("door", [May.PROPOSE_EXCEPTION, May.APPROVE_EXCEPTION])
def test_accepting_a_risk_takes_two_people_without_any_rule(desk, door):
    assert needed(door, desk, euros("0.01")) == ALWAYS_TWO


@pytest.mark.parametrize("door", DOORS)
def test_without_a_rule_one_person_is_enough(desk, door):
    assert needed(door, desk, euros("1000000")) is None


def test_a_rule_for_one_door_and_one_recipient_says_nothing_of_others(admin, desk, other):
    ruled(admin, at=desk)
    assert needed(May.REPEAT, desk) is not None
    assert needed(May.REPEAT, other) is None
    assert needed(May.REPAIR_RECORD, desk) is None


def test_a_rule_for_every_recipient_holds_at_each(admin, desk, other):
    ruled(admin)
    assert needed(May.REPEAT, desk) == needed(May.REPEAT, other)
    assert needed(May.REPEAT, desk) == "By a rule of this desk it takes two people to have a request repeated."


@pytest.mark.parametrize(
    ("amount", "holds"),
    [
        ("99.99", False),
        ("100", True),
        ("100.01", True),
    ],
)
def test_a_rule_holds_from_its_amount_on(admin, desk, amount, holds):
    ruled(admin, least=euros("100"))
    assert (needed(May.REPEAT, desk, euros(amount)) is not None) == holds


@pytest.mark.parametrize("amount", [None, Money(Decimal(1), "USD")])
def test_an_amount_that_can_not_be_compared_is_not_taken_for_small(admin, desk, amount):
    ruled(admin, least=euros("100"))
    assert "from EUR 100 on" in (needed(May.REPEAT, desk, amount) or "")


def test_a_rule_that_was_ended_holds_no_more(admin, desk):
    end(FourEyesRule, ruled(admin).pk, person=admin, now=NOW, proof=proved(admin, at=NOW))
    assert needed(May.REPEAT, desk) is None


def test_without_a_limit_nobody_accepts_anything(desk):
    ida = with_role("ida", Role.RISK_OWNER)
    for exposure in (euros("0.01"), None):
        sentence = above_limit(ida, recipient=desk.pk, exposure=exposure) or ""
        assert "no limit is set for you here" in sentence
        assert "Nobody's limit reaches it" in sentence


@pytest.mark.parametrize(("amount", "within"), [("999.99", True), ("1000", True), ("1000.0001", False)])
def test_a_limit_reaches_up_to_its_amount(desk, amount, within):
    ida = owner()
    assert (above_limit(ida, recipient=desk.pk, exposure=euros(amount)) is None) == within


def test_a_limit_of_one_currency_says_nothing_of_another_or_of_words(desk):
    ida = owner()
    assert above_limit(ida, recipient=desk.pk, exposure=Money(Decimal(1), "USD")) is not None
    assert above_limit(ida, recipient=desk.pk, exposure=None) is not None


def test_words_may_be_accepted_by_whoever_has_a_limit_for_words(desk):
    ida = owner(most=None)
    assert above_limit(ida, recipient=desk.pk, exposure=None) is None
    assert above_limit(ida, recipient=desk.pk, exposure=euros("1")) is not None


def test_a_roles_limit_is_that_of_whoever_holds_the_role_there(desk, other):
    limit(Role.RISK_OWNER, "50")
    ida = with_role("ida", Role.RISK_OWNER, recipient=desk)
    assert above_limit(ida, recipient=desk.pk, exposure=euros("50")) is None
    assert above_limit(ida, recipient=other.pk, exposure=euros("50")) is not None


def test_a_persons_own_limit_holds_in_place_of_the_roles(desk):
    limit(Role.RISK_OWNER, "5000")
    low = owner("low", "10")
    assert "EUR 10. It takes somebody whose limit reaches it: role “risk owner”." in (
        above_limit(low, recipient=desk.pk, exposure=euros("11")) or ""
    )


def test_a_limit_for_one_recipient_holds_in_place_of_that_for_every_one(desk, other):
    limit(Role.RISK_OWNER, "5000")
    limit(Role.RISK_OWNER, "10", recipient=desk)
    ida = with_role("ida", Role.RISK_OWNER)
    assert above_limit(ida, recipient=desk.pk, exposure=euros("11")) is not None
    assert above_limit(ida, recipient=other.pk, exposure=euros("11")) is None


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("1250.0000", "EUR 1,250"),
        ("1250.5000", "EUR 1,250.50"),
        ("0.0500", "EUR 0.05"),
        ("0.1234", "EUR 0.1234"),
        ("100000000000000.0000", "EUR 100,000,000,000,000"),
        ("1000", "EUR 1,000"),
    ],
)
def test_an_amount_is_read_as_people_write_it(amount, shown):
    assert str(euros(amount)) == shown
