"""Sifting keeps every observation and lets only the counting ones speak.

Which observations count, and why the others don't: semantics.md, Claims, and which authority can make them count. One
pass, linear in the observations. Nothing is concluded about the effect here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from operations.core.facts import Authority, Channel, Claim, Correlation, Facts, Observation, Reads, Seconds, Sends
from operations.core.worded import Worded

# The table "channel authority | claims that count" of semantics.md, Claims. What a channel may not say is kept, shown
# and settles nothing. For `derived` the contract must also state `positive_is_conclusive`.
_RECIPIENT_MAY_SAY: Final = frozenset(Claim) - {Claim.NOT_SENT}
AuthorityTable: TypeAlias = Mapping[Authority, frozenset[Claim]]
AUTHORITY: Final[AuthorityTable] = {
    Authority.HISTORY: _RECIPIENT_MAY_SAY,
    Authority.CURRENT: _RECIPIENT_MAY_SAY - {Claim.ABSENT},
    Authority.DERIVED: frozenset({Claim.APPLIED}),
    Authority.TRANSPORT: frozenset(),
    Authority.CLIENT: frozenset({Claim.NOT_SENT}),
    Authority.NONE: frozenset(),
}


class WhyNot(Worded):
    """Why an observation settles nothing; `sentence` is what a reviewer reads."""

    UNKNOWN_CHANNEL = "unknown_channel", "The contract does not list this channel, so it can settle nothing."
    UNKNOWN_CLAIM = "unknown_claim", "This claim is not one that the desk knows; it is kept and settles nothing."
    NO_AUTHORITY = (
        "no_authority",
        "This channel cannot speak for the effect: it is a transport, a document or somebody's words.",
    )
    BEYOND_AUTHORITY = "beyond_authority", "This channel's authority does not extend to this claim."
    GONE_IS_NOT_NEVER = (
        "gone_is_not_never",
        "This channel shows what exists now; that something is gone does not say it never happened.",
    )
    NOT_CONCLUSIVE = (
        "not_conclusive",
        "This channel is an index or a copy, and the contract does not state that a hit in it is conclusive.",
    )
    ONLY_THE_SOCKET = "only_the_socket", "Only the client's own side of the wire can say that nothing was sent."
    NOT_AUTHENTIC = "not_authentic", "It is not established that this answer comes from who it says."
    OTHER_OPERATION = "other_operation", "This answer belongs to something else."
    ONLY_ARGUMENTS = (
        "only_arguments",
        "This answer matches the arguments only; two legitimate requests can look alike.",
    )
    WEAKLY_TIED = "weakly_tied", "Nothing ties this answer to this operation."
    READ_MAY_LAG = "read_may_lag", "This channel's reads may lag, so what they do not show may still be there."
    BEFORE_THE_ATTEMPT = "before_the_attempt", "It is dated before the attempt it speaks of was sent."
    NO_SUCH_ATTEMPT = "no_such_attempt", "It names no attempt that is on record."
    MAY_HAVE_SENT_TWICE = (
        "may_have_sent_twice",
        "That attempt's sender may send more than once by itself, so it cannot know that nothing was sent.",
    )
    NO_END_STATED = "no_end_stated", "It states no time until which the request number is kept."
    NO_MARGIN = "no_margin", "The contract states no margin, so a stated end cannot be used in time."


class Dated(NamedTuple):
    """A counting statement: its date (seconds) and the index of its event."""

    at: Seconds
    event: int


class NotCounted(NamedTuple):
    """An observation that settles nothing: the index of its event and why."""

    event: int
    why: WhyNot


@dataclass(slots=True)
class Said:
    """The counting statements by claim, each list in the order of the events."""

    applied: list[Dated] = field(default_factory=list)
    closed: list[Dated] = field(default_factory=list)
    absent: list[Dated] = field(default_factory=list)
    pending: list[Dated] = field(default_factory=list)
    accepted: list[Dated] = field(default_factory=list)
    strong: list[Dated] = field(default_factory=list)  # the pending and accepted which a strong channel read
    refused: dict[str, Dated] = field(default_factory=dict)  # attempt -> its first refusal with copies covered
    unsent: dict[str, Dated] = field(default_factory=dict)  # attempt -> its first not_sent
    kept: list[tuple[Dated, Seconds]] = field(default_factory=list)  # protection_until, with the stated end
    lost: list[Dated] = field(default_factory=list)  # protection_lost
    named: dict[str, int] = field(default_factory=dict)  # attempt named by the recipient -> first index
    effects: dict[str, int] = field(default_factory=dict)  # effect_ref among the applied -> first index
    not_counted: list[NotCounted] = field(default_factory=list)


_CLAIMS: Final = frozenset(Claim)
_UNTIED: Final = {
    Correlation.ARGUMENTS: WhyNot.ONLY_ARGUMENTS,
    Correlation.WEAK: WhyNot.WEAKLY_TIED,
    Correlation.MISMATCH: WhyNot.OTHER_OPERATION,
}
# Members bound to names once: a look-up through the enum's class costs more than the rest of the pass.
_TIED, _MISMATCH = Correlation.OPERATION, Correlation.MISMATCH
_DERIVED, _CLIENT = Authority.DERIVED, Authority.CLIENT
_STRONG, _ONE = Reads.STRONG, Sends.ONE


def _may_not_say(channel: Channel, says: str) -> WhyNot:
    if says not in _CLAIMS:
        return WhyNot.UNKNOWN_CLAIM
    if channel.authority in (Authority.TRANSPORT, Authority.NONE):
        return WhyNot.NO_AUTHORITY
    if says == Claim.NOT_SENT:
        return WhyNot.ONLY_THE_SOCKET
    if channel.authority is Authority.CURRENT:
        return WhyNot.GONE_IS_NOT_NEVER
    return WhyNot.BEYOND_AUTHORITY


def _unheard(channel: Channel, observation: Observation, authority: AuthorityTable) -> WhyNot | None:
    """Return why this channel's word, as it is proven and tied, can settle nothing; None if it may."""
    if observation.says not in authority[channel.authority]:
        return _may_not_say(channel, observation.says)
    if channel.authority is _DERIVED and not channel.positive_is_conclusive:
        return WhyNot.NOT_CONCLUSIVE
    if not observation.authentic:
        return WhyNot.NOT_AUTHENTIC
    correlation = observation.correlation
    if correlation is _TIED or (channel.authority is _CLIENT and correlation is not _MISMATCH):
        return None
    return _UNTIED[correlation]


class _Sieve:
    """Takes one claim at a time into `said`; each taker returns why the claim doesn't count after all, or None."""

    __slots__ = ("has_margin", "said", "sends", "sent")

    def __init__(self, facts: Facts, now: Seconds) -> None:
        self.said = Said()
        self.sent = {attempt.id: min(attempt.at, now) for attempt in facts.attempts}
        self.sends = {attempt.id: attempt.sends for attempt in facts.attempts}
        self.has_margin = facts.contract.protection.margin is not None

    def applied(self, _channel: Channel, observation: Observation, dated: Dated) -> WhyNot | None:
        self.said.applied.append(dated)
        if observation.effect_ref is not None:
            self.said.effects.setdefault(observation.effect_ref, dated.event)
        return None

    def closed(self, _channel: Channel, _observation: Observation, dated: Dated) -> WhyNot | None:
        self.said.closed.append(dated)
        return None

    def absent(self, channel: Channel, _observation: Observation, dated: Dated) -> WhyNot | None:
        if channel.reads is not _STRONG:
            return WhyNot.READ_MAY_LAG
        self.said.absent.append(dated)
        return None

    def pending(self, channel: Channel, _observation: Observation, dated: Dated) -> WhyNot | None:
        self.said.pending.append(dated)
        if channel.reads is _STRONG:
            self.said.strong.append(dated)
        return None

    def accepted(self, channel: Channel, _observation: Observation, dated: Dated) -> WhyNot | None:
        self.said.accepted.append(dated)
        if channel.reads is _STRONG:
            self.said.strong.append(dated)
        return None

    def attempt_refused(self, _channel: Channel, observation: Observation, dated: Dated) -> WhyNot | None:
        attempt = observation.attempt
        if attempt is None or attempt not in self.sent:
            return None  # it names nothing on record to take out; naming an unknown attempt is noted by `sift`
        if dated.at < self.sent[attempt]:
            return WhyNot.BEFORE_THE_ATTEMPT
        if observation.covers_copies:
            _keep_first(self.said.refused, attempt, dated)
        return None

    def indeterminate(self, _channel: Channel, _observation: Observation, _dated: Dated) -> WhyNot | None:
        return None

    def not_sent(self, _channel: Channel, observation: Observation, dated: Dated) -> WhyNot | None:
        attempt = observation.attempt
        if attempt is None or attempt not in self.sent:
            return WhyNot.NO_SUCH_ATTEMPT
        if self.sends[attempt] is not _ONE:
            return WhyNot.MAY_HAVE_SENT_TWICE
        if dated.at < self.sent[attempt]:
            return WhyNot.BEFORE_THE_ATTEMPT
        _keep_first(self.said.unsent, attempt, dated)
        return None

    def protection_until(self, _channel: Channel, observation: Observation, dated: Dated) -> WhyNot | None:
        if observation.until is None:
            return WhyNot.NO_END_STATED
        if not self.has_margin:
            return WhyNot.NO_MARGIN
        self.said.kept.append((dated, observation.until))
        return None

    def protection_lost(self, _channel: Channel, _observation: Observation, dated: Dated) -> WhyNot | None:
        self.said.lost.append(dated)
        return None


_Taker: TypeAlias = Callable[[_Sieve, Channel, Observation, Dated], WhyNot | None]
_TAKERS: Final[Mapping[str, _Taker]] = {claim: getattr(_Sieve, claim) for claim in Claim}


def _keep_first(firsts: dict[str, Dated], attempt: str, dated: Dated) -> None:
    known = firsts.get(attempt)
    if known is None or dated.at < known.at:
        firsts[attempt] = dated


def date_of(observation: Observation, *, now: Seconds) -> Seconds:
    """Return the date of the statement: `as_of`, never later than `at`, which is never later than `now`."""
    at = observation.at if observation.at < now else now  # noqa: FURB136  # min() takes three times as long
    as_of = observation.as_of
    return as_of if as_of is not None and as_of < at else at


def sift(facts: Facts, *, now: Seconds, authority: AuthorityTable = AUTHORITY) -> Said:
    """Return the counting statements by claim, and the observations that don't count, each with its first reason."""
    sieve = _Sieve(facts, now)
    said = sieve.said
    channels = facts.contract.channels
    for index, observation in facts.observations:
        channel = channels.get(observation.channel)
        if channel is None:
            said.not_counted.append(NotCounted(index, WhyNot.UNKNOWN_CHANNEL))
            continue
        why = _unheard(channel, observation, authority) or _TAKERS[observation.says](
            sieve, channel, observation, Dated(date_of(observation, now=now), index)
        )
        if why is not None:
            said.not_counted.append(NotCounted(index, why))
        elif observation.attempt is not None and channel.authority is not _CLIENT:
            said.named.setdefault(observation.attempt, index)
    return said
