"""A difference is shown so that a reader can see it, however alike the two sides look on a screen."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple
from unicodedata import normalize

from operations.core.normalisation import ABSENT, Absent, Value, equal_by_value
from operations.core.strict_json import Json, NumberText, StrictJsonError, parse, written

# A reviewer reads this much of one value; what is cut off is named by its length and digest.
LONGEST_SHOWN: Final = 2_000
_EXCERPT: Final = 40
_CONTEXT: Final = 8


class Octets(NamedTuple):
    """Bytes that are not shown as JSON, and the offset from which they are worth showing."""

    data: bytes
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place in which the proposal is not the original.

    `pointer` is a JSON pointer into {"identity", "scope", "method", "target", "headers": {name in lower case: [values]},
    "arguments", "body"}. In an array with insertions or removals an element that both have stands at the same index in
    both; one that only one side has stands at its index there. `before` and `after` are JSON text, or for bytes that
    are not JSON their length, digest and an excerpt, or ABSENT; they are never equal, and longer ones are cut off after
    LONGEST_SHOWN characters, with length and digest added. `why` says what kind of difference it is.
    """

    pointer: str
    before: str | Absent
    after: str | Absent
    why: str


class Found(NamedTuple):
    """A difference before it is put into words, which only the listed ones are."""

    place: str
    before: Value | Octets
    after: Value | Octets
    why: str = ""


def worded(found: Found) -> Difference:
    """Return the difference in words."""
    before, after = _shown(found.before), _shown(found.after)
    why = found.why or _why(found.before, found.after)
    if isinstance(found.before, str) and isinstance(found.after, str):
        why += _seen_apart(found.before, found.after)
    if not found.place.isascii():
        why += f"; the place is spelt {json.dumps(found.place)}"
    return Difference(pointer=found.place, before=before, after=after, why=why)


def json_or_octets(data: bytes) -> Json | Octets:
    """Return the value of strict JSON, the bytes themselves of anything else."""
    try:
        return parse(data)
    except StrictJsonError:
        return Octets(data)


def first_difference(one: bytes | str, *, other: bytes | str) -> int:
    """Return the index of the first item in which the two differ, the shorter length if one begins with the other."""
    alike, unknown = 0, min(len(one), len(other))
    while alike < unknown:
        middle = (alike + unknown + 1) // 2
        if one[alike:middle] == other[alike:middle]:
            alike = middle
        else:
            unknown = middle - 1
    return alike


def _shown(value: Value | Octets) -> str | Absent:
    if isinstance(value, Octets):
        return _octets_shown(value)
    if isinstance(value, Absent):
        return ABSENT
    text = written(value)
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:LONGEST_SHOWN]}… ({len(text)} characters, sha256 {sha256(text.encode()).hexdigest()})"


def _octets_shown(octets: Octets) -> str:
    data, start = octets
    text = f"{len(data)} bytes, sha256 {sha256(data).hexdigest()}"
    excerpt = data[start : start + _EXCERPT].decode(errors="backslashreplace")
    return f"{text}; from byte {start}: {written(excerpt)}" if excerpt else text


def _kind(value: Value | Octets) -> str:
    if isinstance(value, NumberText):
        return "a number"
    kinds = {dict: "an object", list: "an array", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "bytes")


def _why(before: Value | Octets, after: Value | Octets) -> str:
    if before is ABSENT:
        return "only the proposal has it"
    if after is ABSENT:
        return "only the original has it"
    if _kind(before) != _kind(after):
        return f"{_kind(before)} became {_kind(after)}"
    if isinstance(before, NumberText) and isinstance(after, NumberText) and equal_by_value(before, after):
        return "one value, written differently"
    return "another text" if isinstance(after, str) else "another value"


def _seen_apart(before: str, after: str) -> str:
    """Return how two texts differ where the eye may not see it: other alphabets, composed characters, long texts."""
    if before.isascii() and after.isascii() and max(len(written(before)), len(written(after))) <= LONGEST_SHOWN:
        return ""
    at = first_difference(before, other=after)
    start = max(0, at - _CONTEXT)
    one, two = (json.dumps(text[start : start + _EXCERPT]) for text in (before, after))
    alike = ", the same characters composed differently" if normalize("NFC", before) == normalize("NFC", after) else ""
    return f"{alike}; from character {start}: {one} became {two}"
