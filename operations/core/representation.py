"""What was asked for, exactly: the bytes and words that one operation binds, and a digest that names them.

An operation never changes (semantics.md, Words); this value is what "never" is measured against. Another language
computes the same digest from the description of `digest` alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

from operations.core.facts import FactError
from operations.core.strict_json import StrictJsonError, parse

_MAGIC: Final = b"unresolved representation 1"
_ABSENT: Final = b"-"
# RFC 9110, section 5.6.2: the characters of a token.
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
# What would let a value end its line and begin another: RFC 9110, section 5.5, and every other control but the tab.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_CONTROL_OR_SPACE: Final = re.compile(r"[\x00-\x20\x7f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

Headers: TypeAlias = tuple[tuple[str, str], ...]


def _require_text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise FactError(field, "text", "must be text")
    if _SURROGATE.search(value):
        raise FactError(field, "lone_surrogate", "must not hold half of a surrogate pair")
    return value


def _require_word(field: str, value: object) -> None:
    text = _require_text(field, value)
    if not text:
        raise FactError(field, "not_empty", "must not be empty")
    if _CONTROL_OR_SPACE.search(text):
        raise FactError(field, "no_space", "must hold no space, line break or other control character")


def _require_bytes(field: str, value: object) -> None:
    if value is not None and type(value) is not bytes:
        raise FactError(field, "bytes", "must be bytes, or None where there is none")


def require_header_name(field: str, name: object) -> None:
    """Raise FactError unless the name is a field name of HTTP (RFC 9110, section 5.1)."""
    if not _TOKEN.fullmatch(_require_text(field, name)):
        raise FactError(field, "token", "must be a header name: letters, digits and !#$%&'*+-.^_`|~")


def _require_header_value(field: str, value: object) -> None:
    text = _require_text(field, value)
    if _CONTROL.search(text):
        raise FactError(field, "no_control", "must hold no line break or other control character")
    if text.strip(" \t") != text:
        raise FactError(field, "no_outer_space", "must not begin or end with white space, which isn't part of a value")


def _require_headers(headers: object) -> None:
    if type(headers) is not tuple:
        raise FactError("headers", "pairs", "must be a tuple of pairs of name and value")
    for index, line in enumerate(headers):
        if type(line) is not tuple or len(line) != 2:
            raise FactError(f"headers[{index}]", "pairs", "must be a pair of name and value")
        require_header_name(f"headers[{index}].name", line[0])
        _require_header_value(f"headers[{index}].value", line[1])


def _require_arguments(arguments: bytes | None) -> None:
    _require_bytes("arguments", arguments)
    if arguments is None:
        return
    try:
        parse(arguments)
    except StrictJsonError as error:
        raise FactError(
            f"arguments{error.place if error.place.startswith('/') else ''}", error.rule, str(error)
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """One operation's exact representation; two are the same only if their digests are equal.

    `method` and `target` are the words of the recipient's protocol (POST and /v1/charges; tools/call and a tool's
    name). `headers` are the lines that bind, in order, repeated names allowed; names are compared without regard to
    the case of letters (RFC 9110, section 5.1), values are never touched. `body` and `arguments` are raw bytes, None
    where there is none, which isn't the same as empty; `arguments` are strict JSON. `scope` is the account,
    credential reference, host and region it goes to, as one text that the desk keeps equal to itself; it may be
    empty. Anything else raises FactError with the field and the rule.
    """

    method: str
    target: str
    headers: Headers = ()
    body: bytes | None = None
    arguments: bytes | None = None
    scope: str
    identity: str

    def __post_init__(self) -> None:
        _require_word("method", self.method)
        _require_word("target", self.target)
        _require_headers(self.headers)
        _require_bytes("body", self.body)
        _require_arguments(self.arguments)
        _require_text("scope", self.scope)
        if not _require_text("identity", self.identity):
            raise FactError("identity", "not_empty", "must not be empty")

    @property
    def digest(self) -> str:
        """SHA-256 in lower-case hexadecimal over the items of the representation, each unmistakable from the next.

        An item is `+`, its length in bytes as 8 bytes, most significant first, and its bytes; text as UTF-8. What is
        absent is the one byte `-`. In order: the text `unresolved representation 1`, method, target, scope, identity,
        the number of header lines in decimal, then for each line in order its name in lower case (A to Z) and its
        value, then body, then arguments.
        """
        return sha256(b"".join([_item(part) for part in self._parts()])).hexdigest()

    def _parts(self) -> Iterator[bytes | None]:
        yield _MAGIC
        yield from [text.encode() for text in (self.method, self.target, self.scope, self.identity)]
        yield str(len(self.headers)).encode()
        for name, value in self.headers:
            yield name.lower().encode()
            yield value.encode()
        yield self.body
        yield self.arguments


def _item(part: bytes | None) -> bytes:
    return _ABSENT if part is None else b"+" + len(part).to_bytes(8, "big") + part
