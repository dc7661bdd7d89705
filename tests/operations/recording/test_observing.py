"""What is learnt is stored whole, read once, and moves the standing; the same report again changes nothing."""

from uuid import uuid4

import pytest

from operations import models, reading
from operations.core.facts import Correlation
from operations.recording import seal
from tests.operations.rows import BY, later, observed, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def operation_id():
    return registered().operation_id


def row(operation_id):
    return models.Operation.objects.get(id=operation_id)


def test_an_operation_that_is_not_there_is_named():
    with pytest.raises(reading.NoSuchOperation):
        observed(uuid4(), "applied")
    assert not models.Observation.objects.exists()


def test_what_settles_nothing_is_kept_with_the_reason(operation_id):
    observed(operation_id, "applied", correlation=Correlation.ARGUMENTS)
    claim = models.Reading.objects.get()
    assert (claim.counts, claim.why_not) == (False, "only_arguments")
    assert row(operation_id).evidence == "unknown"


def test_a_receipt_settles_it(operation_id):
    found = observed(operation_id, "applied", effect_refs=("T-1",))
    kept = row(operation_id)
    assert found.created
    assert models.Reading.objects.get().counts
    assert (kept.evidence, kept.finality, kept.further_effect) == ("applied", "settled", "possible")


def test_an_answer_that_names_two_effects_shows_a_duplicate(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1", "T-2"))
    found = reading.operation(operation_id)
    assert row(operation_id).duplicate_effect
    assert [event.effect_ref for _, event in found.facts.observations] == ["T-1", "T-2"]
    assert found.rows[1] is found.rows[2]


def test_the_same_event_again_changes_nothing(operation_id):
    first = observed(operation_id, "applied", effect_refs=("T-1",))
    before = row(operation_id).revision
    again = observed(operation_id, "closed")
    assert (again.created, again.observation_id) == (False, first.observation_id)
    assert models.Observation.objects.count() == 1
    assert row(operation_id).revision == before


def test_a_contradiction_shows(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1",))
    observed(operation_id, "closed", event="e2", at=70)
    kept = row(operation_id)
    assert (kept.conflict, kept.situation) == ("applied_and_closed", "conflict")


def test_every_link_of_the_chain_follows_the_one_before(operation_id):
    seal(operation_id, now=later(5), by=BY)
    observed(operation_id, "pending")
    kept = row(operation_id)
    chained = [*kept.attempts.all(), kept.seal, *kept.observations.all(), *kept.readings.all()]
    assert [link.position for link in chained] == list(range(1, kept.links))
    assert bytes(kept.head) == bytes(chained[-1].digest)
    assert kept.revision > 2


def test_sealing_protects_the_repeat_and_again_changes_nothing(operation_id):
    seal(operation_id, now=later(5), by=BY)
    kept = row(operation_id)
    assert (kept.sealed, kept.protection, kept.protection_reason) == (True, "active", None)
    assert kept.protection_until == later(86_400 - 60)
    seal(operation_id, now=later(6), by=BY)
    assert (row(operation_id).revision, models.Seal.objects.count()) == (kept.revision, 1)
