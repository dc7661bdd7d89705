"""Two representations that differ in bytes are the same only by rules that a contract states, one by one.

No rule is a default: `EXACT` has none. Rules reach headers, body and arguments alone; another method, target, scope
or identity is a new proposal whatever a contract says (semantics.md, Words).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from string import ascii_lowercase, ascii_uppercase
from typing import Final, TypeAlias

from operations.core.facts import FactError
from operations.core.representation import require_header_name
from operations.core.strict_json import Json, NumberText, pointer_parts


class Absent(Enum):
    """The side of a difference on which there is nothing; not null, not empty, not the word."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = Json | Absent

PARTS: Final = ("/body", "/arguments")
_LOWERED: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_POINTER_RULES: Final = ("unbound", "any_order", "numbers_by_value", "null_is_absent", "letter_case_free")


def part_of(place: str) -> str:
    """Return the part of the document in which a pointer stands: `/body` of `/body/items/0`."""
    return "/" + place.removeprefix("/").partition("/")[0]


def _above(place: str) -> Iterable[str]:
    """Yield every pointer that contains this one, the nearest first, down to the part itself."""
    while place := place.rpartition("/")[0]:
        yield place


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalisation:
    """What a contract states about differences that don't matter; each field is one statement of the recipient.

    `binding_headers`: only these names bind, in lower case; None where nothing is stated, then all do.
    `header_order_free`: the order of lines of different names doesn't matter (that of one name always does).
    `json_by_value`: `/body`, `/arguments`: the recipient compares the parsed value, so that the order of members,
    white space and the spelling of characters in strings don't matter. The other rules are sets of JSON pointers into
    such a part: `unbound` (what stands there isn't part of what the recipient binds), `any_order` (an array whose
    order doesn't matter), `numbers_by_value` (1, 1.0 and 1e0 are one; compared exactly), `null_is_absent` (a member
    that is null is as good as none), `letter_case_free` (A to Z, no other letter). An index names the element that
    stands there on both sides. A whole part may be unbound only while the other part is there to bind (`compare`).

    A rule that could not be applied is refused with FactError: outside body and arguments, in a part that is compared
    by its bytes, or below an array whose elements have no fixed place.
    """

    binding_headers: frozenset[str] | None = None
    header_order_free: bool = False
    json_by_value: frozenset[str] = frozenset()
    unbound: frozenset[str] = frozenset()
    any_order: frozenset[str] = frozenset()
    numbers_by_value: frozenset[str] = frozenset()
    null_is_absent: frozenset[str] = frozenset()
    letter_case_free: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._require_headers()
        _require_set("json_by_value", self.json_by_value)
        for place in sorted(self.json_by_value):
            if place not in PARTS:
                raise FactError("json_by_value", "part", f"must be one of {', '.join(PARTS)}")
        for rule in _POINTER_RULES:
            _require_set(rule, getattr(self, rule))
            for place in sorted(getattr(self, rule)):
                self._require_place(rule, place)
        self._require_something_bound()

    def _require_headers(self) -> None:
        if type(self.header_order_free) is not bool:
            raise FactError("header_order_free", "flag", "must be true or false")
        if self.binding_headers is None:
            return
        _require_set("binding_headers", self.binding_headers)
        for name in sorted(self.binding_headers):
            require_header_name("binding_headers", name)
            if name != name.lower():
                raise FactError("binding_headers", "lower_case", "must be written in lower case")

    def _require_place(self, rule: str, place: str) -> None:
        try:
            pointer_parts(place)
        except ValueError as error:
            raise FactError(rule, "pointer", str(error)) from None
        part = part_of(place)
        if part not in PARTS:
            raise FactError(rule, "part", f"must point into one of {', '.join(PARTS)}: {place!r}")
        if rule == "null_is_absent" and place == part:
            raise FactError(rule, "member", f"must point to a member, not to the whole: {place!r}")
        if part not in self.json_by_value and not (rule == "unbound" and place == part):
            raise FactError(rule, "by_value", f"needs {part} in json_by_value: {place!r} lies in bytes")
        if any(above in self.any_order for above in _above(place)):
            raise FactError(rule, "no_place", f"must not point below an array of any_order: {place!r}")

    def _require_something_bound(self) -> None:
        if self.unbound.issuperset(PARTS):
            raise FactError("unbound", "something_bound", f"must leave one of {', '.join(PARTS)} bound")

    def binds(self, place: str) -> bool:
        """Say whether what stands at this pointer is part of what the recipient binds."""
        return place not in self.unbound

    def binds_header(self, name: str) -> bool:
        """Say whether header lines of this name, in lower case, are part of what the recipient binds."""
        return self.binding_headers is None or name in self.binding_headers

    def same_value(self, place: str, before: Value, after: Value) -> bool:
        """Say whether a rule makes two different values at this pointer the same."""
        if isinstance(before, NumberText) and isinstance(after, NumberText):
            return place in self.numbers_by_value and equal_by_value(before, after)
        if isinstance(before, str) and isinstance(after, str):
            return place in self.letter_case_free and before.translate(_LOWERED) == after.translate(_LOWERED)
        return place in self.null_is_absent and (before, after) in ((None, ABSENT), (ABSENT, None))


def equal_by_value(one: NumberText, other: NumberText) -> bool:
    """Say whether two numbers have exactly one value, however they are written; no rounding, -0 is 0.

    An exponent beyond what Decimal holds (18 digits) is equal to nothing but its own spelling.
    """
    try:
        return Decimal(one.text) == Decimal(other.text)
    except InvalidOperation:
        return one == other


def _require_set(rule: str, places: object) -> None:
    if type(places) is not frozenset or not all(isinstance(place, str) for place in places):
        raise FactError(rule, "set", "must be a frozenset of texts")


EXACT: Final = Normalisation()
