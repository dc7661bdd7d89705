"""Operations come in pages by key, so that a list that grows meanwhile shows none twice and leaves none out."""

import base64
import binascii
import json
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from operations import reading
from operations.api.door import Visit
from operations.api.fields import Identity, Label, Moment, RecipientKey
from operations.api.problems import Problem, wrong_field
from operations.api.shown import Summary, summary
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality

MOST: Final = 200
_VERSION: Final = 1


class Filters(BaseModel):
    """What to list. Words of the standing are those of the last time that it was inferred."""

    model_config = ConfigDict(extra="forbid")

    recipient: RecipientKey | None = None
    identity: Identity | None = None
    evidence: Evidence | None = None
    finality: Finality | None = None
    protection: Protection | None = None
    conflict: bool | None = None
    sealed: bool | None = None
    agent: Label | None = None
    run: Label | None = None
    call: Label | None = None
    tool: Label | None = None
    created_since: Moment | None = None
    created_before: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 50
    cursor: Annotated[str | None, Field(max_length=200)] = None


PARAMETERS: Final = tuple(Filters.model_fields)
_COLUMNS: Final = {"created_since": "created_at__gte", "created_before": "created_at__lt"}
_AS_THEY_ARE: Final = ("identity", "evidence", "finality", "protection", "sealed", "agent", "run", "call", "tool")


class Page(BaseModel):
    """One page; `next` is null on the last."""

    items: list[Summary]
    next: str | None


def cursor_after(operation_id: UUID) -> str:
    """Return the cursor that goes on after an operation. Only this desk reads it."""
    return base64.urlsafe_b64encode(json.dumps([_VERSION, operation_id.hex]).encode()).decode().rstrip("=")


def _wrong_cursor() -> Problem:
    return wrong_field("cursor", "cursor", "must be the `next` of a page", at="query")


def _before(cursor: str) -> UUID:
    try:
        version, operation_id = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True))
        found = UUID(hex=operation_id)
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise _wrong_cursor() from None
    if version != _VERSION or cursor_after(found) != cursor:
        raise _wrong_cursor()
    return found


def _having(filters: Filters) -> dict[str, Any]:
    found = {name: getattr(filters, name) for name in _AS_THEY_ARE}
    found |= {column: getattr(filters, name) for name, column in _COLUMNS.items()}
    if filters.conflict is not None:
        found["conflict__isnull"] = not filters.conflict
    return {name: value for name, value in found.items() if value is not None}


def page(visit: Visit, filters: Filters) -> Page:
    """Return one page of the operations that the key may see."""
    recipients = visit.recipients if filters.recipient is None else {visit.recipient(filters.recipient)}
    before = None if filters.cursor is None else _before(filters.cursor)
    rows = reading.page(recipients, having=_having(filters), before=before, limit=filters.limit + 1)
    kept = rows[: filters.limit]
    more = len(rows) > filters.limit
    return Page(items=[summary(row) for row in kept], next=cursor_after(kept[-1].id) if more else None)
