"""The digest chain of one operation: no link can be changed, left out or moved without every later digest changing."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Final
from uuid import UUID

import pgtrigger

DIGEST_BYTES: Final = 32
NOTHING_BEFORE: Final = b"\0" * DIGEST_BYTES


def canonical(row: Mapping[str, object]) -> bytes:
    """Return one row as bytes that depend on its values alone: sorted names, bytes in hex, times in UTC."""
    return _CANONICAL.encode(row).encode()


def _written(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date | time):  # of a place, so in no zone
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_written)


def link(previous: bytes, row: Mapping[str, object]) -> bytes:
    """Return the digest of the link that `row` adds after `previous` (32 bytes): sha256(previous, canonical row)."""
    return hashlib.sha256(previous + canonical(row)).digest()


def append_only(name: str) -> list[pgtrigger.Trigger]:
    """Return the triggers that refuse to change or remove a row, a second line behind the app role's rights."""
    return [pgtrigger.Protect(name=f"{name}_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)]
