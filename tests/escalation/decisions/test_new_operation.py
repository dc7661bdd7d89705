"""Authorising a new operation: refusals first, then both statements, the link and the excuse that is used up."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.new_operation import NoExcuse
from escalation.decisions.proposing import WrongProposal
from escalation.models import NewOperation
from escalation.models.business_exception import State
from escalation.policy import Role
from operations import models, recording
from tests.escalation.building import T0, operation
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.people import with_role
from tests.escalation.successors import NOW, authorised, closed, request_in_place_of

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def lena():
    """Somebody who authorises."""
    return with_role("lena", Role.AUTHORISER)


def nothing_was_written(operations: int = 1) -> bool:
    left = (NewOperation, models.Successor, models.Grant)
    return not any(model.objects.exists() for model in left) and models.Operation.objects.count() == operations


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.OPERATOR, Role.RISK_OWNER, Role.ADMINISTRATOR])
def test_without_the_permission_nothing_is_written(role):
    with pytest.raises(NotAllowed, match="but not authorise new operations"):
        authorised(closed(), with_role("reader", role))
    assert nothing_was_written()


def test_what_changed_since_it_was_seen_is_not_decided_on(lena):
    made = closed()
    seen = made.row.revision
    made.failed(now=T0 + 10 * MINUTE)
    with pytest.raises(StaleView):
        authorised(made, lena, revision=seen)
    assert nothing_was_written()


def test_where_the_original_may_act_the_core_refuses(lena):
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    with pytest.raises(recording.NotPermitted, match="a new operation would act beside it"):
        authorised(made, lena)
    assert nothing_was_written()


def test_without_an_accepted_risk_nothing_is_excused(lena):
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    with pytest.raises(NoExcuse):
        authorised(made, lena, by_exception=True)
    assert nothing_was_written()


def test_the_originals_own_request_number_is_no_new_one():
    with pytest.raises(WrongProposal, match="needs another one") as wrong:
        request_in_place_of(closed(), "order-1001")
    assert wrong.value.field == "identity"


def test_a_request_number_that_another_operation_holds_is_refused(lena):
    operation("order-2002", parcel="Elm")
    with pytest.raises(WrongProposal, match="order-2002 belongs to another operation") as wrong:
        authorised(closed(), lena)
    assert wrong.value.field == "identity"
    assert nothing_was_written(operations=2)


def test_a_second_one_is_refused_while_the_first_is_open(lena):
    made = closed()
    authorised(made, lena)
    with pytest.raises(recording.NotPermitted, match="still open"):
        authorised(made, lena, "order-3003")
    assert NewOperation.objects.count() == 1


@pytest.mark.parametrize("column", ["authority", "because", "reference", "established"])
def test_both_statements_are_there_by_the_database_too(lena, column):
    row = authorised(closed(), lena)
    values = {field.attname: getattr(row, field.attname) for field in NewOperation._meta.concrete_fields}
    with pytest.raises(IntegrityError), transaction.atomic():
        NewOperation.objects.create(**{**values, column: ""})


def test_the_two_statements_stand_apart_and_what_was_checked_is_kept(lena):
    row = authorised(closed(), lena)
    assert row.established == (
        "The recipient says that the original ended without effect, for good."
        " Did it happen? No, ruled out. Could it still happen? No."
    )
    assert (row.authority, row.reference) == ("Ada Brandt, counter lead", "order 5512")
    assert row.preconditions == [{"what": "No ticket for parcel Cedar is open", "by": "Mira, at the desk's screen"}]
    assert (row.decision.action, row.decision.door, row.decision.decided_by) == ("propose_new", "new_operation", "lena")


def test_the_new_operation_carries_its_number_where_the_contract_protects_it(lena):
    row = authorised(closed(), lena).successor
    assert dict(row.headers)["idempotency-key"] == row.identity == "order-2002"
    assert (row.identity_known, row.attempts.count(), row.agent) == (True, 0, "front-counter")
    assert row.authorised_by == "Ada Brandt, counter lead"


def test_what_is_known_of_the_original_is_untouched(lena):
    made = closed()
    before = made.row
    authorised(made, lena)
    for column in ("evidence", "finality", "protection", "situation", "conflict"):
        assert getattr(made.row, column) == getattr(before, column)


def test_the_same_form_sent_twice_authorises_once(lena):
    made, once = closed(), uuid4()
    seen = made.row.revision
    first, second = (authorised(made, lena, once=once, revision=seen) for _ in range(2))
    assert first == second
    assert NewOperation.objects.count() == 1


def test_an_accepted_risk_excuses_one_and_is_used_up_by_it(lena):
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    risk = accepted(made, with_role("mira", Role.REVIEWER), owner())
    row = authorised(made, lena, by_exception=True)
    risk.refresh_from_db()
    assert (risk.successor, risk.used_by, row.exception) == (row.successor, lena, risk)
    assert row.decision.action == "except"
    assert row.established.startswith("The recipient has established neither")
    assert type(risk).objects.with_state(NOW + MINUTE).get().state == State.USED
    with pytest.raises(recording.NotPermitted, match="still open"):
        authorised(made, lena, "order-3003", by_exception=True)
