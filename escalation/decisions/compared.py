"""The doors' own rows say what the chained decisions say: where both state the same, a difference is a fault.

A decision is a link of its operation's chain; the row of its door is not. So whoever changes a door's row changes a copy,
and this finds it: every column that `Decision.content` states too, who decided and when, and the standing it stood on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.apps import apps

from escalation.decisions import (
    approve_exception,
    business_exception,
    close_original,
    compared_signatures,
    leave_unresolved,
    new_operation,
    protected_repeat,
    record_repair,
)
from escalation.models import BusinessException, RecordRepair

if TYPE_CHECKING:
    from operations.models import Decision

AT_ONCE: Final = 500
# The doors that leave one row a decision, by the name of what hangs on the decision.
_LEAVES: Final[Mapping[str, str]] = {
    leave_unresolved.NAME: "left_unresolved",
    business_exception.NAME: "exception",
    protected_repeat.NAME: "protected_repeat",
    new_operation.NAME: "new_operation",
    close_original.NAME: "close_original",
}
_JUDGED: Final[Mapping[str, str]] = {approve_exception.APPROVE: "approved", approve_exception.DECLINE: "declined"}


def _said(value: Any) -> Any:
    """Return a column's value as a decision's content writes it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return str(value) if isinstance(value, Decimal | UUID) else value


def _same(stated: Any, value: Any) -> bool:
    if isinstance(value, Decimal) and isinstance(stated, str):
        return Decimal(stated) == value
    return bool(stated == _said(value))


def _expected(decision: Decision, columns: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield what a door's row must state, as far as it has the columns."""
    then = decision.standing
    standing = {"evidence": then["evidence"], "finality": then["finality"], "conflict": then["conflict_kind"] or ""}
    stated = {
        **standing,
        "standing": then,
        "revision": decision.revision,
        "operation_id": str(decision.operation_id),
        "decided_at": _said(decision.decided_at),
        "proposed_at": _said(decision.decided_at),
        **decision.content,
    }
    yield from [(name, value) for name, value in stated.items() if name in columns]


def _person(row: Any) -> str | None:
    by = getattr(row, "decided_by", None) or getattr(row, "proposed_by", None)
    return None if by is None else str(by.username)


def differences(row: Any, decision: Decision) -> list[str]:
    """Return the columns in which a door's row says something else than its decision."""
    columns = {field.attname for field in row._meta.concrete_fields}  # noqa: SLF001  # public in all but name
    found = [name for name, value in _expected(decision, columns) if not _same(value, getattr(row, name))]
    person = _person(row)
    return [*found, "decided_by"] if person is not None and person != decision.decided_by else found


def _doors() -> Iterator[Any]:
    """Yield the model of each door whose rows hang on a decision."""
    for model in apps.get_app_config("escalation").get_models():
        named: Any = {field.name: field for field in model._meta.fields}.get("decision")  # noqa: SLF001  # likewise
        if named is not None and named.one_to_one:
            yield model


def _people(model: Any) -> list[str]:
    return [name for name in ("decided_by", "proposed_by") if hasattr(model, name)]


def _line(row: Any, number: int, why: str) -> str:
    return f"operation {number}, {row._meta.model_name} {row.pk}: {why}"  # noqa: SLF001  # likewise


def _told(row: Any, decision: Decision) -> Iterator[str]:
    wrong = differences(row, decision)
    if wrong:
        yield _line(row, decision.operation.number, f"changed. It differs from its decision in {', '.join(wrong)}.")


def _repairs() -> Iterator[str]:
    """Yield what is wrong with repairs, which are found by the revision that they were decided on."""
    rows = RecordRepair.objects.select_related("operation", "completion", "decided_by").order_by("pk")
    for row in rows.iterator(chunk_size=AT_ONCE):
        decision = row.operation.decisions.filter(door=record_repair.NAME, revision=row.revision).first()
        if decision is None:
            yield _line(row, row.operation.number, "inserted. The chain has no such decision.")
            continue
        yield from _told(row, decision)
        receipt = row.completion.receipt_id
        if decision.content["receipt"] != (None if receipt is None else str(receipt)):
            yield _line(row, row.operation.number, "changed. It names another receipt than its decision.")


def _judgements() -> Iterator[str]:
    """Yield what is wrong with risks that a second person accepted or declined."""
    rows = BusinessException.objects.select_related("operation", "judgement", "approved_by", "declined_by")
    for row in rows.order_by("pk").iterator(chunk_size=AT_ONCE):
        judged = None if row.judgement is None else _JUDGED.get(row.judgement.door)
        for word in _JUDGED.values():
            if _said_of(row, word) != (_said_of_chain(row.judgement) if judged == word else (None, None)):
                yield _line(row, row.operation.number, f"changed. The chain says otherwise of who {word} it, and when.")
        if row.judgement is not None and row.judgement.content["remark"] != row.remark:
            yield _line(row, row.operation.number, "changed. It differs from its judgement in remark.")


def _said_of(row: BusinessException, word: str) -> tuple[Any, Any]:
    by = getattr(row, f"{word}_by")
    return None if by is None else by.username, getattr(row, f"{word}_at")


def _said_of_chain(judgement: Decision | None) -> tuple[Any, Any]:
    return (None, None) if judgement is None else (judgement.decided_by, judgement.decided_at)


def _removed(decisions: Any) -> Iterator[str]:
    """Yield the chained decisions whose door's row is gone; `decisions` is the query of every decision."""
    for door, name in _LEAVES.items():
        for decision in decisions.filter(door=door, **{name: None}).select_related("operation").iterator(AT_ONCE):
            yield f"operation {decision.operation.number}, {name} of {decision.pk}: removed. Only its decision is left."
    kept = BusinessException.objects.exclude(judgement=None).values("judgement")
    judged = decisions.filter(door__in=list(_JUDGED)).exclude(pk__in=kept)
    for decision in judged.select_related("operation").iterator(AT_ONCE):
        yield f"operation {decision.operation.number}, judgement {decision.pk}: removed. Only its decision is left."
    for decision in decisions.filter(door=record_repair.NAME).select_related("operation").iterator(AT_ONCE):
        if not RecordRepair.objects.filter(operation=decision.operation_id, revision=decision.revision).exists():
            number = decision.operation.number
            yield f"operation {number}, record_repair of {decision.pk}: removed. Only its decision is left."


def compared() -> Iterator[str]:
    """Yield in a sentence each row of a door that was changed, removed or inserted."""
    for model in _doors():
        rows = model.objects.select_related("decision__operation", *_people(model)).order_by("pk")
        for row in rows.iterator(chunk_size=AT_ONCE):
            yield from _told(row, row.decision)
    yield from _repairs()
    yield from _judgements()
    yield from compared_signatures.compared()
    decision: Any = apps.get_model("operations", "Decision")
    yield from _removed(decision.objects.order_by("pk"))
