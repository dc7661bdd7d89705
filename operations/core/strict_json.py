"""JSON is read without loss or guess: what two readers could understand differently is refused, never repaired.

RFC 8259 leaves duplicate names, lone surrogates and the precision of numbers to each reader (sections 4, 7, 8.2 and 6).
Two parties that read one text differently would disagree on what was asked for, so here such a text is an error, and
a number keeps the characters in which it was written: 1, 1.0 and 1e0 stay apart.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isinf
from typing import Final, Literal, Never, TypeAlias, overload

# Far more than any argument needs, far less than exhausts the stack of whoever walks the value afterwards.
DEEPEST: Final = 100

_MARK: Final = "\ufeff"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING_OR_BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class NumberText:
    """A number as it was written; equal only to a number written in the same characters, and to no string."""

    text: str

    def __str__(self) -> str:
        return self.text


Json: TypeAlias = bool | str | NumberText | list["Json"] | dict[str, "Json"] | None
PlainJson: TypeAlias = bool | str | int | float | list["PlainJson"] | dict[str, "PlainJson"] | None


class StrictJsonError(ValueError):
    """A text that is not strict JSON: `place` says where, `rule` which rule (a slug), `message` what would be right.

    `place` is a JSON pointer (RFC 6901: empty for the whole, else it begins with a slash) where the fault lies in a
    value, and `line L column C (offset O)` or `byte O` where the text breaks off being JSON. Rules: `utf_8`,
    `byte_order_mark`, `lone_surrogate`, `syntax`, `trailing_text`, `too_deep`, `duplicate_name`, `not_a_number`,
    `number_too_large`.
    """

    def __init__(self, place: str, rule: str, message: str) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place
        self.rule = rule
        self.message = message


class _Fault(Exception):
    """A fault in a value whose place isn't known yet: the scanner doesn't tell its hooks where it is."""

    def __init__(self, rule: str, message: str, *below: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.below = below


def pointer(parts: Iterable[str | int]) -> str:
    """Return the JSON pointer through these member names and indexes (RFC 6901, section 3)."""
    return "".join([f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts])


def pointer_parts(text: str) -> tuple[str, ...]:
    """Return the names and indexes of a JSON pointer, unescaped; ValueError if it isn't one (RFC 6901, section 3)."""
    if text and not text.startswith("/"):
        raise ValueError(f"a JSON pointer is empty or begins with a slash: {text!r}")
    if re.search("~(?![01])", text):
        raise ValueError(f"in a JSON pointer ~ is written ~0 and / is written ~1: {text!r}")
    return tuple([part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]])


def is_index(part: str) -> bool:
    """Say whether a part of a pointer can name an element of an array (RFC 6901, section 4: no leading zeros)."""
    return _INDEX.fullmatch(part) is not None


def _repeated(pairs: list[tuple[str, object]]) -> str:
    """Return the first name that stands there again; in one pass, since whoever writes such a text may write it long."""
    seen: set[str] = set()
    names = iter([name for name, _ in pairs])
    while (name := next(names)) not in seen:
        seen.add(name)
    return name


def _members(found: Callable[[_Fault], object]) -> Callable[[list[tuple[str, object]]], object]:
    def members(pairs: list[tuple[str, object]]) -> object:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        return found(_Fault("duplicate_name", "each name may stand once in an object", _repeated(pairs)))

    return members


def _constant(found: Callable[[_Fault], object]) -> Callable[[str], object]:
    return lambda word: found(_Fault("not_a_number", f"{word} is not a number of JSON"))


def _finite(found: Callable[[_Fault], object]) -> Callable[[str], object]:
    def finite(text: str) -> object:
        value = float(text)
        return found(_Fault("number_too_large", "must be smaller than 1.8e308")) if isinf(value) else value

    return finite


def _short_enough(found: Callable[[_Fault], object]) -> Callable[[str], object]:
    def short_enough(text: str) -> object:
        try:
            return int(text)
        except ValueError:  # sys.set_int_max_str_digits
            return found(_Fault("number_too_large", "must have fewer digits"))

    return short_enough


def _raise(fault: _Fault) -> Never:
    raise fault


def _keep(fault: _Fault) -> _Fault:
    return fault


def _decoder(numbers: str, found: Callable[[_Fault], object], *, bound: bool) -> json.JSONDecoder:
    """Return a decoder that hands each fault to `found`; `bound` also hands over the integers that int() refuses.

    Left to itself the scanner reads integers in C and raises ValueError for those: three times faster than a hook.
    """
    text = numbers == "text"
    return json.JSONDecoder(
        object_pairs_hook=_members(found),
        parse_constant=_constant(found),
        parse_float=NumberText if text else _finite(found),
        parse_int=NumberText if text else _short_enough(found) if bound else None,
    )


_QUICK: Final = {"text": _decoder("text", _raise, bound=False), "values": _decoder("values", _raise, bound=False)}
_LOCATING: Final = {"text": _decoder("text", _keep, bound=True), "values": _decoder("values", _keep, bound=True)}


@overload
def parse(text: bytes | str, *, numbers: Literal["text"] = "text", deepest: int = DEEPEST) -> Json: ...
@overload
def parse(text: bytes | str, *, numbers: Literal["values"], deepest: int = DEEPEST) -> PlainJson: ...
def parse(text: bytes | str, *, numbers: Literal["text", "values"] = "text", deepest: int = DEEPEST) -> object:
    """Return the one value that the text can mean, or raise StrictJsonError with the place and the rule.

    Bytes are UTF-8 without a byte order mark. Objects come as dicts in the order written, arrays as lists. `text`
    numbers come as NumberText; `values` come as int or float, rounded as Python rounds. `deepest` bounds how many
    objects and arrays may be open at once.
    """
    read, faulty = _characters(text), False
    try:
        value = _scanned(_QUICK[numbers], read=read, deepest=deepest)
    except StrictJsonError:
        raise
    except (_Fault, ValueError):  # read again, with the faults kept in their places
        value, faulty = _scanned(_LOCATING[numbers], read=read, deepest=deepest), True
    if read.count("[") + read.count("{") > deepest and _depth(value) > deepest:
        raise _too_deep(read, deepest)
    # The first question is quick and its answer nearly always no.
    if faulty or ("\\u" in read and _SURROGATE_ESCAPED.search(read)):
        _refuse_faults(value)
    return value


def _scanned(decoder: json.JSONDecoder, *, read: str, deepest: int) -> object:
    try:
        value: object = decoder.decode(read)
    except json.JSONDecodeError as error:
        raise _syntax(error) from None
    except RecursionError:
        raise _too_deep(read, deepest) from None
    return value


def _characters(text: bytes | str) -> str:
    try:
        if isinstance(text, str):
            text.encode()
            read = text
        else:
            read = text.decode()
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"byte {error.start}", "utf_8", "must be UTF-8") from None
    except UnicodeEncodeError as error:
        raise StrictJsonError(_line(read=error.object, offset=error.start), "lone_surrogate", _HALF) from None
    if read.startswith(_MARK):
        raise StrictJsonError("byte 0", "byte_order_mark", "must not begin with a byte order mark")
    return read


_HALF: Final = "half of a surrogate pair is not a character"


def _line(*, read: str, offset: int) -> str:
    line, column = read.count("\n", 0, offset) + 1, offset - read.rfind("\n", 0, offset)
    return f"line {line} column {column} (offset {offset})"


def _syntax(error: json.JSONDecodeError) -> StrictJsonError:
    place = _line(read=error.doc, offset=error.pos)
    if error.msg == "Extra data":
        return StrictJsonError(place, "trailing_text", "nothing may follow the value")
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    return StrictJsonError(place, "syntax", said[:1].lower() + said[1:])


def _too_deep(read: str, deepest: int) -> StrictJsonError:
    depth = offset = 0
    for found in _STRING_OR_BRACKET.finditer(read):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        offset = found.start()
        if depth > deepest:
            break
    message = f"must not nest deeper than {deepest} objects and arrays"
    return StrictJsonError(_line(read=read, offset=offset), "too_deep", message)


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level := [node for node in level if isinstance(node, list | dict)]:
        depth += 1
        level = [child for node in level for child in (node.values() if isinstance(node, dict) else node)]
    return depth


def _walk(value: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield every node with the way to it, in the order of the text; no recursion, so no depth is too deep."""
    waiting: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while waiting:
        way, node = waiting.pop()
        yield way, node
        if isinstance(node, dict):
            waiting += [((*way, name), child) for name, child in reversed(node.items())]
        elif isinstance(node, list):
            waiting += [((*way, index), node[index]) for index in reversed(range(len(node)))]


def _refuse_faults(value: object) -> None:
    for way, node in _walk(value):
        if isinstance(node, _Fault):
            sayable = [name for name in node.below if not _SURROGATE.search(name)]
            raise StrictJsonError(pointer((*way, *sayable)), node.rule, node.message)
        names = node if isinstance(node, dict) else [node] if isinstance(node, str) else []
        if any(_SURROGATE.search(name) for name in names):
            raise StrictJsonError(pointer(way), "lone_surrogate", _HALF)


def written(value: Json) -> str:
    """Return the value as JSON text on one line that a person can read and `parse` reads back to the same value.

    Members keep their order and numbers their characters. What can't be seen (controls, joiners, direction marks) is
    escaped; other Unicode is not.
    """
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_quoted(name)}: {written(child)}" for name, child in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([written(child) for child in value]) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return str(value) if isinstance(value, NumberText) else json.dumps(value)


def _quoted(text: str) -> str:
    plain = json.dumps(text, ensure_ascii=False)
    if plain.isprintable():
        return plain
    return "".join([part if part.isprintable() else json.dumps(part)[1:-1] for part in plain])
