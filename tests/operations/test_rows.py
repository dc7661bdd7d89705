"""The database itself refuses to change what was recorded, as the app role and, by trigger, as the owner."""

from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from operations import models
from operations.core.actions import Action
from operations.models.chain import canonical
from operations.models.operation import INFERRED
from operations.recording import complete, decide, seal, writing
from tests.operations.rows import BY, later, observed, registered

pytestmark = pytest.mark.django_db

APPEND_ONLY = ("attempt", "observation", "reading", "seal", "completion", "decision")
KEPT = [field.column for field in models.Operation._meta.concrete_fields if field.name not in INFERRED]
FORBIDDEN = [
    *[f"UPDATE operations_{table} SET position = position + 1" for table in APPEND_ONLY],
    *[f"UPDATE operations_{table} SET digest = digest" for table in APPEND_ONLY],
    *[f"DELETE FROM operations_{table}" for table in APPEND_ONLY],
    *[f"TRUNCATE operations_{table} CASCADE" for table in (*APPEND_ONLY, "operation", "contract", "recipient")],
    *[f'UPDATE operations_operation SET "{column}" = "{column}"' for column in KEPT],
    "DELETE FROM operations_operation",
    "UPDATE operations_recipient SET key = 'other'",
    "UPDATE operations_contract SET recipient_id = 2",
    "DELETE FROM operations_contract",
    "UPDATE operations_apikey SET scopes = '{transport}'",
    "UPDATE operations_apikey SET secret_digest = ''",
    "DELETE FROM operations_apikey",
    "UPDATE operations_dispatch SET send_by = now()",
    "ALTER TABLE operations_attempt DISABLE TRIGGER ALL",
    "DROP TABLE operations_attempt",
    "SELECT setval('operation_number', 1)",
]
# As the owner, whose rights reach further: the triggers are the second line.
BY_TRIGGER = [
    *[f"UPDATE operations_{table} SET position = position + 1" for table in APPEND_ONLY],
    *[f"DELETE FROM operations_{table}" for table in APPEND_ONLY],
    "UPDATE operations_operation SET effect = 'something else'",
    "UPDATE operations_operation SET body = 'x'",
    "DELETE FROM operations_operation",
    "UPDATE operations_contract SET document = 'x'",
    "UPDATE operations_contract SET version = 2",
    "DELETE FROM operations_contract",
]


@pytest.fixture
def recorded():
    operation_id = registered().operation_id
    seal(operation_id, now=later(5), by=BY)
    receipt = observed(operation_id, "applied", effect_refs=("T-1",)).observation_id
    with writing(operation_id, now=later(90)) as pen:
        seen = pen.operation.revision
        complete(pen, receipt=receipt, by="reviewer")
        decide(pen, Action.RECORD, door="repair_record", once=uuid4(), revision=seen, content={}, by="reviewer")
        pen.finish()
    return operation_id


def everything():
    tables = (models.Operation, models.Attempt, models.Observation, models.Reading, models.Seal)
    return [canonical(row) for model in tables for row in model.objects.order_by("pk").values()]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_app_role_is_refused(recorded, statement):
    before = everything()
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert isinstance(refused.value.__cause__, psycopg.errors.InsufficientPrivilege)
    assert everything() == before


@pytest.mark.owner
@pytest.mark.parametrize("statement", BY_TRIGGER)
def test_a_trigger_refuses_even_the_owner(recorded, statement):
    before = everything()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert everything() == before


# Columns that say one thing together: (what is set, the constraint that notices).
DISAGREEING = [
    ({"evidence": "unknown", "further_effect": None}, "applied_is_settled"),
    ({"finality": "excluded"}, "applied_is_settled"),
    ({"evidence": "unknown", "finality": "excluded", "further_effect": None}, "excluded_is_not_applied"),
    ({"conflict": "applied_and_closed"}, "a_conflict_establishes_nothing"),
    ({"protection_reason": "lapsed"}, "protection_is_active_or_has_a_reason"),
    ({"protection": "absent"}, "protection_is_active_or_has_a_reason"),
    ({"further_effect": None}, "a_further_effect_is_asked_where_applied"),
    ({"revision": 1}, "every_link_is_a_revision"),
]


@pytest.mark.parametrize(("columns", "constraint"), DISAGREEING)
def test_columns_that_must_agree_are_held_together(recorded, columns, constraint):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        models.Operation.objects.filter(id=recorded).update(**columns)


def test_a_draft_may_be_changed_until_it_is_published():
    operation_id = registered().operation_id
    published = models.Operation.objects.get(id=operation_id).contract
    draft = models.Contract.objects.create(
        recipient=published.recipient, version=2, document="a", digest="0" * 64, created_at=later(0)
    )
    draft.document, draft.published_at = "b", later(1)
    draft.save(update_fields=["document", "published_at"])
    draft.document = "c"
    with pytest.raises(DatabaseError), transaction.atomic():
        draft.save(update_fields=["document"])
