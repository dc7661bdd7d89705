"""Facts are frozen values in which nonsense cannot be written down.

Everything of the scenario format (semantics.md, Scenario format) has its value here. Times are seconds on the desk's
clock; intervals are seconds. A default is never permissive: what nobody stated is undocumented, not authentic, weak.
Construction raises `FactError`, which names the field and the rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from operations.core.checked import (
    LATEST,
    FactError,
    require_flag,
    require_interval,
    require_text,
    require_time,
    require_word,
)
from operations.core.vocabulary import (
    After,
    Authority,
    Claim,
    ClosureCovers,
    ConcurrentUse,
    Correlation,
    Covers,
    Guarantee,
    Mechanism,
    Reads,
    Sends,
    SuccessorState,
)

__all__ = [
    "LATEST",
    "OFF_RECORD",
    "After",
    "Attempt",
    "Authority",
    "Channel",
    "Claim",
    "Closure",
    "ClosureCovers",
    "ConcurrentUse",
    "Contract",
    "Correlation",
    "Covers",
    "Event",
    "FactError",
    "Facts",
    "Guarantee",
    "Mechanism",
    "Observation",
    "Operation",
    "ProtectionTerms",
    "Reads",
    "Seconds",
    "Sends",
    "Successor",
    "SuccessorState",
]

Seconds: TypeAlias = float

OFF_RECORD: Final = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionTerms:
    """The recipient's promises about repeating one identity, exactly as documented (semantics.md, Protection).

    `guaranteed_for` is the shortest interval the recipient's words allow; as a number it requires `margin`: the time
    a send may take plus the difference of the clocks.
    """

    mechanism: Mechanism = Mechanism.UNDOCUMENTED
    guaranteed_for: Seconds | Guarantee = Guarantee.UNDOCUMENTED
    margin: Seconds | None = None
    after: After = After.UNDOCUMENTED
    covers: Covers = Covers.UNDOCUMENTED
    concurrent_use: ConcurrentUse = ConcurrentUse.UNDOCUMENTED
    repeat_while_pending: bool = False
    pending_fresh_for: Seconds | None = None
    min_interval: Seconds = 0

    def __post_init__(self) -> None:
        require_word("mechanism", self.mechanism, Mechanism)
        self._require_guarantee()
        require_word("after", self.after, After)
        require_word("covers", self.covers, Covers)
        require_word("concurrent_use", self.concurrent_use, ConcurrentUse)
        require_flag("repeat_while_pending", self.repeat_while_pending)
        if self.pending_fresh_for is not None:
            require_interval("pending_fresh_for", self.pending_fresh_for)
        require_interval("min_interval", self.min_interval)

    def _require_guarantee(self) -> None:
        if self.margin is not None:
            require_interval("margin", self.margin)
        interval: object = self.guaranteed_for
        if type(interval) is Guarantee:
            return
        if type(interval) is str:
            raise FactError("guaranteed_for", "one_of", f"must be a number or one of {', '.join(Guarantee)}")
        require_interval("guaranteed_for", interval)
        if self.margin is None:
            raise FactError("margin", "required_with_number", "is required where guaranteed_for is a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What the recipient's `closed` covers."""

    covers: ClosureCovers = ClosureCovers.EARLIER_ATTEMPTS

    def __post_init__(self) -> None:
        require_word("covers", self.covers, ClosureCovers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One route by which something is learnt, with what it can speak for."""

    authority: Authority = Authority.NONE
    reads: Reads = Reads.UNORDERED
    positive_is_conclusive: bool = False
    pollable: bool = True

    def __post_init__(self) -> None:
        require_word("authority", self.authority, Authority)
        require_word("reads", self.reads, Reads)
        require_flag("positive_is_conclusive", self.positive_is_conclusive)
        require_flag("pollable", self.pollable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What the recipient promises: its protection, its closure and the channels that may be believed."""

    protection: ProtectionTerms = field(default_factory=ProtectionTerms)
    closure: Closure = field(default_factory=Closure)
    channels: Mapping[str, Channel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if type(self.protection) is not ProtectionTerms:
            raise FactError("protection", "value", "must be protection terms")
        if type(self.closure) is not Closure:
            raise FactError("closure", "value", "must be a closure")
        if not isinstance(self.channels, Mapping):
            raise FactError("channels", "value", "must be a mapping from names to channels")
        object.__setattr__(self, "channels", MappingProxyType(dict(self.channels)))
        for name, channel in self.channels.items():
            require_text("channels", name)
            if type(channel) is not Channel:
                raise FactError(f"channels.{name}", "value", "must be a channel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What our own side knows of the record: is it complete, is the identity known, where would a repeat go."""

    attempts_complete: bool = False
    identity_known: bool = False
    repeat_scope: str | None = None

    def __post_init__(self) -> None:
        require_flag("attempts_complete", self.attempts_complete)
        require_flag("identity_known", self.identity_known)
        if self.repeat_scope is not None:
            require_text("repeat_scope", self.repeat_scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One recorded decision to send, dated before its first byte."""

    at: Seconds
    id: str
    sends: Sends = Sends.MANY
    scope: str = ""

    def __post_init__(self) -> None:
        require_time("at", self.at)
        require_text("id", self.id)
        if self.id == OFF_RECORD:
            raise FactError("id", "reserved", "must not be '?', which stands for a submission not on record")
        require_word("sends", self.sends, Sends)
        require_text("scope", self.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing learnt through one channel, as one contract version reads it.

    `as_of` dates the statement; without it the statement is dated when it came (`at`). `until` belongs to
    `protection_until`, `covers_copies` to `attempt_refused`, `effect_ref` to `applied`.
    """

    at: Seconds
    channel: str
    says: str
    attempt: str | None = None
    as_of: Seconds | None = None
    authentic: bool = False
    correlation: Correlation = Correlation.WEAK
    effect_ref: str | None = None
    covers_copies: bool = False
    until: Seconds | None = None

    def __post_init__(self) -> None:
        require_time("at", self.at)
        require_text("channel", self.channel)
        require_text("says", self.says)
        if self.attempt is not None:
            require_text("attempt", self.attempt)
        if self.as_of is not None:
            require_time("as_of", self.as_of)
        require_flag("authentic", self.authentic)
        require_word("correlation", self.correlation, Correlation)
        if self.effect_ref is not None:
            require_text("effect_ref", self.effect_ref)
        require_flag("covers_copies", self.covers_copies)
        if self.until is not None:
            require_time("until", self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """Another operation authorised to carry this operation's intent, and how it stood at `at`."""

    at: Seconds
    id: str
    state: SuccessorState

    def __post_init__(self) -> None:
        require_time("at", self.at)
        require_text("id", self.id)
        require_word("state", self.state, SuccessorState)


Event: TypeAlias = Attempt | Observation | Successor


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that is on record of one operation; `events` may come in any order and none is ignored.

    `attempts`, `observations` and `successors` are the events by kind; an observation keeps its index in `events`.
    """

    contract: Contract = field(default_factory=Contract)
    operation: Operation = field(default_factory=Operation)
    events: tuple[Event, ...] = ()
    attempts: tuple[Attempt, ...] = field(init=False, repr=False, compare=False)
    observations: tuple[tuple[int, Observation], ...] = field(init=False, repr=False, compare=False)
    successors: tuple[Successor, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._require_values()
        attempts: list[Attempt] = []
        observations: list[tuple[int, Observation]] = []
        successors: list[Successor] = []
        for index, event in enumerate(self.events):
            if type(event) is Observation:
                observations.append((index, event))
            elif type(event) is Attempt:
                attempts.append(event)
            elif type(event) is Successor:
                successors.append(event)
            else:
                raise FactError(f"events[{index}]", "value", "must be an attempt, an observation or a successor")
        self._require_unique(attempts)
        object.__setattr__(self, "attempts", tuple(attempts))
        object.__setattr__(self, "observations", tuple(observations))
        object.__setattr__(self, "successors", tuple(successors))

    def _require_values(self) -> None:
        for name, value, kind in (
            ("contract", self.contract, Contract),
            ("operation", self.operation, Operation),
            ("events", self.events, tuple),
        ):
            if type(value) is not kind:
                raise FactError(
                    name, "value", f"must be {'a tuple of events' if kind is tuple else 'the value of its name'}"
                )

    def _require_unique(self, attempts: list[Attempt]) -> None:
        ids = [attempt.id for attempt in attempts]
        if len(set(ids)) == len(ids):
            return
        again = next(attempt for index, attempt in enumerate(attempts) if attempt.id in ids[:index])
        place = next(index for index, event in enumerate(self.events) if event is again)
        raise FactError(f"events[{place}].id", "unique", "names an attempt that is on record already")
