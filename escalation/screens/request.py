"""The exact request that an operation is bound to, as far as it can be shown as text."""

from dataclasses import dataclass

from escalation.screens.sight import Sight


@dataclass(frozen=True, slots=True)
class BoundRequest:
    """Method, target, binding header lines, body and arguments; `digest` is the representation's (SHA-256)."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: str
    arguments: str
    scope: str
    digest: str


def _text(raw: bytes | memoryview | None) -> str:
    return "" if raw is None else bytes(raw).decode("utf-8", errors="backslashreplace")


def bound_request(sight: Sight) -> BoundRequest:
    """Return the request of this operation."""
    row = sight.operation
    return BoundRequest(
        method=row.method,
        target=row.target,
        headers=tuple([(name, value) for name, value in row.headers]),
        body=_text(row.body),
        arguments=_text(row.arguments),
        scope=row.scope,
        digest=row.digest,
    )
