"""The audit list as files: CSV that no spreadsheet takes for formulas, and JSON lines; keys stand in one fixed order."""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any, Final

from escalation.screens.audit_line import Line


class _Handed:
    """What the CSV writer writes to: each line is handed back, so that none is kept."""

    def write(self, line: str) -> str:
        return line


def exported(line: Line) -> dict[str, Any]:
    """Return an act as the exports have it; the keys stand in one fixed order."""
    row, then = line.operation, line.stood
    return {
        "at": line.at.astimezone(UTC).isoformat(),
        "by": line.by,
        "act": line.act,
        "operation": None if row is None else row.number,
        "recipient": None if row is None else row.recipient.key,
        "effect": None if row is None else row.effect,
        "stood_on_did_it_happen": None if then is None else then.happened,
        "stood_on_could_it_still_happen": None if then is None else then.still,
        "stood_on_safe_to_send_again": None if then is None else then.safe,
        "result": line.result,
        "did_it_happen_now": line.now or None,
        "decided": line.content,
        "position": line.position,
        "digest": line.digest or None,
    }


COLUMNS: Final = (
    "at",
    "by",
    "act",
    "operation",
    "recipient",
    "effect",
    "stood_on_did_it_happen",
    "stood_on_could_it_still_happen",
    "stood_on_safe_to_send_again",
    "result",
    "did_it_happen_now",
    "decided",
    "position",
    "digest",
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: Any) -> str:
    """Return a value as a cell that no spreadsheet takes for a formula: what could begin one gets an apostrophe."""
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text.startswith(_FORMULA) else text


def table(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield any table as CSV line by line, its heads first."""
    writer: Any = csv.writer(_Handed())
    yield writer.writerow([cell(name) for name in columns])
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def as_csv(lines: Iterable[Line]) -> Iterator[str]:
    """Return the file line by line, its heads first."""
    return table(COLUMNS, (exported(line).values() for line in lines))


def as_json_lines(lines: Iterable[Line]) -> Iterator[str]:
    """Yield one JSON object a line."""
    for line in lines:
        yield json.dumps(exported(line), ensure_ascii=True) + "\n"
