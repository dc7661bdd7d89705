"""A new operation that carries an original's intent: bound without a send, linked, and read back as the core's successor."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from operations import models, reading, recording
from operations.core.actions import Action
from operations.core.facts import Successor, SuccessorState
from operations.core.permitted import Kind, permitted
from operations.core.standing import Finality, Situation
from operations.recording import begin, decide, seal, writing
from operations.recording.granting import GrantRefused, Unusable
from operations.recording.held import load
from operations.recording.succeeding import IdentityTaken, name_successor, succeed
from tests.operations.rows import BY, binding, intent, later, observed, registered, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def original():
    """An operation that the recipient closed for good."""
    found = registered().operation_id
    seal(found, now=later(5), by=BY)
    observed(found, "closed", at=60)
    return found


def authorised(
    original: UUID, identity: str = "order-2", *, at: float = 100, action: Action = Action.PROPOSE_NEW, **more: Any
) -> models.Operation:
    with writing(original, now=later(at)) as pen:
        decision = decide(
            pen, action, door="new_operation", once=uuid4(), revision=pen.operation.revision, content={}, by="mira"
        )
        asked = binding(request(identity, **more))
        ends_at = pen.now + timedelta(minutes=15)
        found = succeed(pen, decision, binding=asked, grant_ends_at=ends_at, by="mira")
        name_successor(pen, decision, successor=found, by="mira")
        pen.finish()
        return found


def refusal_of(operation: UUID, action: Action, *, at: float = 200):
    return permitted(reading.operation(operation).standing(now=later(at)))[action]


def carriers(operation: UUID) -> list[tuple[str, SuccessorState]]:
    events = reading.operation(operation).facts.events
    return [(event.id, event.state) for event in events if isinstance(event, Successor)]


def begun(operation: models.Operation, *, at: float = 110, attempt: str = "b1") -> models.Attempt:
    grant = operation.grants.get()
    return begin(operation.id, intent(attempt, at=at), now=later(at), by=BY, grant=grant.id, digest=operation.digest)


def test_an_identity_that_is_taken_binds_nothing(original):
    with pytest.raises(IdentityTaken, match="order-1"):
        authorised(original, "order-1")
    assert models.Operation.objects.count() == 1
    assert not models.Decision.objects.exists()


def test_where_the_original_may_act_nothing_is_authorised():
    found = registered().operation_id
    with pytest.raises(recording.NotPermitted) as refused:
        authorised(found)
    assert refused.value.refusal.kind is Kind.HARM
    assert models.Operation.objects.count() == 1


def test_a_second_successor_is_refused_while_the_first_is_open(original):
    authorised(original)
    with pytest.raises(recording.NotPermitted) as refused:
        authorised(original, "order-3", at=120)
    assert refused.value.refusal.kind is Kind.SUCCESSOR
    assert models.Successor.objects.count() == 1


def test_an_operation_succeeds_nothing_twice_by_the_database_too(original):
    link = models.Successor.objects.get(successor=authorised(original))
    values = {**link.__dict__, "id": uuid4(), "position": 90}
    values.pop("_state")
    with pytest.raises(IntegrityError), transaction.atomic():
        models.Successor(**values).save(force_insert=True)


@pytest.mark.owner
def test_a_link_stays_as_it_was_named(original):
    authorised(original)
    for change in (lambda rows: rows.update(named_by="nobody"), lambda rows: rows.delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            change(models.Successor.objects.all())


def test_the_new_operation_has_its_own_identity_and_contract_and_nothing_was_sent(original):
    found = authorised(original)
    assert (found.identity, found.attempts.count(), found.sealed) == ("order-2", 0, True)
    assert found.contract == reading.contract_in_force(found.recipient_id)
    assert (found.situation, found.finality) == (Situation.NOTHING_CAN_ACT, Finality.EXCLUDED)


def test_the_chain_of_the_original_grows_by_the_decision_and_the_link_alone(original):
    before = models.Operation.objects.get(id=original)
    authorised(original)
    after = models.Operation.objects.get(id=original)
    assert after.links == before.links + 2
    for column in ("evidence", "finality", "protection", "situation", "conflict", "missing"):
        assert getattr(after, column) == getattr(before, column)


def test_a_successor_that_was_never_sent_is_open_and_shuts_the_original(original):
    found = authorised(original)
    assert carriers(original) == [(str(found.id), SuccessorState.OPEN)]
    assert refusal_of(original, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR
    assert refusal_of(original, Action.RECORD) is None


def test_nothing_reopens_the_original_when_every_attempt_of_the_successor_was_refused(original):
    found = authorised(original)
    begun(found)
    observed(found.id, "attempt_refused", at=130, attempt="b1", covers_copies=True)
    assert models.Operation.objects.get(id=found.id).situation == Situation.NOTHING_CAN_ACT
    assert refusal_of(original, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR


def test_a_successor_that_was_closed_reopens_the_original_and_carries_nothing_on_itself(original):
    found = authorised(original)
    begun(found)
    observed(found.id, "closed", at=130)
    assert carriers(original) == [(str(found.id), SuccessorState.NO_EFFECT)]
    assert refusal_of(original, Action.PROPOSE_NEW) is None
    assert carriers(found.id) == [(str(original), SuccessorState.OPEN)]
    assert refusal_of(found.id, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR


def test_a_successor_of_a_successor_keeps_the_original_shut_however_its_middle_ends(original):
    middle = authorised(original)
    last = authorised(middle.id, "order-3", at=120)
    assert refusal_of(middle.id, Action.REPEAT).kind is Kind.SUCCESSOR
    observed(middle.id, "closed", at=130)
    assert models.Operation.objects.get(id=middle.id).situation == Situation.CLOSED
    assert refusal_of(original, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR
    observed(last.id, "closed", at=140)
    assert refusal_of(original, Action.PROPOSE_NEW) is None
    assert refusal_of(middle.id, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR
    assert refusal_of(last.id, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR


def excused(original: UUID) -> models.Operation:
    """A new operation that was authorised though nobody knows whether the original happened."""
    return authorised(original, action=Action.EXCEPT)


def test_once_the_original_happened_after_all_nothing_is_sent_in_its_place():
    lost = registered().operation_id
    seal(lost, now=later(5), by=BY)
    found = excused(lost)
    assert refusal_of(found.id, Action.REPEAT) is None
    observed(lost, "applied", at=130, effect_refs=("T-1",))
    with pytest.raises(recording.NotPermitted) as refused:
        begun(found, at=140)
    assert refused.value.refusal.kind is Kind.SUCCESSOR
    assert refusal_of(found.id, Action.PROPOSE_NEW).kind is Kind.SUCCESSOR
    assert carriers(lost) == [(str(found.id), SuccessorState.OPEN)]


def test_once_a_closed_original_is_said_to_have_happened_nothing_is_sent_in_its_place(original):
    found = authorised(original)
    observed(original, "applied", event="e2", at=130, effect_refs=("T-1",))
    assert models.Operation.objects.get(id=original).situation == Situation.CONFLICT
    with pytest.raises(recording.NotPermitted) as refused:
        begun(found, at=140)
    assert refused.value.refusal.kind is Kind.SUCCESSOR


def test_a_contradiction_that_was_known_when_it_was_excused_holds_nothing_up(original):
    observed(original, "applied", event="e2", at=70, effect_refs=("T-1",))
    found = excused(original)
    assert begun(found).number == 1


def test_the_first_attempt_takes_the_grant_once(original):
    found = authorised(original)
    assert refusal_of(found.id, Action.REPEAT, at=110) is None
    with pytest.raises(GrantRefused) as refused:
        begin(found.id, intent("b1", at=110), now=later(110), by=BY)
    assert refused.value.why is Unusable.MISSING
    assert begun(found).number == 1
    assert models.Operation.objects.get(id=found.id).situation == Situation.OPEN


def test_who_writes_many_at_once_finds_the_same_in_the_row(original):
    found = authorised(original)
    held = load([original, found.id])
    for one in (original, found.id):
        row = models.Operation.objects.get(id=one)
        standing = held[one].read().standing(now=later(200))
        assert (standing.evidence, standing.finality, standing.situation) == (row.evidence, row.finality, row.situation)


def test_a_registration_about_the_same_thing_is_confronted_with_the_new_operation():
    found = registered().operation_id
    seal(found, now=later(5), by=BY)
    observed(found, "attempt_refused", at=60, attempt="a1", covers_copies=True)
    authorised(found)
    with pytest.raises(recording.ConfrontsOpenOperation):
        recording.register(binding(request("order-9")), intent=intent("c1", at=150), now=later(150), by=BY)


def test_whoever_locks_an_original_asks_for_successors_only_where_there_are_any(original, django_assert_num_queries):
    with writing(original, now=later(200)) as pen, django_assert_num_queries(2):
        row = pen.operation
        assert row.succeeded is False  # type: ignore[attr-defined]  # annotated as it was locked
        pen.read()
