"""One request exactly as its bytes go out, and the digest that names it at the desk."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]
_MAGIC: Final = b"unresolved representation 1"


def as_json(value: object) -> bytes:
    """Return a value as strict JSON; the same value gives the same bytes. Raises ValueError or TypeError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def in_base64(data: bytes | None) -> str | None:
    """Return bytes as the desk takes them."""
    return None if data is None else base64.b64encode(data).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a tool sends. `target` is path and query; `headers` are the lines that bind, never a credential."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes | None = None

    @classmethod
    def json(cls, method: str, target: str, value: object, *, headers: Mapping[str, str] | None = None) -> "Request":
        """Return a request with a JSON body."""
        lines = tuple((headers or {}).items())
        return cls(
            method=method, target=target, headers=(("Content-Type", "application/json"), *lines), body=as_json(value)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the recipient answered. `truncated`: bytes are missing at its end."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What one operation is bound to: request, identity, arguments (strict JSON) and scope. It never changes."""

    recipient: str
    identity: str
    request: Request
    arguments: bytes | None
    scope: str

    @property
    def digest(self) -> str:
        """The digest of the representation, as the desk computes it: docs/integrate/api.md, The digest."""
        return sha256(b"".join([_item(part) for part in self._parts()])).hexdigest()

    def _parts(self) -> Iterator[bytes | None]:
        asked = self.request
        yield _MAGIC
        yield from [text.encode() for text in (asked.method, asked.target, self.scope, self.identity)]
        yield str(len(asked.headers)).encode()
        for name, value in asked.headers:
            yield name.lower().encode()
            yield value.encode()
        yield asked.body
        yield self.arguments

    def as_asked(self) -> dict[str, Any]:
        """Return the request as the desk's registration takes it."""
        return {
            "method": self.request.method,
            "target": self.request.target,
            "headers": [list(line) for line in self.request.headers],
            "body": in_base64(self.request.body),
            "arguments": in_base64(self.arguments),
            "scope": self.scope,
        }


def _item(part: bytes | None) -> bytes:
    return b"-" if part is None else b"+" + len(part).to_bytes(8, "big") + part
