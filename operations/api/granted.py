"""A grant as the agents' door shows it: what one further attempt may send, and until when it may begin."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from pydantic import BaseModel

from operations.api.door import Visit
from operations.api.problems import Problem
from operations.reading import bound, seconds
from operations.recording import granting

if TYPE_CHECKING:
    from operations.models import Grant


class GrantSaid(BaseModel):
    """Leave for one attempt: give its id and this digest when you begin. It ends before the recipient's protection does."""

    grant: UUID
    operation: UUID
    action: str
    digest: str
    scope: str
    ends_at: float
    ends_at_iso: datetime


def grant_said(found: Grant) -> GrantSaid:
    """Return a grant that waits."""
    return GrantSaid(
        grant=found.id,
        operation=found.operation_id,
        action=found.action,
        digest=found.request_digest,
        scope=found.scope,
        ends_at=seconds(found.ends_at),
        ends_at_iso=found.ends_at,
    )


def waiting_grant(operation_id: UUID, *, visit: Visit) -> GrantSaid:
    """Return the grant that waits for an attempt of an operation; raises the problem that none does."""
    row = bound(operation_id, recipients=visit.recipients)
    found = granting.waiting(row.id, now=visit.now)
    if found is None:
        raise Problem(404, "no_grant", "No grant of this operation waits for an attempt.")
    return grant_said(found)
