"""Asks that the desk made by itself, and what they brought; nothing is known of the time before it counted them."""

from dataclasses import dataclass
from datetime import datetime

from escalation.overview.ranges import Asked, Span
from operations.reading import tallies
from operations.reading.tallies import HOUR, Asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """The asks by recipient, most first, of the whole hours of `span`.

    `since`: asks are counted from that hour on; where that is later than `span` begins, what was before is not known.
    None: no ask was ever counted.
    """

    rows: tuple[Asks, ...]
    span: Span
    since: datetime | None

    @property
    def is_known(self) -> bool:
        """Whether asks were counted in all of the time."""
        return self.since is not None and self.since <= self.span.since


def polled(asked: Asked) -> Polled:
    """Return the asks of the whole hours that the time touches."""
    span = asked.span
    begin, end = tallies.hour_of(span.since), tallies.hour_of(span.until)
    return Polled(
        rows=tallies.asks(span.since, span.until, among=asked.reads.ids),
        span=Span(since=begin, until=end + HOUR if end < span.until else end),
        since=tallies.counted_since(),
    )
