"""Every table is covered by a checkpoint, or says why not; what is covered can't be touched without its being found.

A table that is added is covered by itself, but for the columns that the app role may update: whoever adds it says here
which of them may change for good, or why nothing of it is covered.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from escalation.env import database_is_given
from escalation.models import RoleGrant, User
from escalation.policy import Role
from operations import models
from operations.auditing import tables
from operations.auditing.checkpoint import Exported, opened
from operations.auditing.exporting import export
from operations.auditing.tables import Kept, kept, why_uncovered
from operations.auditing.verifying import verify
from operations.auditing.walking import chained
from operations.recording.pen import chain
from tests.escalation.auditing.rows import any_row, change, remove, without_rules
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.people import with_role
from tests.operations.auditing.superuser import as_superuser, execute

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.owner]
TAKEN = T0 + 3 * HOUR
# Of which no checkpoint covers anything; the model says why.
UNCOVERED = {
    "escalation.attemptcount",
    "escalation.daysum",
    "escalation.summedday",
    "escalation.owing",
    "operations.asktally",
    "escalation.outboxdue",
    "escalation.outboxevent",
    "escalation.outboxtry",
    "escalation.totell",
    "escalation.savedview",
    "escalation.searched",
    "escalation.waiting",
    "operations.checkpoint",
    "operations.due",
    "operations.hearing",
    "operations.operation",
    "operations.pace",
    "operations.rulesfollowed",
    "operations.upload",
}
# What may change in a row that is covered, for good.
CHANGES = {
    "escalation.case": {
        "owner_id",
        "owned_since",
        "acknowledged_until",
        "snoozed_until",
        "snoozed_standing",
        "round",
        "step",
        "next_call_at",
        "chain_id",
        "revision",
    },
    "escalation.contractdraft": {"revision", "edited_at", "edited_by_id"},
    "escalation.subscription": {
        "paused_at",
        "paused_by_id",
        "gone_at",
        "failures",
        "failing_since",
        "rests_until",
    },
    "escalation.telling": {"due_at", "waits_for", "tries", "notice_id", "again"},
    "escalation.user": {
        "id",
        "password",
        "last_login",
        "first_name",
        "last_name",
        "email",
        "is_staff",
        "is_active",
    },
    "operations.apikey": {"last_used_at"},
    "operations.call": {"place", "tool", "open", "harmless_is_done", "reasons"},
    "operations.dispatch": set(models.dispatch.PROGRESS),
    "operations.message": {"looked_at", "failure"},
    "operations.recipient": {"name", "address"},
}


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[None]:
    if database_is_given():
        pytest.skip("the superuser of a given database is not the tests' to be")
    with as_superuser():
        yield


def exported(folder: Path) -> Exported:
    return opened(folder / export(folder, now=TAKEN).name)


def found(*checkpoints: Exported) -> list[str]:
    faults: list[str] = []
    verified = verify(checkpoints, tell=lambda fault: faults.append(str(fault)))
    return [*faults, *verified.beside]


def is_told(table: Kept, row: Any, what: str, *checkpoints: Exported) -> bool:
    return any(one.startswith(f"{table.name} {row.pk}: {what}.") for one in found(*checkpoints))


def test_no_table_is_forgotten():
    ours = {one._meta.label_lower: one for one in apps.get_models(include_auto_created=True)}
    ours = {label: one for label, one in ours.items() if one._meta.app_label in tables.OURS and one._meta.managed}
    assert {label for label, one in ours.items() if why_uncovered(one) is not None} == UNCOVERED
    assert {one.name for one in kept()} | {one._meta.label_lower for one in chained()} | UNCOVERED == set(ours)


@pytest.mark.parametrize("table", kept(), ids=lambda table: table.name)
def test_what_may_change_is_known_by_name(table: Kept):
    all_of_it = {field.attname for field in table.model._meta.concrete_fields}
    held = {*table.always, *[name for group in table.once for name in group]}
    assert all_of_it - held == CHANGES.get(table.name, set())


@pytest.mark.parametrize("table", kept(), ids=lambda table: table.name)
def test_whatever_never_changes_is_found_when_it_did(superuser, tmp_path, table: Kept):
    with without_rules(table.model):
        row = any_row(table.model)
        row.save(force_insert=True)
        then = exported(tmp_path)
        for column in {*table.always, *[name for group in table.once for name in group]} - {row._meta.pk.attname}:
            with transaction.atomic():
                change(row, column)
                assert is_told(table, row, "changed", then), column
                transaction.set_rollback(True)


@pytest.mark.parametrize("table", [one for one in kept() if one.once], ids=lambda table: table.name)
def test_what_is_set_once_may_be_set_later_and_not_again(superuser, tmp_path, table: Kept):
    with without_rules(table.model):
        row = any_row(table.model, empty=True)
        row.save(force_insert=True)
        then = exported(tmp_path)
        for column in {name for group in table.once for name in group}:
            change(row, column)
        assert found(then) == []
        again = exported(tmp_path)
        for group in table.once:
            with transaction.atomic():
                columns = ", ".join(
                    [f'"{row._meta.get_field(name).column}" = NULL' for name in group if _null(row, name)]
                )
                execute(f"UPDATE {row._meta.db_table} SET {columns} WHERE {row._meta.pk.column} = %s", [row.pk])
                assert is_told(table, row, "changed", then, again)
                transaction.set_rollback(True)


def _null(row: Any, name: str) -> bool:
    return bool(row._meta.get_field(name).null)


@pytest.mark.parametrize("table", kept(), ids=lambda table: table.name)
def test_a_row_that_was_removed_is_found(superuser, tmp_path, table: Kept):
    with without_rules(table.model):
        row = any_row(table.model)
        row.save(force_insert=True)
        then = exported(tmp_path)
        remove(row)
        assert is_told(table, row, "removed", then)


@pytest.mark.parametrize("table", [one for one in kept() if one.written], ids=lambda table: table.name)
def test_a_row_that_was_put_in_and_backdated_is_found(superuser, tmp_path, table: Kept):
    with without_rules(table.model):
        then = exported(tmp_path)
        row = any_row(table.model)
        row.save(force_insert=True)
        assert is_told(table, row, "inserted", then)


@pytest.mark.parametrize("model", chained(), ids=lambda model: model.__name__)
def test_every_column_of_every_kind_of_link_is_found_when_it_changed(superuser, tmp_path, model):
    with without_rules(model):
        made = operation().row
        row = model._default_manager.first()  # of some kinds it has one already
        if row is None:
            row = any_row(model, operation_id=made.id)
            chain(row, made)
            row.save(force_insert=True)
            made.save(update_fields=("head", "links", "revision"))
        then = exported(tmp_path)
        assert found(then) == []
        for field in row._meta.concrete_fields:
            if field.attname != "operation_id" and not field.primary_key:
                with transaction.atomic():
                    change(row, field.attname)
                    assert found(then), field.attname
                    transaction.set_rollback(True)


def test_a_seal_that_nobody_set_is_found(superuser):
    operation(sealed=False)
    assert found() == []
    execute("UPDATE operations_operation SET sealed = true")
    assert any("no seal is on record" in one for one in found())


def test_a_seal_that_is_passed_over_is_found(superuser):
    operation()
    execute("UPDATE operations_operation SET sealed = false")
    assert any("Its seal is passed over." in one for one in found())


def test_whoever_makes_themselves_an_administrator_is_found(superuser, tmp_path):
    with_role("mira", Role.REVIEWER)
    User.objects.update(date_joined=T0)
    then = exported(tmp_path)
    execute("UPDATE escalation_user SET is_superuser = true")
    assert any(one.startswith("escalation.user ") for one in found(then))
    execute("UPDATE escalation_user SET is_superuser = false")
    RoleGrant.objects.update(role=Role.OPERATOR.value)
    assert any(one.startswith("escalation.rolegrant ") for one in found(then))
