"""The time of the exhaustive check: events in a row, hidden happenings in the gaps between them, two gaps to come.

Event q of m is at moment 2q+1; gap g (0..m) lies before event g, at moment 2g; now is 2m+1. What the action under test
sends arrives at 2m+3: gap m+1 lies before, gap m+2 after it. Moments only order things. Where a guarantee is a number
of seconds, event q is at 10(q+1) seconds and now at 10(m+1); a happening in gap g is at some second inside it.
"""

from typing import Final, NamedTuple

from tests.simulator.recipient import NEVER

STEP: Final = 10.0  # seconds between two events
MARGIN: Final = 3.0  # seconds a send of ours takes at most: the margin of every contract here
OBSERVED, SENT = "o", "a"


class Timeline(NamedTuple):
    """One interleaving: a letter an event, `a` for an attempt and `o` for an observation."""

    pattern: str

    @property
    def attempts(self) -> tuple[int, ...]:
        """The positions of the attempts."""
        return tuple([position for position, kind in enumerate(self.pattern) if kind == SENT])

    @property
    def observed(self) -> tuple[int, ...]:
        """The positions of the observations."""
        return tuple([position for position, kind in enumerate(self.pattern) if kind == OBSERVED])

    @property
    def last_gap(self) -> int:
        """The gap between the last event and now."""
        return len(self.pattern)

    @property
    def now(self) -> float:
        """The moment of now."""
        return 2 * len(self.pattern) + 1

    @property
    def arrival(self) -> float:
        """The moment at which what the action sends arrives."""
        return 2 * len(self.pattern) + 3

    @property
    def seconds_now(self) -> float:
        """Now, in seconds."""
        return STEP * (len(self.pattern) + 1)


def event(position: int) -> float:
    """Return the moment of an event."""
    return 2 * position + 1


def gap(number: int) -> float:
    """Return the moment of a hidden happening in this gap."""
    return 2 * number


def closing(number: int) -> float:
    """Return the moment of a closure in this gap: before anything else that happens there."""
    return 2 * number - 0.25


def dropping(number: int) -> float:
    """Return the moment at which a store that drops the identity in this gap does so: first of all."""
    return 2 * number - 0.5


def seconds(position: int) -> float:
    """Return the date of an event, in seconds."""
    return STEP * (position + 1)


def gap_of(moment: float) -> float:
    """Return the number of the gap a moment lies in, or NEVER."""
    return moment if moment == NEVER else moment // 2


def gap_at(second: float, *, timeline: Timeline) -> int:
    """Return the gap in which something dated `second` happened.

    What is dated as an attempt happened at its sending or later; what is dated as an observation, before it.
    """
    whole = int(second // STEP)
    if second == STEP * whole and not (1 <= whole <= timeline.last_gap and timeline.pattern[whole - 1] == SENT):
        whole -= 1
    return min(max(whole, 0), timeline.last_gap)
