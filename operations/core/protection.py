"""Protection is what the recipient's own words promise about a repeat, and ends before those words do.

The theory. Repeating is harmless while the recipient surely recognises the identity that was sent, in the scope it
was sent in, whatever became of the original, though it may still be in flight. So first everything that would make
the promise miss the original (rows 1 to 6), then the recipient's own newest statement about this identity (7), then
the promise of the contract, counted from the earliest possible receipt (8 to 14). A guarantee that no longer holds
for us is `unestablished`, not `absent`: its end was not observed. semantics.md, Protection.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from operations.core.facts import After, ConcurrentUse, Covers, Guarantee, Mechanism, Seconds
from operations.core.submitted import repeat_scopes
from operations.core.weighed import Ground, Weighed
from operations.core.worded import Worded


class Protection(StrEnum):
    """Would repeating the same identity be harmless?"""

    ACTIVE = "active"
    ABSENT = "absent"
    UNESTABLISHED = "unestablished"


class ProtectionReason(Worded):
    """Why protection is not active; `sentence` is what a reviewer reads."""

    CONTRACT_HAS_NONE = (
        "contract_has_none",
        "The recipient does not recognise a repeat: the same request again is a second request.",
    )
    IDENTITY_UNKNOWN = (
        "identity_unknown",
        "The request number that was sent is not known, so a repeat could not carry it.",
    )
    RECORD_INCOMPLETE = (
        "record_incomplete",
        "Something that is not on record may have gone out, perhaps under another request number or account.",
    )
    SCOPE_DIFFERS = (
        "scope_differs",
        "A repeat would go out under another account, credential or region than an attempt that may still act.",
    )
    OUTCOMES_NOT_COVERED = (
        "outcomes_not_covered",
        "The recipient does not promise to keep every outcome; an effect followed by an error could be run again.",
    )
    CONCURRENCY_UNDOCUMENTED = (
        "concurrency_undocumented",
        "The recipient does not say what a repeat does while the original is still in flight, and it may be.",
    )
    WITHDRAWN = "withdrawn", "The recipient says that it no longer keeps this request number."
    LAPSED = (
        "lapsed",
        "The time for which the recipient surely recognises the request number is over, less the margin to arrive.",
    )
    UNDOCUMENTED = "undocumented", "The recipient does not document that it recognises a repeat, or for how long."
    DEPENDS_ON_EXISTENCE = (
        "depends_on_existence",
        "The request number is recognised only while the object exists, and it may have been deleted.",
    )


def _mechanism_none(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.mechanism is _NONE


_NONE, _NO_MECHANISM_STATED = Mechanism.NONE, Mechanism.UNDOCUMENTED
_EVERY, _IN_FLIGHT_TOO = Covers.EVERY_OUTCOME, ConcurrentUse.PROTECTED
_REFUSED = After.REFUSED
_UNLIMITED, _WHILE_EXISTS, _NO_INTERVAL_STATED = Guarantee.UNLIMITED, Guarantee.WHILE_EXISTS, Guarantee.UNDOCUMENTED


def _identity_unknown(weighed: Weighed) -> bool:
    return not weighed.facts.operation.identity_known


def _record_incomplete(weighed: Weighed) -> bool:
    return not weighed.went.complete


def scope_differs_from(weighed: Weighed) -> list[str]:
    """Return the live attempts (ids) which went out in another scope than a repeat would."""
    scopes = repeat_scopes(weighed.facts, weighed.went)
    return [attempt.id for attempt in weighed.went.live if scopes != {attempt.scope}]


def _scope_differs(weighed: Weighed) -> bool:
    live = weighed.went.live
    if len(live) == 1 and weighed.facts.operation.repeat_scope is None and live == weighed.went.reached:
        return False  # the common case: the only attempt sets the scope
    return bool(scope_differs_from(weighed))


def _outcomes_not_covered(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.covers is not _EVERY


def _concurrency_undocumented(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.concurrent_use is not _IN_FLIGHT_TOO


def _newest_statement(weighed: Weighed) -> tuple[Seconds | None, int] | None:
    """Return the stated end (None: lost) and the index of the newest statement; of one date, the weakest."""
    said = weighed.said
    if not (said.kept or said.lost):
        return None
    # A loss sorts before every stated end of its date, and of two ends the earlier one.
    rank = [(-lost.at, float("-inf"), lost.event) for lost in said.lost]
    rank += [(-kept.at, until, kept.event) for kept, until in said.kept]
    _, until, index = min(rank)
    return (None if until == float("-inf") else until), index


def sorted_statements(weighed: Weighed) -> list[tuple[Seconds, Seconds]]:
    """Return date and stated end of every statement, oldest first, the weakest of one date last; lost ends at once."""
    said = weighed.said
    statements = [(lost.at, float("-inf")) for lost in said.lost]
    statements += [(kept.at, until) for kept, until in said.kept]
    return sorted(statements, key=lambda statement: (statement[0], -statement[1]))


def margin_of(weighed: Weighed) -> Seconds:
    """Return the contract's margin; a contract that states none has neither a window nor a statement that counts."""
    return weighed.facts.contract.protection.margin or 0


def _stated_end(weighed: Weighed) -> Seconds | None:
    statement = _newest_statement(weighed)
    if statement is None or statement[0] is None:
        return None
    return statement[0] - margin_of(weighed)


def _withdrawn(weighed: Weighed) -> bool:
    statement = _newest_statement(weighed)
    return statement is not None and statement[0] is None


def _stated_active(weighed: Weighed) -> bool:
    end = _stated_end(weighed)
    return end is not None and weighed.now < end


def _stated_lapsed(weighed: Weighed) -> bool:
    return _stated_end(weighed) is not None


def _mechanism_undocumented(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.mechanism is _NO_MECHANISM_STATED


def _endless(weighed: Weighed) -> bool:
    terms = weighed.facts.contract.protection
    return terms.guaranteed_for is _UNLIMITED or terms.after is _REFUSED


def _while_exists(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.guaranteed_for is _WHILE_EXISTS


def _interval_undocumented(weighed: Weighed) -> bool:
    return weighed.facts.contract.protection.guaranteed_for is _NO_INTERVAL_STATED


def _nothing_reached(weighed: Weighed) -> bool:
    return not weighed.went.reached


def window_end(weighed: Weighed) -> Seconds | None:
    """Return first attempt that may have arrived + `guaranteed_for` - margin; None without a number or an attempt."""
    interval = weighed.facts.contract.protection.guaranteed_for
    first = weighed.went.first_reached_at
    if isinstance(interval, Guarantee) or first is None:
        return None
    return first + interval - margin_of(weighed)


def _inside_window(weighed: Weighed) -> bool:
    end = window_end(weighed)
    return end is not None and weighed.now < end


def _always(_: Weighed) -> bool:
    return True


def _no_end(_: Weighed) -> Seconds | None:
    return None


class ProtectionRow(NamedTuple):
    """One row: what holds then, until when, and what it rests on. `own` rows are the contract's own terms."""

    name: str
    holds: Callable[[Weighed], bool]
    protection: Protection
    reason: ProtectionReason | None
    ends: Callable[[Weighed], Seconds | None]
    terms: tuple[str, ...]
    own: bool = True


def _row(
    name: str,
    holds: Callable[[Weighed], bool],
    reason: ProtectionReason | None,
    *terms: str,
    protection: Protection | None = None,
    ends: Callable[[Weighed], Seconds | None] = _no_end,
    own: bool = True,
) -> ProtectionRow:
    value = protection or (Protection.ACTIVE if reason is None else Protection.UNESTABLISHED)
    return ProtectionRow(name, holds, value, reason, ends, terms, own)


ProtectionTable: TypeAlias = tuple[ProtectionRow, ...]
_WINDOW: Final = ("protection.guaranteed_for", "protection.margin")
PROTECTIONS: Final[ProtectionTable] = (
    _row(
        "mechanism none",
        _mechanism_none,
        ProtectionReason.CONTRACT_HAS_NONE,
        "protection.mechanism",
        protection=Protection.ABSENT,
    ),
    _row("identity unknown", _identity_unknown, ProtectionReason.IDENTITY_UNKNOWN, "operation.identity_known"),
    _row("record incomplete", _record_incomplete, ProtectionReason.RECORD_INCOMPLETE, "operation.attempts_complete"),
    _row("scope differs", _scope_differs, ProtectionReason.SCOPE_DIFFERS, "operation.repeat_scope", own=False),
    _row("outcomes not covered", _outcomes_not_covered, ProtectionReason.OUTCOMES_NOT_COVERED, "protection.covers"),
    _row(
        "concurrent use undocumented",
        _concurrency_undocumented,
        ProtectionReason.CONCURRENCY_UNDOCUMENTED,
        "protection.concurrent_use",
    ),
    _row("newest statement: lost", _withdrawn, ProtectionReason.WITHDRAWN, own=False),
    _row("newest statement: still kept", _stated_active, None, "protection.margin", ends=_stated_end, own=False),
    _row("newest statement: its end passed", _stated_lapsed, ProtectionReason.LAPSED, "protection.margin", own=False),
    _row("mechanism undocumented", _mechanism_undocumented, ProtectionReason.UNDOCUMENTED, "protection.mechanism"),
    _row("unlimited, or a late repeat is refused", _endless, None, "protection.guaranteed_for", "protection.after"),
    _row("while it exists", _while_exists, ProtectionReason.DEPENDS_ON_EXISTENCE, "protection.guaranteed_for"),
    _row("interval undocumented", _interval_undocumented, ProtectionReason.UNDOCUMENTED, "protection.guaranteed_for"),
    _row("nothing may have arrived", _nothing_reached, None, *_WINDOW),
    _row("inside the window", _inside_window, None, *_WINDOW, ends=window_end),
    _row("later", _always, ProtectionReason.LAPSED, *_WINDOW),
)


class Protected(NamedTuple):
    """The protection at one moment: its value, its end (seconds; None: none, not yet, or not active) and reason."""

    protection: Protection
    until: Seconds | None
    reason: ProtectionReason | None
    ground: Ground


_STATED: Final = frozenset({_withdrawn, _stated_active, _stated_lapsed})


def _rests_on(weighed: Weighed, row: ProtectionRow) -> tuple[int, ...]:
    statement = _newest_statement(weighed) if row.holds in _STATED else None
    if statement is not None:
        return (statement[1],)
    if row.holds is _record_incomplete and weighed.went.stranger is not None:
        return (weighed.went.stranger,)
    return ()


def protection_of(weighed: Weighed, *, table: ProtectionTable = PROTECTIONS) -> Protected:
    """Return whether repeating the same identity now would be harmless: the first row that holds."""
    for row in table:
        if row.holds(weighed):
            return Protected(row.protection, row.ends(weighed), row.reason, Ground(_rests_on(weighed, row), row.terms))
    return Protected(Protection.UNESTABLISHED, None, ProtectionReason.UNDOCUMENTED, Ground())


def protected_when_sent(weighed: Weighed, at: Seconds, *, table: ProtectionTable = PROTECTIONS) -> bool:
    """Return whether an attempt sent at `at` went out under protection by the contract's own terms, statements aside.

    The scope is the caller's question; it asks it of all live attempts together (semantics.md, further_effect).
    """
    then = replace(weighed, now=at)
    for row in table:
        if row.own and row.holds(then):
            return row.protection is Protection.ACTIVE
    return False
