"""Our record is repaired only from what is established, and says on what it rests."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from operations import models
from operations.core.permitted import Kind
from operations.models.identifiers import uuid7
from operations.recording import NotAReceipt, NotPermitted, complete, writing
from tests.operations.rows import NOW, later, observed, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def operation_id():
    return registered().operation_id


def completed(operation_id, receipt=None, *, at=100):
    with writing(operation_id, now=later(at)) as pen:
        row = complete(pen, receipt=receipt, by="reviewer")
        pen.finish()
    return row


def test_nothing_is_recorded_from_what_is_not_known(operation_id):
    with pytest.raises(NotPermitted) as refused:
        completed(operation_id)
    assert refused.value.refusal.kind is Kind.UNPROVEN
    assert not models.Completion.objects.exists()


def test_an_effect_is_recorded_from_its_receipt_only(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1",))
    for receipt in (None, uuid4()):
        with pytest.raises(NotAReceipt):
            completed(operation_id, receipt)
    assert not models.Completion.objects.exists()


def test_an_observation_that_does_not_count_is_no_receipt(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1",))
    other = observed(operation_id, "applied", event="e2", authentic=False)
    with pytest.raises(NotAReceipt):
        completed(operation_id, other.observation_id)


def test_an_observation_that_says_something_else_is_no_receipt(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1",))
    other = observed(operation_id, "accepted", event="e2")
    with pytest.raises(NotAReceipt):
        completed(operation_id, other.observation_id)


def test_a_receipt_is_what_our_record_rests_on(operation_id):
    receipt = observed(operation_id, "applied", effect_refs=("T-1",)).observation_id
    row = completed(operation_id, receipt)
    assert (row.outcome, row.receipt_id, row.effect_ref) == ("applied", receipt, "T-1")
    assert (row.completed_by, row.completed_at) == ("reviewer", later(100))
    assert row.standing["evidence"] == "applied"


def test_a_closure_is_recorded_as_no_effect(operation_id):
    receipt = observed(operation_id, "closed").observation_id
    assert completed(operation_id, receipt).outcome == "no_effect"


def test_no_effect_may_rest_on_the_standing_alone(operation_id):
    observed(operation_id, "closed")
    assert completed(operation_id).receipt_id is None


def test_the_database_wants_a_receipt_for_an_effect(operation_id):
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Completion.objects.create(
            id=uuid7(NOW),
            operation_id=operation_id,
            outcome="applied",
            standing={},
            completed_at=NOW,
            completed_by="x",
            position=9,
            digest=b"\0" * 32,
        )
