"""One request exactly as its bytes go out, and the digest that names it at the desk."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]
LONGEST: Final = 1024 * 1024  # bytes of a body that the desk takes
# Lines that are never bound: what is bound is kept.
CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_MAGIC: Final = b"unresolved representation 1"


class NotRecordable(ValueError):
    """No desk could put this on record, so it is not sent: the sentence says what is wrong."""


def as_json(value: object) -> bytes:
    """Return a value as strict JSON; the same value gives the same bytes. Raises `NotRecordable`."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise NotRecordable(f"it is no JSON: {error}") from error


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
    """What one operation is bound to: request, identity, arguments (strict JSON) and scope. It never changes.

    Raises `NotRecordable` for what the desk's door would not take (docs/integrate/api.md), before anything is sent.
    """

    recipient: str
    identity: str
    request: Request
    arguments: bytes | None
    scope: str

    def __post_init__(self) -> None:
        asked = self.request
        _require("the identity", self.identity, least=1, most=255)
        _require("the scope", self.scope, least=0, most=255)
        _require("the target", asked.target, least=1, most=2048)
        _require("the method", asked.method, least=1, most=64)
        for name, value in asked.headers:
            _require("a header's name", name, least=1, most=8192)
            _require("a header's value", value, least=0, most=8192)
            if name.lower() in CREDENTIALS:
                raise NotRecordable(f"{name} is a credential, which is the sender's to add and nobody's to keep")
        for what, data in (("the body", asked.body), ("the arguments", self.arguments)):
            if data is not None and len(data) > LONGEST:
                raise NotRecordable(f"{what} may have {LONGEST} bytes")

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


def one_line(text: str, *, most: int) -> str:
    """Return text as the desk takes a label: cut, and without control characters."""
    return _CONTROL.sub(" ", text)[:most]


def _require(what: str, text: str, *, least: int, most: int) -> None:
    if not least <= len(text) <= most:
        raise NotRecordable(f"{what} must have {least} to {most} characters")
    if _CONTROL.search(text):
        raise NotRecordable(f"{what} must hold no control character")


def _item(part: bytes | None) -> bytes:
    return b"-" if part is None else b"+" + len(part).to_bytes(8, "big") + part
