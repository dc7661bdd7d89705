"""What was left unresolved, in words: by whom, until when, and what moved since. Never a success, and never "closed"."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from escalation.screens.sight import Sight
from escalation.screens.times import clock
from operations import decided, reading
from operations.core.missing import missing


@dataclass(frozen=True, slots=True)
class LeftShown:
    """The newest decision to stop here. `heading` says how it stands now, `since` what moved under it."""

    left: decided.Left
    heading: str
    since: tuple[str, ...]

    @property
    def stands(self) -> bool:
        """Whether the operation is left be at this moment."""
        return self.left.stands


@dataclass(frozen=True, slots=True)
class Gap:
    """One missing fact that can be named, with the channels that could supply it as the contract describes them."""

    value: str
    sentence: str
    channels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """Something that ends at a time; whoever looks again later comes too late for it."""

    what: str
    at: datetime


def _heading(left: decided.Left, *, now: datetime) -> str:
    by, until = left.decision.decided_by, clock(left.look_again_at, now=now)
    if left.since:
        return f"Changed since {by} left it unresolved, {clock(left.decision.decided_at, now=now)}"
    if not left.stands:
        return f"Time to look again: left unresolved by {by} until {until}"
    return f"Left unresolved by {by} until {until}"


def left_unresolved(sight: Sight) -> LeftShown | None:
    """Return how the newest decision to leave the outcome unresolved stands, None where nobody took one."""
    left = decided.left(sight.read, now=sight.now)
    if left is None:
        return None
    return LeftShown(left, _heading(left, now=sight.now), tuple([moved.sentence for moved in left.since]))


def leavings(sight: Sight) -> list[decided.Left]:
    """Return every decision to leave the outcome unresolved, the newest first."""
    return decided.leavings(sight.read, now=sight.now)[::-1]


def gaps(sight: Sight) -> tuple[Gap, ...]:
    """Return the facts that are missing now, the most telling first."""
    channels = sight.document.channels
    found = missing(sight.standing)
    return tuple(
        [
            Gap(
                gap.fact.value,
                gap.fact.sentence,
                tuple([channels[name].about for name in gap.channels if name in channels]),
            )
            for gap in found
        ]
    )


def ends(sight: Sight) -> Iterator[Ends]:
    """Yield what ends at a time that is to come, so that the time to look again can be set before it."""
    operation = sight.operation
    if operation.deadline is not None and operation.deadline > sight.now:
        yield Ends("An answer is due", operation.deadline)
    until = reading.moment(sight.standing.protection_until)
    if until is not None and until > sight.now:
        yield Ends("A repeat is protected until", until)
