"""A line of JSON-RPC is read so that no server can read another call in it; numbers stay as they were written.

Two readers may take names that come twice, or that differ in case, for different things. Where that would decide which
tool is called, the line is no call that anybody may forward.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

CALL: Final = "tools/call"
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


class Number(str):
    """A number as it was written."""

    __slots__ = ()


class Object(dict[str, Any]):
    """A JSON object; `twice` are the names that came more than once."""

    twice: frozenset[str] = frozenset()


class Refused(Exception):
    """Nothing of this was forwarded: `code` and `says` are the JSON-RPC error that the caller gets."""

    def __init__(self, code: int, says: str) -> None:
        super().__init__(says)
        self.code = code
        self.says = f"not forwarded: {says}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line that was read. `loose`: something in it is no strict JSON, of which two readers may make different things."""

    raw: bytes
    value: Any
    loose: str | None

    def member(self, *names: str) -> Any:
        """Return what stands there, None where nothing does."""
        found = self.value
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    @property
    def id(self) -> str | None:
        """The id of a request or an answer, as JSON text; None where there is none."""
        found = self.member("id")
        return written(found) if isinstance(found, str) else None


def read(raw: bytes) -> Line:
    """Return a line that was read; raises `Refused` where it is no JSON."""
    loose: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> Object:
        found = Object(members)
        if len(found) != len(members):
            names = [name for name, _ in members]
            found.twice = frozenset(name for name in names if names.count(name) > 1)
            loose.append("a name comes twice")
        return found

    def constant(name: str) -> Number:
        loose.append(f"{name} is no JSON")
        return Number(name)

    try:
        value = json.loads(
            raw.decode(), object_pairs_hook=pairs, parse_int=Number, parse_float=Number, parse_constant=constant
        )
    except (ValueError, RecursionError) as error:
        raise Refused(PARSE_ERROR, f"the line is no JSON ({type(error).__name__})") from None
    return Line(raw=raw, value=value, loose=loose[0] if loose else None)


def require_one(line: Line) -> None:
    """Raise `Refused` where a server that ends its lines at a carriage return, as Python's text files do, would read several."""
    if b"\r" in line.raw.strip():
        raise Refused(INVALID_REQUEST, "a carriage return stands within the line")


def written(value: Any) -> str:
    """Return JSON text without blanks, members in their order, numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{written(name)}:{written(one)}" for name, one in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([written(one) for one in value]) + "]"
    return json.dumps(value, ensure_ascii=False)


def requested(line: Line) -> set[str]:
    """Return the ids of the requests in a line, as JSON text."""
    return {id_ for one, id_ in _with_ids(line) if one.member("method") is not None}


def answered(line: Line) -> set[str]:
    """Return the ids of the answers in a line, as JSON text."""
    return {id_ for one, id_ in _with_ids(line) if one.member("method") is None}


def _with_ids(line: Line) -> list[tuple[Line, str]]:
    some = line.value if isinstance(line.value, list) else [line.value]
    alone = [Line(raw=b"", value=one, loose=None) for one in some]
    return [(one, one.id) for one in alone if one.id is not None]


def tool_called(line: Line, *, guarded: frozenset[str]) -> str | None:
    """Return the guarded tool that a client's line calls, None where it calls none; raises `Refused` where that is unclear."""
    if isinstance(line.value, list):
        for one in line.value:
            if isinstance(one, Object) and tool_called(Line(raw=b"", value=one, loose=None), guarded=guarded):
                raise Refused(INVALID_REQUEST, "a guarded tool is called in a batch; call it alone")
        return None
    if not isinstance(line.value, Object):
        return None
    _require_clear(line.value, "method", "params", "id")
    method = line.member("method")
    if method != CALL:
        if isinstance(method, str) and _folded(method) == CALL:
            raise Refused(INVALID_REQUEST, f"the method is written {CALL}")
        return None
    return _tool_of(line.member("params"), guarded)


def _tool_of(params: Any, guarded: frozenset[str]) -> str | None:
    if not isinstance(params, Object):
        raise Refused(INVALID_PARAMS, "/params must be an object")
    _require_clear(params, "name", "arguments", "_meta", "requestState", "inputResponses")
    name = params.get("name")
    if not isinstance(name, str) or isinstance(name, Number):
        raise Refused(INVALID_PARAMS, "/params/name must be text")
    if name in guarded:
        return name
    if _folded(name) in {_folded(one) for one in guarded}:
        raise Refused(INVALID_PARAMS, "/params/name is like the name of a guarded tool, and not the same")
    return None


def _require_clear(found: Object, *names: str) -> None:
    """Raise `Refused` where another reader could take another member for one of these."""
    for name in found:
        folded = _folded(name)
        for one in names:
            if (folded == _folded(one) and name != one) or one in found.twice:
                raise Refused(INVALID_REQUEST, f"the member {one} must stand once, and in this spelling")


def _folded(text: str) -> str:
    return text.strip().casefold()
