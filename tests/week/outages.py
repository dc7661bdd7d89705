"""When worker, broker and mail are away in the week, when two sweep at once, and when a worker is killed: drawn values."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from tests.week.world import T0, TICK

KILLED_AT: Final = (1, 2, 3)  # tests.week.worker says where each is


class Span(NamedTuple):
    """From `since` until before `until`."""

    since: datetime
    until: datetime

    def __contains__(self, at: object) -> bool:
        return isinstance(at, datetime) and self.since <= at < self.until


Spans = tuple[Span, ...]


def within(spans: Spans, at: datetime) -> bool:
    """Say whether a time lies in one of them."""
    return any(at in one for one in spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outages:
    """What is away when. `two`: two sweep at once. `kills`, `losses` (of a reply to mail) and
    `unanswered` (webhooks) are by the tick from which on the next one meets it."""

    ends: datetime
    worker: Spans
    broker: Spans
    mail: Spans
    declines: Spans
    hook: Spans
    two: Spans
    kills: dict[datetime, int]
    losses: frozenset[datetime]
    unanswered: frozenset[datetime]

    def ticks(self) -> Iterator[datetime]:
        """Yield every minute of the week."""
        at = T0
        while at < self.ends:
            yield at
            at += TICK

    def sweeps(self, at: datetime) -> bool:
        """Say whether the desk's tasks run at this tick."""
        return not within(self.worker, at) and not within(self.broker, at)

    def takes_mail(self, at: datetime) -> bool:
        """Say whether mail is taken at this tick."""
        return not within(self.mail, at) and not within(self.declines, at)


def drawn(seed: int, *, days: float) -> Outages:
    """Return the outages of a week; the same seed gives the same."""
    rng, ends = random.Random(-seed), T0 + timedelta(days=days)  # noqa: S311  # drawn, not secret
    longest = 5.0 if days > 3 else 1.5

    def spans(a_day: float, most: float, least: float = 0.4) -> Spans:
        found = []
        for _ in range(max(1, round(a_day * days))):
            since = T0 + (ends - T0) * rng.uniform(0.05, 0.9)
            since = since.replace(second=0, microsecond=0)
            found.append(Span(since, since + TICK * round(60 * rng.uniform(min(least, most / 2), most))))
        return tuple(sorted(found))

    def some(a_day: float) -> list[datetime]:
        chosen = [rng.randrange(round((ends - T0) / TICK)) for _ in range(max(1, round(a_day * days)))]
        return sorted({T0 + TICK * one for one in chosen})

    return Outages(
        ends=ends,
        worker=spans(0.6, longest),
        broker=spans(0.5, 1.0),
        mail=spans(0.6, longest),
        declines=spans(0.4, 2.0),
        hook=spans(0.3, 2.0),
        two=spans(1.5, 2.0),
        kills={at: KILLED_AT[place % 3] for place, at in enumerate(some(8))},
        losses=frozenset(some(3)),
        unanswered=frozenset(some(1.5)),
    )


__all__ = ["Outages", "Span", "Spans", "drawn", "within"]
