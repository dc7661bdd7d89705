"""What must not be kept of a record is dropped before anything of it is stored, and said: where, and by which rule.

Values under the names that secrets have, texts in which secrets are written, and the context that a program gave its own
run. A record may hold secrets that none of these rules knows: whoever brings it in is told so.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json, StrictJsonError, parse, pointer, written
from operations.imports.document import DEEPEST, Document, member

DROPPED: Final = "[dropped]"
CONTEXT, BY_NAME, BY_TEXT = "context", "secret_name", "secret_text"

_NAMES: Final = (
    "authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|apikeys?|tracing_api_key|api[-_]?token"
    "|auth[-_]?token|access[-_]?token|refresh[-_]?token|id[-_]?token|session[-_]?token|bearer[-_]?token|token|bearer"
    "|client[-_]?secret|secret|secret[-_]?key|secret[-_]?access[-_]?key|signing[-_]?secret|webhook[-_]?secret|passw(?:or)?d"
    "|passphrase|private[-_]?key|credentials?"
)
_NAME: Final = re.compile(_NAMES, re.IGNORECASE)
# What stands in a text: a member of JSON in it, a parameter, a header's line, and what is a secret by its own form.
_IN_TEXT: Final = re.compile(
    rf"""(?P<before>"(?:{_NAMES})"\s*:\s*")(?:[^"\\]|\\.)+"""
    rf"""|(?P<quoted>'(?:{_NAMES})'\s*:\s*')(?:[^'\\]|\\.)+"""
    rf"""|(?P<escaped>\\"(?:{_NAMES})\\"\s*:\s*\\")(?:\\{{3}}"|(?!\\").)+"""
    rf"""|(?P<key>\b(?:{_NAMES})=)(?P<value>[^\s&"'\\;,]+)"""
    r"""|(?P<scheme>\b(?:Bearer|Basic)\s)(?P<credential>[A-Za-z0-9._~+/=-]{8,})"""
    r"""|(?P<user>://)(?P<pass>[^\s/@:"']{1,200}:[^\s/@"']{1,200})(?=@)"""
    r"""|(?P<whole>\b(?:sk-[A-Za-z0-9_-]{16,}|unr_[A-Za-z0-9]{4,}\.[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{20,}"""
    r"""|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}"""
    r"""|(?:rk|sk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}"""
    r"""|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"""
    r"""|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*-----END [A-Z ]{0,20}PRIVATE KEY-----)""",
    re.IGNORECASE | re.DOTALL,
)
# One of these stands in every text in which the expression finds anything.
_SIGNS: Final = (
    *("authorization", "cookie", "token", "secret", "key", "passw", "passphrase", "credential", "bearer", "basic"),
    *("://", "sk-", "unr_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "akia", "aiza", "_live_"),
    *("_test_", "whsec_", "eyj"),
)


class _Dropped(list[tuple[str, str]]):
    """What is dropped, as (place, rule). `inner`: of JSON in a text; a text in that is no further JSON, however it looks.

    Else whoever writes JSON in JSON in JSON would set how deep we go.
    """

    inner = False


@dataclass(slots=True)
class Kept:
    """A record without what must not be kept; `dropped` are (place, rule), in the order of the record."""

    document: Document
    dropped: list[tuple[str, str]] = field(default_factory=list)


def kept(document: Document) -> Kept:
    """Return a record as it may be kept. What is dropped leaves a mark in its place, so that every pointer still holds."""
    dropped = _Dropped()
    value = document.value if document.lines else _kept(document.value, (), dropped)
    lines = []
    for number, line in document.lines:
        found = _Dropped()
        lines.append((number, _kept(line, (), found)))
        dropped += [(f"line {number} {place}", rule) for place, rule in found]
    return Kept(Document(value=value, lines=tuple(lines), left_out=document.left_out), dropped)


def _kept(value: Json, way: tuple[str | int, ...], dropped: _Dropped) -> Json:
    if isinstance(value, str):
        return _text(value, way, dropped)
    if isinstance(value, list):
        return _list(value, way, dropped)
    if isinstance(value, dict):
        return _members(value, way, dropped)
    return value


def _members(value: dict[str, Json], way: tuple[str | int, ...], dropped: _Dropped) -> dict[str, Json]:
    """Keep an object; in one of a header's name and value it is the value that goes."""
    given, name = _program_context(value), value.get("name")
    secret = "value" if isinstance(name, str) and _NAME.fullmatch(name) else None
    return {
        name: _member(name, one, (*way, name), dropped, given=given, secret=name == secret)
        for name, one in value.items()
    }


def _member(
    name: str,
    value: Json,
    way: tuple[str | int, ...],
    dropped: _Dropped,
    *,
    given: Json,
    secret: bool,
) -> Json:
    if isinstance(given, dict) and value is given and given.get("context") not in (None, {}, ""):
        dropped.append((pointer((*way, "context")), CONTEXT))
        value = {**given, "context": DROPPED}
    if (secret or _NAME.fullmatch(name)) and value not in (None, "", {}, []) and not isinstance(value, bool):
        dropped.append((pointer(way), BY_NAME))
        return DROPPED
    return _kept(value, way, dropped)


def _program_context(value: dict[str, Json]) -> Json:
    """Return the `context` of a state of the Agents SDK, in which the program keeps what it likes; None elsewhere."""
    return member(value, "context") if "$schemaVersion" in value or "model_responses" in value else None


def _list(value: list[Json], way: tuple[str | int, ...], dropped: _Dropped) -> Json:
    """Keep a list; one of a header's name and value loses the value."""
    if len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str) and _NAME.fullmatch(value[0]):
        dropped.append((pointer((*way, 1)), BY_NAME))
        return [value[0], DROPPED]
    return [_kept(one, (*way, index), dropped) for index, one in enumerate(value)]


def _text(text: str, way: tuple[str | int, ...], dropped: _Dropped) -> str:
    low = text.lower()
    if not any(sign in low for sign in _SIGNS):  # tens of times faster than the expression, for nearly every text
        return text
    found = _IN_TEXT.sub(_marked, text if dropped.inner else _json_in(text))
    if found != text:
        dropped.append((pointer(way), BY_TEXT))
    return found


def _json_in(text: str) -> str:
    """Return a text that is JSON, as arguments are, without its secrets; any other text, or one without, as it is."""
    if text[:1] not in ("{", "["):
        return text
    inner = _Dropped()
    inner.inner = True
    try:
        found = _kept(parse(text, deepest=DEEPEST), (), inner)
    except StrictJsonError:
        return text
    return written(found) if inner else text


def _marked(match: re.Match[str]) -> str:
    before = (
        match["before"] or match["quoted"] or match["escaped"] or match["key"] or match["scheme"] or match["user"] or ""
    )
    return f"{before}{DROPPED}"
