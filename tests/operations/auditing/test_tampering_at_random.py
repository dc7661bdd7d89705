"""For random histories and random tampering: whatever a checkpoint covers can't be touched without its being found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operations import models
from operations.models.operation import INFERRED
from operations.recording import NotPermitted, seal
from tests.operations.auditing.histories import begun, exported, found, operation, refrained
from tests.operations.auditing.tampering import (
    chained_anew,
    changed,
    forged,
    links,
    removed,
    removed_whole,
    shifted,
    swapped,
    without_checks,
)
from tests.operations.rows import BY, contract, later, observed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.owner]

SAYINGS = ["accepted", "pending", "absent", "applied", "indeterminate"]
STEPS = st.lists(st.sampled_from(["attempt", "seal", "decision", *SAYINGS]), min_size=1, max_size=7)
BOUND = [field.column for field in models.Operation._meta.concrete_fields if field.name not in {*INFERRED, "id"}]


def history(identity: str, steps: list[str]) -> UUID:
    """An operation to which these things happened, a minute apart."""
    made, sealed = operation(identity, parcel=identity), False
    for number, step in enumerate(steps):
        at = 60.0 * (number + 1)
        try:
            if step == "attempt" and not sealed:
                begun(made, f"b{number}", at=at)
            elif step == "seal" and not sealed:
                seal(made, now=later(at), by=BY)
                sealed = True
            elif step == "decision":
                refrained(made, at=at)
            elif step in SAYINGS:
                refs = (f"T-{number}",) if step == "applied" else ()
                observed(made, step, event=f"e{number}", at=at, effect_refs=refs)
        except NotPermitted:
            continue
    return made


class Tamper:
    """What a draw makes a superuser do; each takes the operation and says what it did."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw

    def one_of(self, made: UUID) -> Any:
        return self.draw(st.sampled_from(links(made)))

    def change_a_column(self, made: UUID) -> int:
        row = self.one_of(made)
        columns = [field.column for field in row._meta.concrete_fields if field.column not in {"id", "operation_id"}]
        changed(row._meta.db_table, self.draw(st.sampled_from(columns)), row.pk)
        return 0

    def change_the_request(self, made: UUID) -> int:
        changed("operations_operation", self.draw(st.sampled_from(BOUND)), made)
        return 0

    def change_and_chain_anew(self, made: UUID) -> int:
        row = self.one_of(made)
        columns = [
            field.column
            for field in row._meta.concrete_fields
            if field.column not in {"id", "operation_id", "position", "digest"}
        ]
        changed(row._meta.db_table, self.draw(st.sampled_from(columns)), row.pk)
        chained_anew(made, start=row.position)
        return 1

    def remove_a_row(self, made: UUID) -> int:
        removed(self.one_of(made))
        return 0

    def remove_a_row_and_close_the_gap(self, made: UUID) -> int:
        row = self.one_of(made)
        removed(row)
        shifted(made, start=row.position + 1, by=-1)
        chained_anew(made)
        return 1

    def remove_the_end(self, made: UUID) -> int:
        start = self.one_of(made).position
        for row in links(made):
            if row.position >= start:
                removed(row)
        chained_anew(made)
        return 1

    def remove_all(self, made: UUID) -> int:
        removed_whole(made)
        return 1

    def _two(self, made: UUID) -> tuple[Any, Any]:
        rows = links(made)
        one = self.draw(st.sampled_from(rows))
        return one, self.draw(st.sampled_from(rows))

    def swap(self, made: UUID) -> int:
        one, other = self._two(made)
        if one.position == other.position:
            return self.remove_a_row(made)
        swapped(one, other)
        return 0

    def swap_and_chain_anew(self, made: UUID) -> int:
        one, other = self._two(made)
        if one.position == other.position:
            return self.remove_the_end(made)
        swapped(one, other)
        chained_anew(made)
        return 1

    def forge_a_row(self, made: UUID) -> int:
        position = self.one_of(made).position
        shifted(made, start=position, by=1)
        forged(made, position=position)
        return 0

    def forge_a_row_and_chain_anew(self, made: UUID) -> int:
        self.forge_a_row(made)
        chained_anew(made)
        return 1


WAYS = [name for name in vars(Tamper) if not name.startswith("_") and name != "one_of"]


@pytest.mark.parametrize("way", WAYS)
def test_every_tampering_is_found(superuser, tmp_path: Path, way):
    contract()  # which the examples share
    with transaction.atomic():
        without_checks()

        @settings(max_examples=6, suppress_health_check=list(HealthCheck))
        @given(data=st.data(), histories=st.tuples(STEPS, STEPS), which=st.integers(0, 1))
        def tampers(data: st.DataObject, histories: tuple[list[str], list[str]], which: int) -> None:
            with transaction.atomic():
                made = [history(f"order-{number}", steps) for number, steps in enumerate(histories)]
                kept = exported(tmp_path)
                assert found(kept) == []
                hidden = getattr(Tamper(data.draw), way)(made[which])
                alone = found()
                # What passes for sealed without its seal is seen by itself; anything else that is chained anew follows.
                lost_its_seal = models.Operation.objects.filter(id=made[which], sealed=True, seal=None).exists()
                assert not (hidden and alone and not lost_its_seal), "a chain that was written anew follows"
                assert found(kept) if hidden else found(kept) and (alone or way == "change_the_request")
                transaction.set_rollback(True)

        tampers()
        transaction.set_rollback(True)
