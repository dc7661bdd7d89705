"""Repairing our record: refusals first, then what is written."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.record_repair import repair_record
from escalation.decisions.taking import Taker
from escalation.models import RecordRepair, User
from escalation.policy import Role
from operations import models, recording
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR


@pytest.fixture
def reader():
    """Somebody who may read and nothing else."""
    return User.objects.create_user("reader")


@pytest.fixture
def keeper():
    """Somebody who may repair records."""
    return with_role("keeper", Role.REVIEWER)


@pytest.fixture
def issued():
    """An operation whose receipt came."""
    made = operation()
    made.issued("T-1001", now=T0 + timedelta(minutes=1))
    return made


def receipt_of(made: Made) -> UUID:
    return models.Observation.objects.filter(operation=made.id).latest("position").id


def repaired(
    made: Made, person: User, *, revision: int | None = None, once: UUID | None = None, **other: Any
) -> RecordRepair:
    seen = made.row.revision if revision is None else revision
    taker = Taker(person=person, revision=seen, once=once or uuid4(), now=NOW)
    return repair_record(made.id, taker, **{"receipt": receipt_of(made), "remark": "", **other})


def nothing_was_written() -> bool:
    written = (RecordRepair, models.Completion, models.Decision)
    return not any(model.objects.exists() for model in written)


def test_without_the_permission_nothing_is_written(issued, reader):
    with pytest.raises(NotAllowed, match="an administrator of this desk can give it"):
        repaired(issued, reader)
    assert nothing_was_written()


def test_what_changed_since_it_was_seen_is_not_decided_on(issued, keeper):
    seen, receipt = issued.row.revision, receipt_of(issued)
    issued.recorded("issued", now=T0 + timedelta(minutes=2), ticket="T-1001")
    with pytest.raises(StaleView):
        repaired(issued, keeper, revision=seen, receipt=receipt)
    assert nothing_was_written()


def test_an_open_outcome_is_not_recorded(keeper):
    made = operation()
    made.timed_out(now=T0 + timedelta(minutes=1))
    with pytest.raises(recording.NotPermitted, match="No outcome is established"):
        repaired(made, keeper)
    assert nothing_was_written()


def test_a_contradiction_is_not_recorded(issued, keeper):
    issued.recorded("closed", now=T0 + timedelta(minutes=3))
    with pytest.raises(recording.NotPermitted, match="contradicts itself"):
        repaired(issued, keeper)
    assert nothing_was_written()


def test_an_observation_that_settles_nothing_is_no_receipt(issued, keeper):
    issued.failed(now=T0 + timedelta(minutes=2))
    with pytest.raises(recording.NotAReceipt):
        repaired(issued, keeper)
    assert nothing_was_written()


def test_a_receipt_of_another_operation_is_no_receipt(issued, keeper):
    other = operation("order-2002", parcel="Birch")
    other.issued("T-2002", now=T0 + timedelta(minutes=1))
    with pytest.raises(recording.NotAReceipt):
        repaired(issued, keeper, receipt=receipt_of(other))
    assert nothing_was_written()


def test_an_effect_without_a_receipt_is_not_recorded(issued, keeper):
    with pytest.raises(recording.NotAReceipt):
        repaired(issued, keeper, receipt=None)
    assert nothing_was_written()


def test_the_decision_keeps_the_standing_it_stood_on(issued, keeper):
    seen = issued.row.revision
    decision = repaired(issued, keeper, remark="Compared at the counter.")
    assert (decision.revision, decision.decided_by, decision.remark) == (seen, keeper, "Compared at the counter.")
    assert decision.standing["evidence"] == "applied"
    assert decision.completion.effect_ref == "T-1001"
    assert decision.completion.receipt_id == receipt_of(issued)


def test_a_repair_is_a_new_revision_and_a_link_of_the_chain(issued, keeper):
    before = issued.row
    repaired(issued, keeper, remark="Compared.")
    row, decision = issued.row, models.Decision.objects.get()
    assert row.revision > before.revision
    assert (decision.position, decision.door, decision.decided_by) == (before.links, "repair_record", "keeper")
    assert decision.content == {"receipt": str(receipt_of(issued)), "remark": "Compared."}
    assert row.head != before.head


def test_a_form_that_is_sent_twice_decides_once(issued, keeper):
    seen, once = issued.row.revision, uuid4()
    first = repaired(issued, keeper, revision=seen, once=once)
    assert repaired(issued, keeper, revision=seen, once=once) == first
    assert models.Completion.objects.count() == RecordRepair.objects.count() == models.Decision.objects.count() == 1


def test_somebody_elses_form_is_not_taken_for_ones_own(issued, keeper):
    seen, once = issued.row.revision, uuid4()
    repaired(issued, keeper, revision=seen, once=once)
    with pytest.raises(StaleView):
        repaired(issued, User.objects.create_superuser("second"), revision=seen, once=once)
    assert models.Decision.objects.count() == 1


def test_a_second_person_who_saw_the_same_is_told_that_it_changed(issued, keeper):
    seen = issued.row.revision
    repaired(issued, keeper, revision=seen)
    with pytest.raises(StaleView):
        repaired(issued, User.objects.create_superuser("second"), revision=seen)
    assert RecordRepair.objects.count() == 1


def test_what_was_never_sent_is_recorded_on_the_standing_alone(keeper):
    made = operation()
    made.learns("wire", now=T0 + timedelta(seconds=1), attempt="a1", fact="not_sent")
    decision = repaired(made, keeper, receipt=None)
    assert (decision.completion.outcome, decision.completion.receipt_id) == ("no_effect", None)


def test_what_was_closed_is_recorded_on_its_receipt(keeper):
    made = operation()
    made.recorded("closed", now=T0 + timedelta(minutes=3))
    assert repaired(made, keeper).completion.outcome == "no_effect"


@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_decision_can_not_be_changed_or_removed(issued, keeper, change):
    repaired(issued, keeper)
    rows = RecordRepair.objects.all()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(remark="") if change == "update" else rows.delete()
