"""Of two promises an operation may count on the weaker: that of its first attempt, and that of now.

The theory. What was sent went out under the promise of its day, and meets a recipient that keeps the promise of today;
nobody promised the better of both. So every term by which a repeat, or something new, could be let through is the more
cautious of the two (design.md, rule 1; semantics.md, Protection). The channels are no promise: what a channel can speak
for, and what its answers mean, is our own reading of the recipient, and a corrected reading holds for old answers too.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from operations.core.facts import (
    After,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Covers,
    Guarantee,
    Mechanism,
    ProtectionTerms,
    Seconds,
)

# Each term's words, the most cautious first. `none` comes before `undocumented`: a recipient that recognises no repeat
# is not believed when it states that it keeps a number.
MECHANISM: Final = (Mechanism.NONE, Mechanism.UNDOCUMENTED, Mechanism.KEY)
COVERS: Final = (Covers.UNDOCUMENTED, Covers.SUCCESS_ONLY, Covers.EVERY_OUTCOME)
CONCURRENT_USE: Final = (ConcurrentUse.UNDOCUMENTED, ConcurrentUse.PROTECTED)
AFTER: Final = (After.UNDOCUMENTED, After.RUNS_AS_NEW, After.REFUSED)
CLOSURE: Final = (ClosureCovers.EARLIER_ATTEMPTS, ClosureCovers.IDENTITY)
# A number of seconds stands between these and `unlimited`.
NO_INTERVAL: Final = (Guarantee.UNDOCUMENTED, Guarantee.WHILE_EXISTS)

_Word = TypeVar("_Word")


def _first_of(order: Sequence[_Word], one: _Word, other: _Word) -> _Word:
    return min(one, other, key=order.index)


def promised_for(terms: ProtectionTerms) -> Seconds | Guarantee:
    """Return for how long a repeat is recognised or refused, but never run: a late repeat that is refused has no end."""
    return Guarantee.UNLIMITED if terms.after is After.REFUSED else terms.guaranteed_for


def _guaranteed_for(first: ProtectionTerms, current: ProtectionTerms, *, mechanism: Mechanism) -> Seconds | Guarantee:
    """Return the shorter interval; none where one of the two doesn't recognise a repeat at all."""
    if mechanism is not Mechanism.KEY:
        return Guarantee.UNDOCUMENTED
    promised = (promised_for(first), promised_for(current))
    for word in NO_INTERVAL:
        if word in promised:
            return word
    numbers = [one for one in promised if not isinstance(one, Guarantee)]
    return min(numbers) if numbers else Guarantee.UNLIMITED


def _margin(first: ProtectionTerms, current: ProtectionTerms, *, promised: Seconds | Guarantee) -> Seconds | None:
    """Return the larger margin: it is ours, and the way and the clocks are as slow as we ever knew them to be.

    Where no interval is promised, a stated end is the only ground of a repeat, and counts only where both state one.
    """
    stated = [terms.margin for terms in (first, current) if terms.margin is not None]
    return max(stated) if len(stated) == 2 or (stated and promised not in NO_INTERVAL) else None


def _fresh_for(first: ProtectionTerms, current: ProtectionTerms) -> Seconds | None:
    """Return the longer time for which a report of being under way holds a repeat back; None is for good."""
    if first.pending_fresh_for is None or current.pending_fresh_for is None:
        return None
    return max(first.pending_fresh_for, current.pending_fresh_for)


def _protection(first: ProtectionTerms, current: ProtectionTerms) -> ProtectionTerms:
    mechanism = _first_of(MECHANISM, first.mechanism, current.mechanism)
    promised = _guaranteed_for(first, current, mechanism=mechanism)
    return ProtectionTerms(
        mechanism=mechanism,
        guaranteed_for=promised,
        margin=_margin(first, current, promised=promised),
        after=_first_of(AFTER, first.after, current.after),
        covers=_first_of(COVERS, first.covers, current.covers),
        concurrent_use=_first_of(CONCURRENT_USE, first.concurrent_use, current.concurrent_use),
        repeat_while_pending=first.repeat_while_pending and current.repeat_while_pending,
        pending_fresh_for=_fresh_for(first, current),
        min_interval=max(first.min_interval, current.min_interval),
    )


def weaker(first: Contract, *, current: Contract) -> Contract:
    """Return the terms that govern an operation whose first attempt went out under `first`, now that `current` holds.

    Protection and closure are term by term the more cautious of the two; the channels are `current`'s.
    """
    if first == current:
        return current
    return Contract(
        protection=_protection(first.protection, current.protection),
        closure=Closure(covers=_first_of(CLOSURE, first.closure.covers, current.closure.covers)),
        channels=current.channels,
    )


def governed_by(first: Contract, *, current: Contract) -> Mapping[str, bool]:
    """Return for each term that two contracts state differently whether it is the first one's that governs.

    Terms are paths: `protection.margin`. One that is neither's own (none of the margins) counts as the current one's.
    """
    governing = weaker(first, current=current)
    paths = [("protection", name) for name in ProtectionTerms.__dataclass_fields__] + [("closure", "covers")]
    told: dict[str, bool] = {}
    for part, name in paths:
        mine, theirs, held = (getattr(getattr(one, part), name) for one in (first, current, governing))
        if mine != theirs:
            told[f"{part}.{name}"] = held == mine
    return told
