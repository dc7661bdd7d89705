"""What a contract's rules leave open or say in vain is found before anything is read.

Each `when` is multiplied out into ways to hold; a way fixes the statuses that it allows. A rule that a single earlier
way covers for each of its statuses can't be reached. What two ways cover only together is not found: the analysis may
miss an unreachable rule, it never reports one that can be reached.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, TypeAlias

from operations.contracts.bound import Bound, number
from operations.contracts.channel import ANSWERED
from operations.contracts.document import Document
from operations.contracts.matching import MOST_WAYS, AllOf, AnyWhen, Condition, Scalar, holds
from operations.contracts.places import MISSING, Found
from operations.contracts.rule import Rule, may_read
from operations.core.strict_json import NumberText

STATUS: Final = "/status"
STATUSES: Final = range(100, 600)
# Those that a rule or a catch-all should have an answer to, because recipients and what stands before them give them.
EXPECTED: Final = frozenset(
    {200, 201, 202, 204, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414}
    | {415, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504}
)

Way: TypeAlias = tuple[Condition, ...]


class TooManyWays(ValueError):
    """All and any multiply out to more ways than can be analysed."""


def ways(when: AnyWhen) -> list[Way]:
    """Return the ways in which `when` can hold, each a set of conditions that hold together; raises TooManyWays."""
    if isinstance(when, Condition):
        return [(when,)]
    if not isinstance(when, AllOf):
        return _bounded(way for child in when.any for way in ways(child))
    combined: list[Way] = [()]
    for child in when.all:
        combined = _bounded((*one, *other) for one, other in product(combined, ways(child)))
    return combined


def _bounded(found: Iterator[Way]) -> list[Way]:
    bounded = list(islice(found, MOST_WAYS + 1))
    if len(bounded) > MOST_WAYS:
        raise TooManyWays(f"all and any multiply out to more than {MOST_WAYS} ways")
    return bounded


_NOBODY: Final = Bound(identity="")


def statuses(way: Way) -> frozenset[int]:
    """Return the statuses that a way allows; all of them where it says nothing of the status."""
    about = [condition for condition in way if condition.at == STATUS]
    return frozenset(
        [
            status
            for status in STATUSES
            if all(holds(condition, NumberText(str(status)), bound=_NOBODY) for condition in about)
        ]
    )


def statuses_of(rule: Rule) -> frozenset[int]:
    """Return the statuses on which a rule can hold."""
    return frozenset().union(*[statuses(way) for way in ways(rule.when)])


def _values(condition: Condition) -> tuple[Scalar, ...] | None:
    """Return the only values that a condition allows, None where there are more."""
    if condition.operator == "equals":
        return () if condition.equals is None else (condition.equals,)
    return condition.one_of if condition.operator == "in" else None


def _as_found(value: Scalar) -> Found:
    return value if isinstance(value, bool | str) else NumberText(str(value))


# What, of what an answer shows, makes these hold without knowing the value.
_NEEDS_SOMETHING: Final = frozenset({"exists", "at_least", "at_most", "prefix", "equals_argument", "equals_identity"})


def implies(one: Condition, other: Condition) -> bool:
    """Say whether whatever makes `one` hold makes `other` hold; both are about the same place."""
    if one == other:
        return True
    values = _values(one)
    if values is not None:
        return all(holds(other, _as_found(value), bound=_NOBODY) for value in values) and not _binds(other)
    if other.operator == "exists":
        return one.operator in _NEEDS_SOMETHING
    return one.operator == other.operator and _narrower(one, other)


def _binds(condition: Condition) -> bool:
    return condition.operator in ("equals_argument", "equals_identity")


def _narrower(one: Condition, other: Condition) -> bool:
    if one.operator == "prefix":
        return (one.prefix or "").startswith(other.prefix or "")
    if one.operator in ("at_least", "at_most"):
        mine, theirs = number(getattr(one, one.operator)), number(getattr(other, one.operator))
        if mine is None or theirs is None:
            return False
        return mine >= theirs if one.operator == "at_least" else mine <= theirs
    return False


def _covered(way: Way, earlier: Way, status: int | None) -> bool:
    """Say whether `earlier` holds wherever `way` does, at this status."""
    known = (*way, _at_status(status)) if status is not None else way
    return all(any(one.at == other.at and implies(one, other) for one in known) for other in earlier)


def _at_status(status: int) -> Condition:
    return Condition.model_validate({"at": STATUS, "equals": status})


def _possible(way: Way) -> bool:
    """Say whether a way can hold at all, as far as single places tell."""
    if not statuses(way):
        return False
    return all(_together([one for one in way if one.at == place]) for place in {one.at for one in way})


def _together(about: list[Condition]) -> bool:
    if any(one.operator == "absent" for one in about):
        return all(holds(one, MISSING, bound=_NOBODY) for one in about)
    fixed = [values for one in about if (values := _values(one)) is not None]
    if not fixed:
        return True
    open_ones = [one for one in about if not _binds(one)]
    return any(all(holds(one, _as_found(value), bound=_NOBODY) for one in open_ones) for value in fixed[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two rules of one channel that can both hold and claim different things; the first speaks."""

    first: str
    second: str
    statuses: tuple[int, ...]

    def __str__(self) -> str:
        at = (
            "whatever the status" if len(self.statuses) == len(STATUSES) else f"at {', '.join(map(str, self.statuses))}"
        )
        return f"{self.first} comes before {self.second} {at}"


def unreachable(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the rules that can never speak: index in `readings`, and why."""
    for channel, told in document.channels.items():
        answered = told.kind in ANSWERED
        earlier: list[tuple[Rule, list[Way]]] = []
        for index, rule in document.rules_of(channel):
            possible = [way for way in ways(rule.when) if _possible(way)]
            if not possible:
                yield index, "its conditions contradict each other"
            elif (by := _who_covers((rule, possible), earlier, with_status=answered)) is not None:
                yield index, f"{by} holds whenever it does, and comes first"
            earlier.append((rule, possible))


def _who_covers(
    told: tuple[Rule, list[Way]], earlier: list[tuple[Rule, list[Way]]], *, with_status: bool
) -> str | None:
    """Return the earlier rules that cover a rule for each way and status in which it may read; None if one is left."""
    rule, possible = told
    names: dict[str, None] = {}
    for way in possible:
        for status in sorted(statuses(way)) if with_status else [None]:
            if not may_read(rule, status=status):
                continue
            reading = [(other.rule, theirs) for other, theirs in earlier if may_read(other, status=status)]
            name = next((name for name, theirs in reading if any(_covered(way, one, status) for one in theirs)), None)
            if name is None:
                return None
            names[name] = None
    return " or ".join(names) or None


def unhandled(document: Document) -> Mapping[str, tuple[int, ...]]:
    """Return, for each channel that answers with a status, the expected statuses on which no rule can hold."""
    left: dict[str, tuple[int, ...]] = {}
    for name, channel in document.channels.items():
        if channel.kind in ANSWERED:
            handled: frozenset[int] = frozenset().union(*[_read_by(rule) for _, rule in document.rules_of(name)])
            missing = tuple(sorted(EXPECTED - handled))
            if missing:
                left[name] = missing
    return left


def _read_by(rule: Rule) -> frozenset[int]:
    return frozenset([status for status in statuses_of(rule) if may_read(rule, status=status)])


def silent(document: Document) -> tuple[str, ...]:
    """Return the channels that no rule reads."""
    return tuple([name for name in document.channels if not document.rules_of(name)])


def overlaps(document: Document) -> Iterator[Overlap]:
    """Yield the pairs of rules of one channel that can both hold and differ in what they claim.

    An exception that stands before the general rule is left out: there the order is the meaning.
    """
    for channel in document.channels:
        rules = [rule for _, rule in document.rules_of(channel)]
        for place, first in enumerate(rules):
            for second in rules[place + 1 :]:
                if (first.says, first.covers_copies) != (second.says, second.covers_copies):
                    shared = tuple([at for at in _shared(first, second) if at in _read_by(first) & _read_by(second)])
                    if shared and not _is_exception_to(first, second):
                        yield Overlap(first=first.rule, second=second.rule, statuses=shared)


def _is_exception_to(first: Rule, second: Rule) -> bool:
    return _who_covers((first, ways(first.when)), [(second, ways(second.when))], with_status=True) is not None


def _shared(first: Rule, second: Rule) -> tuple[int, ...]:
    found: set[int] = set()
    for one, other in product(ways(first.when), ways(second.when)):
        both = (*one, *other)
        if _possible(both):
            found |= statuses(both)
    return tuple(sorted(found))
