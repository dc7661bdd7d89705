"""A published correction reaches every open operation, in batches that may be killed at any moment.

design.md, rule 1: when a contract is corrected, old observations are read anew. Publishing writes one row and nothing
else; which operations are still read by an older version is a question to the database, so nothing has to be
remembered, and a batch that dies is asked for again. Each operation is one transaction.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from operations import versions
from operations.recording import writing

logger: Final = logging.getLogger(__name__)

BATCH: Final = 200
# One run ends well inside a task's time, on a slow machine too; the next goes on where it ended.
MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Reread:
    """What one run did: how many operations it read anew, and which it could not."""

    read: int
    failed: tuple[UUID, ...]


def reread(*, now: datetime, most: int = MOST) -> Reread:
    """Read anew up to `most` open operations that an older contract version reads; a run that dies loses nothing.

    What can't be read anew is logged and left as it is, and keeps no other operation waiting; every run tries it again.
    """
    read, failed = 0, list[UUID]()
    while read + len(failed) < most:
        found = versions.behind(limit=min(BATCH, most - read - len(failed)), but=failed)
        if not found:
            break
        for operation_id in found:
            if _read_anew(operation_id, now=now):
                read += 1
            else:
                failed.append(operation_id)
    return Reread(read, tuple(failed))


def _read_anew(operation_id: UUID, *, now: datetime) -> bool:
    """Read one operation by the contract in force, in a transaction of its own; False where that went wrong."""
    try:
        with writing(operation_id, now=now):
            return True
    except Exception:
        logger.exception("operation %s could not be read anew", operation_id)
        return False
