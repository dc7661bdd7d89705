"""What asking about one operation has to go by: how far apart, how often, how long, and through which channels.

Values only, nonsense refused; `schedule.plan` makes a plan of them. Pacing is the contract's and the recipient's word
(semantics.md, Permitted actions: pacing), patience and lead times are the desk's.
"""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final

from operations.core.facts import LATEST, FactError, Seconds

_ONE: Final = 2.0**64


class Question(StrEnum):
    """What is still open about an operation, as far as asking goes; the caller reads it off the standing.

    `none`: settled. `further_effect`: settled as applied, and a further effect is possible. `pending`: the recipient
    says that it is under way. `unknown`: anything else that is not settled, "not there when read" included.
    `conflict`: two statements contradict each other.
    """

    NONE = "none"
    FURTHER_EFFECT = "further_effect"
    PENDING = "pending"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"


def _require_time(name: str, value: Seconds | None) -> None:
    if value is not None and not -LATEST <= value <= LATEST:  # NaN fails this too
        raise FactError(name, "finite", "must be a finite number of seconds within 2**53 of zero")


def _require_interval(name: str, value: Seconds | None) -> None:
    _require_time(name, value)
    if value is not None and value < 0:
        raise FactError(name, "not_negative", "must not be negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class Askable:
    """A channel that can be asked, and when it may be: `not_before` is the recipient's Retry-After as a time.

    `fresh_until`: until then a cache on the way may give the last answer again, so that asking can teach nothing new.
    It is no wish: an ask that is wanted before an end (protection, deadline) is made all the same.
    """

    channel: str
    min_interval: Seconds = 0
    last_asked_at: Seconds | None = None
    not_before: Seconds | None = None
    fresh_until: Seconds | None = None

    def __post_init__(self) -> None:
        _require_interval("min_interval", self.min_interval)
        _require_time("last_asked_at", self.last_asked_at)
        _require_time("not_before", self.not_before)
        _require_time("fresh_until", self.fresh_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How the wait grows: `first`, then `factor` times the wait before, at most `cap`; all in seconds.

    Each wait is shortened by up to `jitter` (a fraction, below 1) of itself, by a hash of `seed` and the number of the
    ask: the same seed gives the same waits on every machine, other seeds spread the asks. Longer than `cap` it never is.
    """

    first: Seconds
    factor: float
    cap: Seconds
    jitter: float
    seed: str

    def __post_init__(self) -> None:
        if not 0 < self.first <= LATEST:
            raise FactError("first", "positive", "must be a finite number of seconds above 0")
        if not 1 <= self.factor <= LATEST:
            raise FactError("factor", "at_least_one", "must be a finite number, at least 1")
        if not self.first <= self.cap <= LATEST:
            raise FactError("cap", "at_least_first", "must be a finite number of seconds, at least first")
        if not 0 <= self.jitter < 1:
            raise FactError("jitter", "fraction", "must be at least 0 and below 1")

    def wait_before(self, ask: int) -> Seconds:
        """Return the wait before this ask; the first is ask 0."""
        try:
            grown = self.first * float(self.factor) ** ask
        except OverflowError:
            grown = self.cap
        return self.shortened(min(grown, self.cap), ask=ask)

    def shortened(self, wait: Seconds, *, ask: int) -> Seconds:
        """Return the wait less its jitter for this ask."""
        drawn = int.from_bytes(sha256(f"{ask}:{self.seed}".encode()).digest()[:8], "big") / _ONE
        return wait * (1 - self.jitter * drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What asking about one operation has to go by; times in seconds on the desk's clock.

    `since`: from when the question is open (the last attempt's sending will do). `expected_by`: when the recipient
    expects to be done, or, where it says nothing, as long as this desk is patient: so that a silent recipient or an
    endless Retry-After still ends with a person. `channels`: those that can be asked, the likeliest to teach first.
    `ask_ahead`: how long before the protection's end or the deadline the desk asks once more; `call_ahead`: how long
    before them a person is called, not longer than `ask_ahead`, so that the answer comes first. `watch_every` and
    `watch_until`: the slow watch for a further effect; without the first there is none, without the second no end.
    `listens`: the recipient tells by itself what became of it, so that where nothing can be asked there is something to
    wait for.
    """

    question: Question
    since: Seconds
    expected_by: Seconds
    channels: tuple[Askable, ...]
    backoff: Backoff
    asks_made: int
    asks_allowed: int
    ask_ahead: Seconds
    call_ahead: Seconds
    protection_until: Seconds | None = None
    deadline: Seconds | None = None
    watch_every: Seconds | None = None
    watch_until: Seconds | None = None
    listens: bool = False

    def __post_init__(self) -> None:
        for name in ("since", "expected_by", "protection_until", "deadline", "watch_until"):
            _require_time(name, getattr(self, name))
        for name in ("asks_made", "asks_allowed", "ask_ahead", "call_ahead", "watch_every"):
            _require_interval(name, getattr(self, name))
        if self.call_ahead > self.ask_ahead:
            raise FactError("call_ahead", "at_most_ask_ahead", "must not be longer than ask_ahead")
        if self.watch_every == 0:
            raise FactError("watch_every", "positive", "must be above 0")
        if len({askable.channel for askable in self.channels}) < len(self.channels):
            raise FactError("channels", "unique", "must name each channel once")

    @property
    def anchor(self) -> Seconds:
        """The time from which the next wait counts: the last ask through any channel, else `since`."""
        return max((one.last_asked_at for one in self.channels if one.last_asked_at is not None), default=self.since)
