"""What was proposed for a second signature, and who declined it or took it back, as lines of the audit list.

Who signed stands there by the decision itself, with the name of who proposed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from escalation.models import SecondSignature
from escalation.models.second_signature import State
from escalation.screens import audit_line
from escalation.screens.audit_line import Line, millisecond, place
from escalation.screens.decided_words import ACTIONS
from escalation.screens.stood import happened, stood
from escalation.screens.times import exact
from operations.auditing.acts import Asked

PROPOSED, DECLINED, WITHDRAWN = "signature_proposed", "signature_declined", "signature_withdrawn"
NAMES: Final[Mapping[str, str]] = {
    PROPOSED: "Proposed, for a second signature",
    DECLINED: "Declined to sign",
    WITHDRAWN: "Took a proposal back",
}
_ENDS: Final = {State.DECLINED.value: DECLINED, State.WITHDRAWN.value: WITHDRAWN}
_UNUSED: Final = ("typed", "operation__body", "operation__arguments", "operation__headers")
# Places are told by the millisecond, rows by the microsecond: so many more are read that none is left out at the edge.
_MORE: Final = 100


def _rows(asked: Asked, *, at: str, by: str, before: int | None, limit: int) -> Any:
    stated = {
        f"{by}__username": asked.person or None,
        "operation__recipient__key": asked.recipient or None,
        f"{at}__gte": asked.since,
        f"{at}__lt": asked.until,
        "operation__recipient_id__in": asked.among,
        f"{at}__lte": None if before is None else _end_of(millisecond(before)),
    }
    rows = SecondSignature.objects.filter(**{name: value for name, value in stated.items() if value is not None})
    whole = rows.select_related("operation__recipient", "proposed_by", "ended_by").defer(*_UNUSED)
    return whole.order_by(f"-{at}", "-id")[: limit + _MORE]


def _end_of(since_1970: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=since_1970 + 1)


def _line(row: SecondSignature, act: str, at: datetime, by: str, *, result: str) -> Line:
    operation = row.operation
    return Line(
        key=place(at, row.pk, kind=audit_line.PROPOSED if act == PROPOSED else audit_line.ANSWERED),
        at=at,
        by=by,
        act=act,
        name=NAMES[act],
        result=result,
        operation=operation,
        stood=stood(row.standing),
        now=happened(operation.evidence, operation.finality, conflict=operation.conflict is not None),
        content=row.content,
    )


def _proposed(row: SecondSignature) -> Line:
    result = (
        f"“{ACTIONS[row.action]}”, as number {row.pk}. Another person could sign it until {exact(row.lapses_at)};"
        " nothing is decided by it."
    )
    return _line(row, PROPOSED, row.proposed_at, row.proposed_by.username, result=result)


def _ended(row: SecondSignature) -> Line:
    assert row.ended_at is not None and row.ended_by is not None  # noqa: S101, PT018  # a constraint of the table
    result = f"“{ACTIONS[row.action]}”, number {row.pk}, proposed by {row.proposed_by.username}. {row.reason}".strip()
    return _line(row, _ENDS[row.ended_as], row.ended_at, row.ended_by.username, result=result)


def _of(asked: Asked, *, before: int | None, limit: int) -> Iterator[Line]:
    if asked.act in ("", PROPOSED):
        for row in _rows(asked, at="proposed_at", by="proposed_by", before=before, limit=limit):
            yield _proposed(row)
    if asked.act in ("", DECLINED, WITHDRAWN):
        for row in _rows(asked, at="ended_at", by="ended_by", before=before, limit=limit):
            if row.ended_as in _ENDS and asked.act in ("", _ENDS[row.ended_as]):
                yield _ended(row)


def lines(asked: Asked, *, before: int | None, limit: int) -> list[Line]:
    """Return up to `limit` lines behind `before`, the newest first."""
    found = [line for line in _of(asked, before=before, limit=limit) if before is None or line.key < before]
    return sorted(found, key=lambda line: line.key, reverse=True)[:limit]
