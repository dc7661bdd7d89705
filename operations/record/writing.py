"""How times, digests and bytes are written in the record."""

import base64
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any


def at(moment: datetime | None) -> str | None:
    """Return a time in UTC as ISO 8601 writes it."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def digits(digest: bytes | memoryview) -> str:
    """Return a digest in lower-case hexadecimal."""
    return bytes(digest).hex()


def payload(raw: bytes | memoryview | None, *, truncated: bool = False) -> dict[str, Any] | None:
    """Return bytes as JSON can hold them, with their SHA-256."""
    if raw is None:
        return None
    whole = bytes(raw)
    return {
        "bytes": len(whole),
        "sha256": sha256(whole).hexdigest(),
        "truncated": truncated,
        "base64": base64.b64encode(whole).decode(),
    }
