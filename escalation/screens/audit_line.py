"""One line of the audit list, and its place among the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from escalation.screens.stood import Stood
    from operations.models import Operation

# What stands in the list without an id that sorts by time; two of them may have one number and one moment.
GIVEN, ENDED, CHANGED, PROPOSED, ANSWERED, RULE_SET, RULE_ENDED, LIMIT_SET, LIMIT_ENDED, OF_A_TEAM = range(10)
OF_A_SUBSCRIPTION: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One act as people read it; `key` is its place in the list."""

    key: int
    at: datetime
    by: str
    act: str
    name: str
    result: str
    operation: Operation | None = None
    stood: Stood | None = None
    now: str = ""
    position: int | None = None
    digest: str = ""
    content: Mapping[str, Any] | None = None


def place(at: datetime, pk: int, *, kind: int) -> int:
    """Return a place for what has no id that sorts by time: its milliseconds, then its number, as uuid7 has them."""
    return int(at.timestamp() * 1000) << 80 | 0x7 << 76 | pk << 4 | kind


def millisecond(key: int) -> int:
    """Return the millisecond since 1970 at which a place lies."""
    return key >> 80
