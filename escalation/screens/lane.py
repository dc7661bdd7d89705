"""The swim-lane picture: agent, wire, recipient; what was sent and learnt in order, with the window, now and due.

Moments stand side by side in their order, one slot each, on one scale for all three lanes; where more than an hour lies
between two of them the line is broken and says how much was left out. Coordinates are SVG units.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from escalation.screens.seen import says
from escalation.screens.sight import Sight
from escalation.screens.times import clock, day, span
from operations import reading
from operations.core.facts import Authority
from operations.core.protection import Protection

if TYPE_CHECKING:
    from operations import models

Kind: TypeAlias = Literal["attempt", "unsent", "reply", "asked", "told", "wire", "now", "due", "end", "more"]

LEFT, SLOT, BREAK, EDGE = 100, 112, 46, 22
HEIGHT: Final = 208
FIRST, LAST = 2, 9  # events at either end that are drawn; those between are counted
BREAKS_AFTER: Final = timedelta(hours=1)
ENDS: Final = max(FIRST + 1, LAST)  # the first that is not drawn gives its time to those
_ENDS: Final = {"now": "now", "due": "due", "end": "safe until"}


@dataclass(frozen=True, slots=True)
class Mark:
    """One moment at `x`: its kind, clock time and label; `day` only where it is another than the one before."""

    kind: Kind
    x: int
    time: str
    label: str
    day: str


@dataclass(frozen=True, slots=True)
class Break:
    """Where the line leaves time out."""

    x: int
    says: str


@dataclass(frozen=True, slots=True)
class Band:
    """The window in which a repeat is protected."""

    x: int
    width: int
    says: str


@dataclass(frozen=True, slots=True)
class Lane:
    """The whole picture, with the sentence that says the same to those who don't see it."""

    width: int
    height: int
    marks: tuple[Mark, ...]
    breaks: tuple[Break, ...]
    band: Band | None
    said: str


@dataclass(frozen=True, slots=True)
class _Moment:
    at: datetime
    kind: Kind
    label: str


def _attempt(sight: Sight, row: "models.Attempt") -> _Moment:
    unsent = row.attempt in sight.standing.weighed.went.unsent
    return _Moment(row.begun_at, "unsent" if unsent else "attempt", f"attempt {row.number}")


def _learnt(sight: Sight, row: "models.Reading") -> _Moment:
    observation = row.observation
    channel = sight.document.channels.get(observation.channel)
    authority = Authority.NONE if channel is None else channel.authority
    kind: Kind = "told"
    if authority is Authority.CLIENT:
        kind = "wire"
    elif observation.asked_at is not None:
        kind = "asked"
    elif observation.attempt is not None:
        kind = "reply"
    label = observation.fact.replace("_", " ") or says(row).partition(":")[0]
    return _Moment(observation.received_at, kind, label)


def _events(sight: Sight) -> list[_Moment]:
    learnt = {row.pk: row for _, row in sight.readings if not row.observation.words}
    found = [_attempt(sight, row) for row in sight.attempts] + [_learnt(sight, row) for row in learnt.values()]
    return sorted(found, key=lambda moment: moment.at)


def _few(events: list[_Moment], *, besides: int) -> list[_Moment]:
    """Return those at either end, and how many are left out between them: these, and those `besides` that were not read."""
    left_out = events[FIRST:-LAST]
    if len(left_out) + besides < 2:
        return events
    return [*events[:FIRST], _Moment(left_out[0].at, "more", f"{len(left_out) + besides} more"), *events[-LAST:]]


def _moments(sight: Sight) -> list[_Moment]:
    found = [*_few(_events(sight), besides=sight.read.left_out), _Moment(sight.now, "now", "")]
    if sight.operation.deadline is not None:
        found.append(_Moment(sight.operation.deadline, "due", ""))
    until = reading.moment(sight.standing.protection_until)
    if until is not None:
        found.append(_Moment(until, "end", ""))
    return sorted(found, key=lambda moment: moment.at)


def _placed(moments: Iterable[_Moment], now: datetime) -> tuple[list[Mark], list[Break], int]:
    marks: list[Mark] = []
    breaks: list[Break] = []
    x, before = LEFT + EDGE, None
    for moment in moments:
        new_day = before is None or day(before, now=now) != day(moment.at, now=now)
        if before is not None:
            x += SLOT
            if moment.at - before >= BREAKS_AFTER:
                breaks.append(Break(x - SLOT // 2 + BREAK // 2, span(moment.at - before)))
                x += BREAK
        label = _ENDS.get(moment.kind, moment.label)
        marks.append(Mark(moment.kind, x, f"{moment.at:%H:%M}", label, day(moment.at, now=now) if new_day else ""))
        before = moment.at
    return marks, breaks, x + SLOT * 2 // 3


def _band(sight: Sight, marks: list[Mark], width: int) -> Band | None:
    sent = next((mark for mark in marks if mark.kind in ("attempt", "unsent")), None)
    if sight.standing.protection is not Protection.ACTIVE or sent is None:
        return None
    until = reading.moment(sight.standing.protection_until)
    end = next((mark.x for mark in marks if mark.kind == "end"), width - EDGE)
    says_until = "safe to send again" if until is None else f"safe to send again until {clock(until, now=sight.now)}"
    return Band(sent.x, end - sent.x, says_until)


def _said(moments: Iterable[_Moment], now: datetime) -> str:
    parts = [f"{clock(one.at, now=now)} {_ENDS.get(one.kind, one.label)}" for one in moments]
    return "; ".join(parts) + "."


def lane(sight: Sight) -> Lane:
    """Return the picture of one operation at this moment."""
    moments = _moments(sight)
    marks, breaks, width = _placed(moments, sight.now)
    band = _band(sight, marks, width)
    return Lane(width, HEIGHT, tuple(marks), tuple(breaks), band, _said(moments, sight.now))
