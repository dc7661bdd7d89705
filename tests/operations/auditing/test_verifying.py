"""Whatever a superuser does to a row that an exported checkpoint covers is found, and said where."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from operations import models
from operations.auditing.walking import chained
from operations.models.chain import link
from operations.models.operation import INFERRED
from operations.record.rows import WRITTEN
from operations.recording.pen import row_of
from tests.operations.auditing.histories import exported, found, number_of, operation, settled, verified
from tests.operations.auditing.superuser import execute
from tests.operations.auditing.tampering import (
    chained_anew,
    changed,
    links,
    removed_whole,
    shifted,
    swapped,
    without_checks,
)
from tests.operations.rows import later, observed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.owner]

KINDS = ["attempt", "observation", "reading", "seal", "observation", "reading", "decision", "completion"]


@pytest.fixture
def three(superuser: None) -> list[UUID]:
    return [settled(f"order-{one}", parcel=f"Cedar {one}") for one in range(3)]


def test_what_nobody_touched_is_clean(three, tmp_path):
    kept = exported(tmp_path)
    assert [one._meta.model_name for one in links(three[0])] == KINDS
    faults, looked = verified(kept)
    assert (faults, looked.checkpoints) == ([], [])
    assert (looked.operations, looked.links, looked.uncovered_operations, looked.uncovered_links) == (3, 27, 0, 0)


def changed_columns() -> list[tuple[str, str]]:
    """Every column of every kind of link that these histories have."""
    return [
        (model._meta.db_table, str(field.column))
        for model in chained()
        if model._meta.model_name in KINDS
        for field in model._meta.concrete_fields
        if field.column != "id"
    ]


def undone(tamper: Callable[[], None], check: Callable[[], Any]) -> Any:
    """Tamper, look, and have it all back."""
    with transaction.atomic():
        tamper()
        seen = check()
        transaction.set_rollback(True)
    return seen


def test_any_changed_column_of_any_link_is_found_and_named(three):
    made = three[1]
    number = number_of(made)
    for table, column in changed_columns():
        row = next(one for one in links(made) if one._meta.db_table == table)

        def tamper(table=table, column=column, row=row) -> None:
            without_checks()
            changed(table, column, row.pk)

        seen = undone(tamper, found)
        assert seen, f"{table}.{column}"
        if column not in {"operation_id", "position", "digest"}:
            assert seen == [(number, row.position, row._meta.model_name, "changed")], f"{table}.{column}"


def test_any_changed_column_of_the_bound_request_is_found_and_named(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    number = number_of(made)
    bound = [field.column for field in models.Operation._meta.concrete_fields if field.name not in {*INFERRED, "id"}]
    assert "number" in bound
    for column in bound:

        def tamper(column=column) -> None:
            without_checks()
            changed("operations_operation", column, made)

        seen = undone(tamper, lambda: found(kept))
        assert (77 if column == "number" else number, 0, "operation", "changed") in [
            (77 if column == "number" else one[0], *one[1:]) for one in seen
        ], column


def test_a_chain_written_anew_from_any_row_on_follows_again_and_is_found_by_the_checkpoint(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    number = number_of(made)
    for row in links(made):

        def tamper(row=row) -> None:
            by = {"reading": "because", "observation": "source"}.get(row._meta.model_name)
            column = by or next(f.column for f in row._meta.concrete_fields if f.column.endswith("_by"))
            execute(f"UPDATE {row._meta.db_table} SET {column} = 'somebody else' WHERE id = %s", [row.pk])
            chained_anew(made, start=row.position)
            assert found() == []

        assert undone(tamper, lambda: found(kept)) == [(number, row.position, row._meta.model_name, "changed")]


def test_a_request_that_was_changed_and_chained_anew_is_found_by_the_checkpoint(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    number = number_of(made)
    execute("UPDATE operations_operation SET effect = 'Nothing at all' WHERE id = %s", [made])
    chained_anew(made)
    assert found() == []
    assert found(kept) == [(number, 0, "operation", "changed")]


@pytest.mark.parametrize("position", range(1, 8))
def test_a_removed_row_is_found_without_a_checkpoint(three, position):
    made = three[1]
    row = links(made)[position - 1]
    execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])
    assert found()[0] == (number_of(made), position, "row", "removed")


def test_what_stands_behind_a_removed_row_is_said_to_be_unchecked(three):
    row = links(three[1])[2]
    execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])
    number = number_of(three[1])
    assert found() == [(number, 3, "row", "removed"), (number, 4, "seal", "unchecked")]


def test_a_removed_end_is_seen_by_the_checkpoint_alone(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    for row in links(made)[6:]:
        execute(f"DELETE FROM {row._meta.db_table} WHERE id = %s", [row.pk])
    assert found()[0][1:] == (7, "row", "removed")
    chained_anew(made)
    assert found() == []
    assert found(kept) == [(number_of(made), 7, "row", "removed")]


def test_a_removed_operation_is_seen_by_the_checkpoint_alone(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    number = number_of(made)
    removed_whole(made)
    assert found() == []
    assert found(kept) == [(number, 0, "operation", "removed")]


def test_rows_whose_operation_is_gone_are_named(three):
    execute("DELETE FROM operations_operation WHERE id = %s", [three[1]])
    faults, _ = verified()
    assert [(one.operation, one.position, one.what.value) for one in faults] == [(three[1], 0, "removed")]


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 5), (3, 6), (4, 8)])
def test_rows_that_changed_places_are_said_to_be_reordered(three, one, other):
    rows = links(three[1])
    swapped(rows[one - 1], rows[other - 1])
    reordered = {position for _, position, _, word in found() if word == "reordered"}
    assert reordered == {one, other}


def test_rows_that_changed_places_and_were_chained_anew_are_found_by_the_checkpoint(three, tmp_path):
    kept, rows = exported(tmp_path), links(three[1])
    swapped(rows[1], rows[4])
    chained_anew(three[1])
    assert found() == []
    assert found(kept)[0][1:] == (2, "observation", "changed")


def forged_decision(made: UUID, *, position: int, by: str = "nobody") -> UUID:
    """A decision that nobody took."""
    row = models.Decision.objects.filter(operation=made).get()
    row.pk, row.once, row.position, row.decided_by = uuid4(), uuid4(), position, by
    row.digest = link(bytes(links(made)[position - 2].digest), row_of(row))
    row.save(force_insert=True)
    return row.pk


@pytest.mark.parametrize("position", [2, 3, 6])
def test_a_row_forged_beside_another_is_said_to_be_inserted(three, position):
    number = number_of(three[1])
    forged_decision(three[1], position=position)
    seen = found()
    assert (number, position, "inserted") in [(one[0], one[1], one[3]) for one in seen]


def test_a_row_forged_between_others_that_moved_is_said_to_be_inserted_by_the_checkpoint(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    shifted(made, start=5, by=1)
    forged_decision(made, position=5)
    assert (number_of(made), 5, "decision", "inserted") in found(kept)


@pytest.mark.parametrize("position", [-1, 0, 9, 2_000_000_000])
def test_a_row_forged_where_the_chain_has_no_place_is_said_to_be_inserted(three, position):
    row = models.Decision.objects.filter(operation=three[1]).get()
    row.pk, row.once, row.position = uuid4(), uuid4(), position

    def tamper() -> None:
        without_checks()
        row.save(force_insert=True)

    assert undone(tamper, found) == [(number_of(three[1]), position, "decision", "inserted")]


def test_a_row_forged_in_the_middle_with_all_behind_it_moved_and_chained_anew_is_found(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    shifted(made, start=5, by=1)
    forged_decision(made, position=5)
    chained_anew(made)
    assert found() == []
    assert found(kept)[0] == (number_of(made), 5, "decision", "changed")


def test_a_backdated_end_is_found_and_an_honest_one_is_not(three, tmp_path):
    kept, made = exported(tmp_path), three[1]
    observed(made, "pending", event="late", at=4_000)
    assert found(kept) == []
    forged_decision(made, position=11)
    chained_anew(made)
    assert found() == []
    assert found(kept) == [(number_of(made), 11, "decision", "inserted")]


def test_an_operation_forged_with_an_early_date_is_found(three, tmp_path):
    kept = exported(tmp_path, at=90_000)
    forged_one = operation("order-77", parcel="Yew")
    assert found(kept) == [(number_of(forged_one), 0, "operation", "inserted")]


def test_a_head_that_is_not_the_last_digest_is_found(three):
    execute("UPDATE operations_operation SET head = %s WHERE id = %s", [b"x" * 32, three[1]])
    assert found() == [(number_of(three[1]), 8, "operation", "changed")]


def test_a_revision_that_went_back_is_found(three, tmp_path):
    kept = exported(tmp_path)

    def tamper() -> None:
        without_checks()
        execute("UPDATE operations_operation SET revision = 1 WHERE id = %s", [three[1]])

    assert undone(tamper, lambda: found(kept)) == [(number_of(three[1]), 0, "operation", "changed")]


def test_what_is_newer_than_the_newest_checkpoint_is_counted_as_uncovered(three, tmp_path):
    kept = exported(tmp_path)
    observed(three[0], "pending", event="late", at=4_000)
    later_one = operation("order-9", parcel="Yew")
    execute("UPDATE operations_operation SET created_at = %s WHERE id = %s", [later(4_000), later_one])
    chained_anew(later_one)
    faults, looked = verified(kept)
    assert (looked.uncovered_operations, looked.uncovered_links) == (1, 4)
    assert [one.what.value for one in faults] == ["inserted"]  # its attempt kept the early date


def test_every_kind_of_link_says_when_it_was_written_and_by_whom(db):
    for model in chained():
        columns = {field.attname for field in model._meta.concrete_fields}
        assert set(WRITTEN[str(model._meta.model_name)]) <= columns
