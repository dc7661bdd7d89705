"""The exact request of an operation, as the agents' door shows it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pydantic import BaseModel

if TYPE_CHECKING:
    from operations.models import Operation


class RequestShown(BaseModel):
    """The exact request; bytes in base64."""

    method: str
    target: str
    headers: list[list[str]]
    body: str | None
    arguments: str | None
    scope: str
    digest: str


def _base64(data: bytes | memoryview[int] | None) -> str | None:
    return None if data is None else base64.b64encode(bytes(data)).decode()


def request_shown(row: Operation) -> RequestShown:
    """Return the exact request that an operation is bound to."""
    return RequestShown(
        method=row.method,
        target=row.target,
        headers=row.headers,
        body=_base64(row.body),
        arguments=_base64(row.arguments),
        scope=row.scope,
        digest=row.digest,
    )
