"""Whatever differs from the operation's exact representation is a new proposal, and every difference is counted.

semantics.md, Words: anything that differs from the exact representation, its scope or its identity. A difference is
excused only by a rule that the contract states (`Normalisation`); values that are equal in other bytes are still
another representation.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from operations.core.difference import Difference, Found, Octets, first_difference, json_or_octets, worded
from operations.core.normalisation import ABSENT, EXACT, Normalisation, Value
from operations.core.representation import Representation
from operations.core.strict_json import Json, pointer, written

# Of each part (headers, arguments, body) this many are listed; all are counted.
MOST_LISTED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What differs: identical, or a new proposal with its differences.

    They come in the order identity, scope, method, target, headers, arguments, body; within a value in the order of
    the original, then what only the proposal has. `total` counts those beyond the MOST_LISTED of a part too.
    """

    differences: tuple[Difference, ...]
    total: int

    @property
    def identical(self) -> bool:
        """Whether the proposal is the operation itself, by its bytes and the rules that were given."""
        return self.total == 0


def compare(original: Representation, *, proposed: Representation, rules: Normalisation = EXACT) -> Comparison:
    """Return every difference that no rule excuses; under EXACT there is none if and only if the digests are equal."""
    differences: list[Difference] = []
    total = 0
    arguments, body = (original.arguments, proposed.arguments), (original.body, proposed.body)
    for part in (
        _words(original, proposed),
        _headers(original, proposed, rules),
        _contents("/arguments", *arguments, _still_bound("/arguments", rules, other=body)),
        _contents("/body", *body, _still_bound("/body", rules, other=arguments)),
    ):
        for number, found in enumerate(part):
            total += 1
            if number < MOST_LISTED:
                differences.append(worded(found))
    return Comparison(differences=tuple(differences), total=total)


def _words(original: Representation, proposed: Representation) -> Iterator[Found]:
    for place, before, after, why in (
        ("/identity", original.identity, proposed.identity, "another identity is another operation, by any contract"),
        ("/scope", original.scope, proposed.scope, "another scope is a new proposal, by any contract"),
        ("/method", original.method, proposed.method, "another method is a new proposal, by any contract"),
        ("/target", original.target, proposed.target, "another target is a new proposal, by any contract"),
    ):
        if before != after:
            yield Found(place, before, after, why)


def _headers(original: Representation, proposed: Representation, rules: Normalisation) -> Iterator[Found]:
    """Names are compared without regard to the case of letters (RFC 9110, section 5.1), values as they are.

    The order of lines of one name is part of their meaning (section 5.3). That of lines of different names isn't for
    HTTP, but whoever signs or hashes a request may think otherwise, so it takes a rule.
    """
    before, after = _lines(original, rules), _lines(proposed, rules)
    values_before, values_after = _by_name(before), _by_name(after)
    for name in dict.fromkeys([*values_before, *values_after]):
        yield from _aligned(_below("/headers", name), values_before.get(name, []), values_after.get(name, []), rules)
    if rules.header_order_free:
        return
    in_both = {name for name in values_before if len(values_before[name]) == len(values_after.get(name, []))}
    order_before, order_after = ([name for name, _ in lines if name in in_both] for lines in (before, after))
    if order_before != order_after:
        yield Found("/headers", [*order_before], [*order_after], "the lines stand in another order")


def _lines(representation: Representation, rules: Normalisation) -> list[tuple[str, str]]:
    lines = [(name.lower(), value) for name, value in representation.headers]
    return [(name, value) for name, value in lines if rules.binds_header(name)]


def _by_name(lines: list[tuple[str, str]]) -> dict[str, list[Json]]:
    values: dict[str, list[Json]] = {}
    for name, value in lines:
        values.setdefault(name, []).append(value)
    return values


def _still_bound(place: str, rules: Normalisation, *, other: tuple[bytes | None, bytes | None]) -> Normalisation:
    """Return the rules with this part bound again where the other part is missing: else nothing of the content binds."""
    return replace(rules, unbound=rules.unbound - {place}) if None in other else rules


def _contents(place: str, before: bytes | None, after: bytes | None, rules: Normalisation) -> Iterable[Found]:
    if before == after or not rules.binds(place):
        return ()
    if before is None or after is None:
        return (Found(place, _side(before), _side(after)),)
    one, other = json_or_octets(before), json_or_octets(after)
    if isinstance(one, Octets) or isinstance(other, Octets):
        which = "neither side" if type(one) is type(other) else "only one side"
        return (_bytes_differ(place, before, after, f"compared by bytes: {which} is strict JSON"),)
    if one != other:
        return _values(place, one, other, rules)
    if place in rules.json_by_value:
        return ()
    return (_bytes_differ(place, before, after, _layout(one, other)),)


def _side(data: bytes | None) -> Value | Octets:
    return ABSENT if data is None else json_or_octets(data)


def _bytes_differ(place: str, before: bytes, after: bytes, why: str) -> Found:
    start = first_difference(before, other=after)
    return Found(place, Octets(before, start), Octets(after, start), f"{why}; the first difference is at byte {start}")


def _layout(one: Json, other: Json) -> str:
    """Return why bytes differ whose values are equal."""
    order = written(one) != written(other)
    what = "the order of members" if order else "white space or the spelling of characters in strings"
    return f"every value is equal, {what} is not, and no rule of the contract says that this doesn't matter"


def _values(place: str, before: Value, after: Value, rules: Normalisation) -> Iterator[Found]:
    if before == after or not rules.binds(place):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from _values(_below(place, name), before.get(name, ABSENT), after.get(name, ABSENT), rules)
    elif isinstance(before, list) and isinstance(after, list):
        yield from (_unordered if place in rules.any_order else _aligned)(place, before, after, rules)
    elif not rules.same_value(place, before, after):
        yield Found(place, before, after)


def _aligned(place: str, before: list[Json], after: list[Json], rules: Normalisation) -> Iterator[Found]:
    """Compare element by element between what both begin with and what both end with.

    So an element put in front is one difference and not one for every element after it. What counts as alike here
    knows no rules: with fewer rules the elements would else be paired differently, and a rule could add a difference.
    """
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    middles = before[start : len(before) - end], after[start : len(after) - end]
    for index, (one, other) in enumerate(zip_longest(*middles, fillvalue=ABSENT), start):
        yield from _values(_below(place, index), one, other, rules)


def _alike(before: list[Json], after: list[Json]) -> int:
    pairs = enumerate(zip(before, after, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(before), len(after)))


def _unordered(place: str, before: list[Json], after: list[Json], _rules: Normalisation) -> Iterator[Found]:
    """Compare as bags: what has no equal on the other side is paired off in order, at the lower of the two indexes."""
    only_before, only_after = _left_over(before, other=after), _left_over(after, other=before)
    for one, other in zip_longest(only_before, only_after):
        if one is None or other is None:
            index, value = one or other
            yield Found(_below(place, index), value if one else ABSENT, value if other else ABSENT)
        else:
            why = f"in any order, element {one[0]} of the original and {other[0]} of the proposal have no equal"
            yield Found(_below(place, min(one[0], other[0])), one[1], other[1], why)


def _left_over(elements: list[Json], *, other: list[Json]) -> list[tuple[int, Json]]:
    waiting = Counter([_hashable(element) for element in other])
    left: list[tuple[int, Json]] = []
    for index, element in enumerate(elements):
        key = _hashable(element)
        waiting[key] -= 1
        if waiting[key] < 0:
            left.append((index, element))
    return left


def _hashable(value: Json) -> Hashable:
    if isinstance(value, dict):
        return frozenset([(name, _hashable(child)) for name, child in value.items()])
    return tuple([_hashable(child) for child in value]) if isinstance(value, list) else value


def _below(place: str, part: str | int) -> str:
    return place + pointer([part])
