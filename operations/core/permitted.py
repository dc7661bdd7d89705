"""What may be done about an operation, and for everything that may not be, why and until when.

The theory. An action is permitted only if it is harmless in every history that the facts allow. Recording and asking
never act at the recipient, so they are refused only for want of something to record or somebody to ask. A repeat is
harmless where the recipient surely recognises it (protection is active), or where nothing that was sent can act; a new
operation only where nothing that was sent has acted or can. Accepting a risk and leaving the outcome unresolved change
no fact and are for what is not settled. Everything below follows:

- where the recipient contradicts itself, or the effect is established, there is nothing left to send;
- where a closure excludes any effect, the identity is spent: only another operation can act;
- where nothing can act, the same representation is a first send;
- else a repeat needs protection, the recipient's leave to ask again while the original is under way, and its pacing.

It is safe under these assumptions: a single send acts at most once; while an identity is protected, all its copies
together act at most once, and every copy of an attempt sent under active protection arrives before that protection ends
(copies of others may arrive at any time); one permitted action is taken, then everything is inferred again.

The table. A row is the first situation of semantics.md (Permitted actions) that holds; a cell lists the bars of an
action in their order of precedence; the first that is down refuses it, and a cell without bars permits it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from operations.core.actions import Action
from operations.core.facts import Authority, Contract, Seconds
from operations.core.fates import Fate, witness
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Situation, Standing
from operations.core.submitted import open_successors
from operations.core.weighed import fresh
from operations.core.worded import Worded


class Kind(StrEnum):
    """The kind of a refusal: what sort of answer would open the door."""

    HARM = "harm"
    CONFLICT = "conflict"
    SETTLED = "settled"
    UNPROVEN = "unproven"
    MANNERS = "manners"
    SUCCESSOR = "successor"
    NO_CHANNEL = "no_channel"


class Bar(Worded):
    """One reason to refuse; `sentence` is what a reviewer reads."""

    CONTRADICTION = "contradiction", "The recipient contradicts itself; until that is resolved nothing is established."
    HAPPENED = "happened", "It happened; there is nothing left to send."
    CLOSED = "closed", "It ended without effect; if it is still wanted, that takes a new operation."
    SETTLED = "settled", "The outcome is established; there is no open question to accept a risk about or to leave."
    SUCCESSOR_OPEN = "successor_open", "Another operation was authorised to carry this intent, and it is still open."
    UNPROTECTED = "unprotected", "What was sent may have acted or may still act, and a repeat could act beside it."
    MAY_ACT = "may_act", "What was sent may have acted or may still act, and a new operation would act beside it."
    IN_FLIGHT = "in_flight", "It is under way, and the recipient does not invite a repeat meanwhile."
    TOO_SOON = "too_soon", "The recipient asks for more time between two requests."
    NOT_ESTABLISHED = "not_established", "No outcome is established that our record could be repaired from."
    NOBODY_TO_ASK = "nobody_to_ask", "The contract lists no channel on which the recipient can be asked."


class Circumstances(NamedTuple):
    """All that the table looks at."""

    situation: Situation
    protection: Protection
    in_flight: bool  # a pending or accepted is fresh, and the contract does not allow repeating meanwhile
    too_soon: bool  # less than `min_interval` since the last attempt that may have reached the recipient
    successor_open: bool
    observable: bool  # a pollable channel of authority history, current or derived


_Down: TypeAlias = Callable[[Circumstances], bool]


def _down(_: Circumstances) -> bool:
    return True


BARS: Final[Mapping[Bar, tuple[Kind, _Down]]] = {
    Bar.CONTRADICTION: (Kind.CONFLICT, _down),
    Bar.HAPPENED: (Kind.SETTLED, _down),
    Bar.CLOSED: (Kind.SETTLED, _down),
    Bar.SETTLED: (Kind.SETTLED, _down),
    Bar.SUCCESSOR_OPEN: (Kind.SUCCESSOR, lambda found: found.successor_open),
    Bar.UNPROTECTED: (Kind.HARM, lambda found: found.protection is not Protection.ACTIVE),
    Bar.MAY_ACT: (Kind.HARM, _down),
    Bar.IN_FLIGHT: (Kind.MANNERS, lambda found: found.in_flight),
    Bar.TOO_SOON: (Kind.MANNERS, lambda found: found.too_soon),
    Bar.NOT_ESTABLISHED: (Kind.UNPROVEN, _down),
    Bar.NOBODY_TO_ASK: (Kind.NO_CHANNEL, lambda found: not found.observable),
}

PermittedTable: TypeAlias = Mapping[Situation, Mapping[Action, tuple[Bar, ...]]]
PERMITTED: Final[PermittedTable] = {
    Situation.CONFLICT: {
        Action.RECORD: (Bar.CONTRADICTION,),
        Action.OBSERVE: (Bar.NOBODY_TO_ASK,),
        Action.REPEAT: (Bar.CONTRADICTION,),
        Action.PROPOSE_NEW: (Bar.CONTRADICTION,),
        Action.EXCEPT: (Bar.SUCCESSOR_OPEN,),
        Action.LEAVE_UNRESOLVED: (),
    },
    Situation.APPLIED: {
        Action.RECORD: (),
        Action.OBSERVE: (Bar.NOBODY_TO_ASK,),
        Action.REPEAT: (Bar.HAPPENED,),
        Action.PROPOSE_NEW: (Bar.HAPPENED,),
        Action.EXCEPT: (Bar.SETTLED,),
        Action.LEAVE_UNRESOLVED: (Bar.SETTLED,),
    },
    Situation.CLOSED: {
        Action.RECORD: (),
        Action.OBSERVE: (Bar.NOBODY_TO_ASK,),
        Action.REPEAT: (Bar.CLOSED,),
        Action.PROPOSE_NEW: (Bar.SUCCESSOR_OPEN,),
        Action.EXCEPT: (Bar.SETTLED,),
        Action.LEAVE_UNRESOLVED: (Bar.SETTLED,),
    },
    Situation.NOTHING_CAN_ACT: {
        Action.RECORD: (),
        Action.OBSERVE: (Bar.NOBODY_TO_ASK,),
        Action.REPEAT: (Bar.SUCCESSOR_OPEN, Bar.TOO_SOON),
        Action.PROPOSE_NEW: (Bar.SUCCESSOR_OPEN,),
        Action.EXCEPT: (Bar.SETTLED,),
        Action.LEAVE_UNRESOLVED: (Bar.SETTLED,),
    },
    Situation.OPEN: {
        Action.RECORD: (Bar.NOT_ESTABLISHED,),
        Action.OBSERVE: (Bar.NOBODY_TO_ASK,),
        Action.REPEAT: (Bar.SUCCESSOR_OPEN, Bar.UNPROTECTED, Bar.IN_FLIGHT, Bar.TOO_SOON),
        Action.PROPOSE_NEW: (Bar.SUCCESSOR_OPEN, Bar.MAY_ACT),
        Action.EXCEPT: (Bar.SUCCESSOR_OPEN,),
        Action.LEAVE_UNRESOLVED: (),
    },
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action is not permitted.

    `rule` names the cell of the table (situation, action, bar). `witness` is given for harm alone: a compatible history
    in which the action leads to a second effect. `until` (seconds) is when pacing, the freshness of a report or the end
    of a window changes the answer; the refusal stands up to then, and None means that no passing of time changes it.
    """

    kind: Kind
    sentence: str
    rule: str
    witness: tuple[Fate, ...] | None = None
    until: Seconds | None = None


@cache
def _rule(situation: Situation, action: Action, bar: Bar) -> str:
    return f"{situation}: {action}: {bar}"


@cache
def _sentence(bar: Bar, reason: ProtectionReason | None) -> str:
    if bar is Bar.UNPROTECTED and reason is not None:
        return f"{bar.sentence} {reason.sentence}"
    return bar.sentence


def bar_of(action: Action, found: Circumstances, *, table: PermittedTable = PERMITTED) -> Bar | None:
    """Return the first bar that refuses `action` in these circumstances, or None: it is permitted."""
    for bar in table[found.situation][action]:
        if BARS[bar][1](found):
            return bar
    return None


_ASKABLE: Final = frozenset({Authority.HISTORY, Authority.CURRENT, Authority.DERIVED})


def askable(contract: Contract) -> list[str]:
    """Return the channels on which the recipient can be asked: pollable, of authority history, current or derived."""
    return [name for name, channel in contract.channels.items() if channel.pollable and channel.authority in _ASKABLE]


def _paced_until(standing: Standing) -> Seconds | None:
    """Return the time before which a repeat would be too soon, or None."""
    weighed = standing.weighed
    last, interval = weighed.went.last_reached_at, weighed.facts.contract.protection.min_interval
    if last is None or weighed.now >= last + interval:
        return None
    return last + interval


def _reports_in_flight(standing: Standing) -> bool:
    weighed = standing.weighed
    if not weighed.active or weighed.facts.contract.protection.repeat_while_pending:
        return False
    said, now = weighed.said, weighed.now
    return bool(fresh(weighed.facts, said.pending, now) or fresh(weighed.facts, said.accepted, now))


def circumstances_of(standing: Standing) -> Circumstances:
    """Return what the table looks at."""
    weighed = standing.weighed
    facts = weighed.facts
    return Circumstances(
        standing.situation,
        standing.protection,
        _reports_in_flight(standing),
        _paced_until(standing) is not None,
        bool(facts.successors) and bool(open_successors(facts, now=weighed.now)),
        bool(askable(facts.contract)),
    )


def _until(standing: Standing, found: Circumstances) -> Seconds | None:
    """Return when a refused, but safe, repeat is answered otherwise: it opens, or its protection ends first."""
    opens = _paced_until(standing)
    if found.in_flight and standing.situation is Situation.OPEN:
        weighed = standing.weighed
        limit = weighed.facts.contract.protection.pending_fresh_for
        newest = max([*weighed.said.pending, *weighed.said.accepted]).at
        opens = None if limit is None else max(newest + limit, opens or newest)
    ends = standing.protection_until if standing.situation is Situation.OPEN else None
    return min([time for time in (opens, ends) if time is not None], default=None)


def _refusal(standing: Standing, found: Circumstances, action: Action, bar: Bar) -> Refusal:
    kind = BARS[bar][0]
    return Refusal(
        kind,
        _sentence(bar, standing.protection_reason),
        _rule(standing.situation, action, bar),
        witness(standing, action) if kind is Kind.HARM else None,
        _until(standing, found) if kind is Kind.MANNERS else None,
    )


_ACTIONS: Final = tuple(Action)


def permitted(standing: Standing, *, table: PermittedTable = PERMITTED) -> dict[Action, Refusal | None]:
    """Return for every action None (permitted) or the refusal: the one verdict that everything else asks for."""
    found = circumstances_of(standing)
    verdict: dict[Action, Refusal | None] = {}
    for action in _ACTIONS:
        bar = bar_of(action, found, table=table)
        verdict[action] = None if bar is None else _refusal(standing, found, action, bar)
    return verdict
