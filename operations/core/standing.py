"""Standing is inferred from the facts at one moment, and says for each value what it rests on.

`infer` is the only way to a `Standing`. It weighs (what counts, what went out), looks for a contradiction, and reads
three separate things off three tables of semantics.md: evidence of the effect with finality (Conflict), protection
(Protection), and what a further effect could be. It reads no clock and changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from operations.core.conflicts import CONFLICTS, ConflictKind, ConflictTable, conflict_in
from operations.core.facts import Facts, Seconds, Sends
from operations.core.protection import (
    PROTECTIONS,
    Protection,
    ProtectionReason,
    ProtectionTable,
    protected_when_sent,
    protection_of,
)
from operations.core.sifting import AUTHORITY, AuthorityTable, NotCounted, sift
from operations.core.weighed import Ground, Weighed, weigh


class Evidence(StrEnum):
    """What is established about the effect."""

    APPLIED = "applied"
    NOT_APPLIED = "not_applied"
    PENDING = "pending"
    UNKNOWN = "unknown"


class Finality(StrEnum):
    """Can a submitted attempt still act?"""

    SETTLED = "settled"
    EXCLUDED = "excluded"
    POSSIBLE = "possible"
    UNESTABLISHED = "unestablished"


class FurtherEffect(StrEnum):
    """Where it happened: can it happen again by what was sent already?"""

    EXCLUDED = "excluded"
    POSSIBLE = "possible"


class Situation(StrEnum):
    """The row of the table of permitted actions (semantics.md, Permitted actions) that a standing falls into."""

    CONFLICT = "conflict"
    APPLIED = "applied"
    CLOSED = "excluded by closure"
    NOTHING_CAN_ACT = "nothing can act"
    OPEN = "anything else"


class Grounds(NamedTuple):
    """What each value rests on."""

    evidence: Ground
    finality: Ground
    protection: Ground
    further_effect: Ground


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known at one moment: evidence + finality + protection + conflict.

    `protection_until` is in seconds; None means no end, no end yet, or not active. `effect_refs` are the different
    effects the recipient names, `further_effect` is None unless the effect is established. `weighed` holds the facts
    it was inferred from; `row` is the row of the evidence table that held.
    """

    evidence: Evidence
    finality: Finality
    protection: Protection
    protection_until: Seconds | None
    protection_reason: ProtectionReason | None
    conflict: ConflictKind | None
    effect_refs: tuple[str, ...]
    further_effect: FurtherEffect | None
    situation: Situation
    row: str
    grounds: Grounds
    weighed: Weighed = field(compare=False, repr=False)

    @property
    def duplicate_effect(self) -> bool:
        """Whether the recipient names two different effects."""
        return len(self.effect_refs) > 1

    @property
    def not_counted(self) -> tuple[NotCounted, ...]:
        """The observations that settle nothing, each with its reason, in the order of the events."""
        return tuple(self.weighed.said.not_counted)


def _applied(weighed: Weighed) -> Ground | None:
    applied = weighed.said.applied
    return Ground(tuple([dated.event for dated in applied])) if applied else None


def _closed(weighed: Weighed) -> Ground | None:
    closure = weighed.closure
    return Ground((closure.event,), ("closure.covers",)) if closure is not None else None


def _nothing_can_act(weighed: Weighed) -> Ground | None:
    if not weighed.went.nothing_can_act:
        return None
    said, went = weighed.said, weighed.went
    denials = [dated.event for dated in (*said.refused.values(), *went.unsent.values())]
    return Ground(tuple(sorted(denials)), ("operation.attempts_complete",))


def _pending(weighed: Weighed) -> Ground | None:
    newest = weighed.newest
    if newest is None or not newest[1]:
        return None
    return Ground((newest[0].event,), ("protection.pending_fresh_for",))


def _absent(weighed: Weighed) -> Ground | None:
    newest = weighed.newest
    if newest is None or newest[1]:
        return None
    read, went = newest[0], weighed.went
    covers_all = all(went.sent[attempt.id] <= read.at for attempt in went.live)
    return Ground((read.event,)) if covers_all else None


def _otherwise(_: Weighed) -> Ground | None:
    return Ground()


class EvidenceRow(NamedTuple):
    """One row: evidence and finality where it holds. No finality: `possible` if anything was reported active."""

    name: str
    holds: Callable[[Weighed], Ground | None]
    evidence: Evidence
    finality: Finality | None
    situation: Situation


EvidenceTable: TypeAlias = tuple[EvidenceRow, ...]
EVIDENCE: Final[EvidenceTable] = (
    EvidenceRow("an applied", _applied, Evidence.APPLIED, Finality.SETTLED, Situation.APPLIED),
    EvidenceRow("a closed excludes", _closed, Evidence.NOT_APPLIED, Finality.EXCLUDED, Situation.CLOSED),
    EvidenceRow(
        "nothing can act", _nothing_can_act, Evidence.NOT_APPLIED, Finality.EXCLUDED, Situation.NOTHING_CAN_ACT
    ),
    EvidenceRow("the newest is a pending", _pending, Evidence.PENDING, Finality.POSSIBLE, Situation.OPEN),
    EvidenceRow("the newest is an absent", _absent, Evidence.NOT_APPLIED, None, Situation.OPEN),
    EvidenceRow("otherwise", _otherwise, Evidence.UNKNOWN, None, Situation.OPEN),
)
# A contradiction comes before every row: nothing is established while two statements cannot both hold.
CONTRADICTION: Final = EvidenceRow("conflict", _otherwise, Evidence.UNKNOWN, Finality.UNESTABLISHED, Situation.CONFLICT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """The tables of semantics.md that inference reads; a test hands in a changed one to show that it is noticed."""

    authority: AuthorityTable
    conflicts: ConflictTable
    evidence: EvidenceTable
    protection: ProtectionTable
    contradiction: EvidenceRow = CONTRADICTION


LAW: Final = Law(authority=AUTHORITY, conflicts=CONFLICTS, evidence=EVIDENCE, protection=PROTECTIONS)
_NOTHING: Final = Ground()


def collapsed(weighed: Weighed, *, table: ProtectionTable = PROTECTIONS) -> bool:
    """Return whether all live attempts together act at most once, by the contract's own terms.

    There must be one. They do if they went out in one scope and each under protection (semantics.md, further_effect). A window that is
    open for the last of them was open for all.
    """
    live = weighed.went.live
    if len({attempt.scope for attempt in live}) > 1:
        return False
    last = max([weighed.went.sent[attempt.id] for attempt in live])
    return protected_when_sent(weighed, last, table=table)


def _further_effect(weighed: Weighed, law: Law) -> tuple[FurtherEffect, Ground]:
    went = weighed.went
    if not went.complete:
        return FurtherEffect.POSSIBLE, Ground((), ("operation.attempts_complete",))
    live = went.live
    if not live or (len(live) == 1 and live[0].sends is Sends.ONE):
        return FurtherEffect.EXCLUDED, Ground((), ("operation.attempts_complete",))
    if collapsed(weighed, table=law.protection):
        return FurtherEffect.EXCLUDED, Ground((), ("operation.attempts_complete", "protection"))
    return FurtherEffect.POSSIBLE, Ground((), ("protection",))


def _evidence(weighed: Weighed, table: EvidenceTable) -> tuple[EvidenceRow, Ground]:
    for row in table:
        ground = row.holds(weighed)
        if ground is not None:
            return row, ground
    return EvidenceRow("no row", _otherwise, Evidence.UNKNOWN, None, Situation.OPEN), _NOTHING


def _finality(weighed: Weighed, row: EvidenceRow, ground: Ground) -> tuple[Finality, Ground]:
    if row.finality is not None:
        return row.finality, ground
    if weighed.active:
        newest = max([*weighed.said.pending, *weighed.said.accepted])
        return Finality.POSSIBLE, Ground((newest.event,))
    return Finality.UNESTABLISHED, _NOTHING


def infer(facts: Facts, *, now: Seconds, law: Law = LAW) -> Standing:
    """Return the standing of `facts` at `now` (seconds), with the grounds of each value."""
    weighed = weigh(facts, sift(facts, now=now, authority=law.authority), now=now)
    conflict = conflict_in(weighed, table=law.conflicts)
    if conflict is None:
        kind, (row, ground) = None, _evidence(weighed, law.evidence)
    else:
        kind, (row, ground) = conflict[0], (law.contradiction, conflict[1])
    finality, final_ground = _finality(weighed, row, ground)
    protection, until, reason, protection_ground = protection_of(weighed, table=law.protection)
    further, further_ground = _further_effect(weighed, law) if row.evidence is Evidence.APPLIED else (None, _NOTHING)
    return Standing(
        row.evidence,
        finality,
        protection,
        until,
        reason,
        kind,
        tuple(weighed.said.effects),
        further,
        row.situation,
        row.name,
        Grounds(ground, final_ground, protection_ground, further_ground),
        weighed,
    )
