"""How a collection desk behaves that has this contract's capabilities, in every way that the contract's silence allows.

A promise is set up as it is promised, and as badly as it is promised: a number is forgotten the moment its guarantee
ends. What is undocumented is set up in each way the desk can do it, the worst first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias

from operations.contracts.document import ChangedArguments, Document
from operations.contracts.promises import Protection
from operations.core.facts import Guarantee, Mechanism, Seconds

DAY: Final = 86_400.0
Terms: TypeAlias = dict[str, Any]

# Whether tickets are collected before the action; only a desk that keeps a number as long as its ticket exists minds.
COLLECTED: Final = "collected"
_UNKEPT: Final[Terms] = {"mechanism": "none"}
_GONE: Final[Terms] = {"keeps_for": "while_exists", COLLECTED: True}
_THERE: Final[Terms] = {"keeps_for": "while_exists"}
_AFTER: Final[tuple[Terms, ...]] = ({"after": "runs_as_new"}, {"after": "refused"})
_COVERS: Final[tuple[Terms, ...]] = ({"covers": "success_only"}, {"covers": "every_outcome"})
_CONCURRENT: Final[tuple[Terms, ...]] = ({"concurrent_use": "unprotected"}, {"concurrent_use": "protected"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One desk: its terms (tests/recipients/collection_desk), and whether tickets are collected before the action."""

    terms: Mapping[str, Any]
    collected: bool = False

    @property
    def words(self) -> str:
        """What the desk does, in a few words."""
        if self.terms["mechanism"] == "none":
            return "knows no request numbers"
        late = "runs it again" if self.terms["after"] == "runs_as_new" else "refuses it"
        kept = f"{_kept(self.terms['keeps_for'], collected=self.collected)}"
        if self.terms["keeps_for"] != "unlimited":
            kept = f"{kept} and then {late}"
        errors = "keeps errors" if self.terms["covers"] == "every_outcome" else "keeps no errors"
        beside = self.terms["concurrent_use"] == "unprotected"
        return (
            f"{kept}; {errors}; {'runs a repeat beside its original' if beside else 'runs nothing beside an original'}"
        )


def _kept(keeps_for: float | str, *, collected: bool) -> str:
    if keeps_for == "unlimited":
        return "keeps a number for ever"
    if keeps_for == "while_exists":
        return f"keeps a number while its ticket exists ({'it is gone' if collected else 'it does'})"
    return f"keeps a number for {span(float(keeps_for))}" if keeps_for else "forgets a number at once"


def span(seconds: Seconds) -> str:
    """Return an interval in the largest unit that gives a whole number: "1 day", "36 h", "90 s"."""
    for unit, size in (("day", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count:,} {unit}{'s' if unit == 'day' and count > 1 else ''}"
    return f"{seconds:,g} s"


def _keeping(promised: Protection) -> tuple[Terms, ...]:
    """Return how long a number is kept."""
    value = promised.guaranteed_for.value
    if value is Guarantee.UNLIMITED:
        return ({"keeps_for": "unlimited"},)
    if value is Guarantee.WHILE_EXISTS:
        return _GONE, _THERE
    if value is Guarantee.UNDOCUMENTED:
        return {"keeps_for": 0}, _GONE, _THERE, {"keeps_for": "unlimited"}
    return ({"keeps_for": value},)


def _promised(options: tuple[Terms, ...], value: str) -> tuple[Terms, ...]:
    """Return the option that is promised, or all of them, the worst first, where nothing is."""
    return tuple([one for one in options if value in one.values()]) or options


def _options(promised: Protection) -> Iterator[tuple[Terms, ...]]:
    """Yield, term by term, the ways of a desk that knows request numbers."""
    yield _keeping(promised)
    yield _promised(_AFTER, promised.after.value)
    yield _promised(_COVERS, promised.covers.value)
    yield _promised(_CONCURRENT, promised.concurrent_use.value)


def _behaviour(*options: Terms) -> Behaviour:
    terms: Terms = {}
    for told in options:
        terms |= told
    collected = bool(terms.pop(COLLECTED, False))
    return Behaviour(terms=terms, collected=collected and terms.get("keeps_for") == "while_exists")


def _distinct(found: list[Behaviour]) -> tuple[Behaviour, ...]:
    """Leave out a desk that differs in nothing that it can come to: what follows "for ever" never comes."""
    seen: dict[str, Behaviour] = {}
    for one in found:
        seen.setdefault(one.words, one)
    return tuple(seen.values())


def _always(document: Document) -> Terms:
    replayed = document.identity.changed_arguments.value is ChangedArguments.FIRST_ANSWER
    return {
        "key_scope": "credential" if document.identity.scope else "desk",
        "closure": document.closure.covers.value.value,
        "changed_arguments": "replayed" if replayed else "refused",
    }


def behaviours(document: Document, *, breaking: Mapping[str, Any] | None = None) -> tuple[Behaviour, ...]:
    """Return every desk that has this contract's capabilities, the worst first; at least one, at most a few dozen.

    `breaking` are terms that hold on all of them whatever the contract promises: a recipient that does otherwise.
    """
    promised, always = document.protection, {**_always(document), **(breaking or {})}
    mechanism = Mechanism(always.get("mechanism", promised.mechanism.value))
    found = [] if mechanism is Mechanism.KEY else [_behaviour(_UNKEPT, always)]
    if mechanism is not Mechanism.NONE:
        found += [_behaviour({"mechanism": "key"}, *one, always) for one in product(*_options(promised))]
    return _distinct(found)


def window(document: Document, behaviour: Behaviour) -> Seconds:
    """Return after how many seconds a number is surely no longer kept, or a day where nobody says."""
    kept, promised = behaviour.terms.get("keeps_for"), document.protection.guaranteed_for.value
    numbers = [float(one) for one in (kept, promised) if isinstance(one, int | float)]
    return max(numbers, default=DAY) or DAY
