"""The queue as files: CSV that no spreadsheet takes for formulas, and JSON lines; keys stand in one fixed order.

Rows are as they were last written (docs/queue.md); group and time to act before are those of the moment of asking.
"""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from escalation.queue import NEVER, Group, Question
from escalation.queue.asking import waiting
from escalation.screens.audit_export import cell

_KEYS: Final = (
    "number",
    "group",
    "recipient__key",
    "operation__effect",
    "operation__identity",
    "situation",
    "missing",
    "at",
    "deadline",
    "owner__username",
    "operation__created_at",
)
COLUMNS: Final = (
    "number",
    "group",
    "recipient",
    "effect",
    "request_number",
    "did_it_happen",
    "missing",
    "act_before",
    "look_again_at",
    "deadline",
    "looked_after_by",
    "registered_at",
)


class _Handed:
    """What the CSV writer writes to: each line is handed back, so that none is kept."""

    def write(self, line: str) -> str:
        return line


def exported(question: Question) -> Iterator[dict[str, Any]]:
    """Yield each row as the exports have it; the keys stand in one fixed order."""
    for row in waiting(question, keys=_KEYS).iterator(chunk_size=500):
        number, group, recipient, effect, identity, situation, missing, at, deadline, owner, created_at = row
        left = group == Group.LEFT_UNRESOLVED
        values = (
            number,
            Group(group).name.lower(),
            recipient,
            effect,
            identity,
            situation,
            missing or None,
            None if left or at >= NEVER else _written(at),
            _written(at) if left else None,
            _written(deadline),
            owner,
            _written(created_at),
        )
        yield dict(zip(COLUMNS, values, strict=True))


def _written(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat()


def as_csv(question: Question) -> Iterator[str]:
    """Yield the file line by line, its heads first."""
    writer: Any = csv.writer(_Handed())
    yield writer.writerow(COLUMNS)
    for row in exported(question):
        yield writer.writerow([cell(value) for value in row.values()])


def as_json_lines(question: Question) -> Iterator[str]:
    """Yield one JSON object a line."""
    for row in exported(question):
        yield json.dumps(row, ensure_ascii=True) + "\n"
