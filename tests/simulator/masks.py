"""The questions a mask answers: does a class of worlds admit this answer, is its store like this, does it end so."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.simulator.seen import Seen

_OUTLASTS = 0  # the place of the interval that outlasts everything among INTERVALS


def _applied(seen: Seen, position: int) -> bool:
    return seen.applied <= position


def _absent(seen: Seen, position: int) -> bool:
    return seen.applied > position


def _closed(seen: Seen, position: int) -> bool:
    return bool(seen.closed >> position & 1)


def _active(seen: Seen, position: int) -> bool:
    return bool(seen.active >> position & 1)


def _received(seen: Seen, position: int) -> bool:
    return seen.received <= position


def _refused(seen: Seen, position: int, number: int) -> bool:
    return seen.refused[number] <= position


def _left(seen: Seen, position: int, number: int) -> bool:
    return seen.left[number]


def _unsent(seen: Seen, position: int, number: int) -> bool:
    return not seen.left[number]


def _stranger(seen: Seen, position: int) -> bool:
    return seen.left[-1]


def _fate(seen: Seen, number: int, fate: str, gap: int) -> bool:
    return seen.fates[number] == (fate, gap)


def _store(seen: Seen, name: str, dropped_from: int, dropped_to: int) -> bool:
    return seen.store == name and dropped_from <= seen.dropped <= dropped_to


TESTS: Final[Mapping[str, Callable[..., Any]]] = {
    "applied": _applied,
    "absent": _absent,
    "closed": _closed,
    "active": _active,
    "received": _received,
    "refused": _refused,
    "left": _left,
    "unsent": _unsent,
    "stranger": _stranger,
    "fate": _fate,
    "store": _store,
    "honours": lambda seen, place: seen.honours[place],
    "straggles": lambda seen, place: seen.straggles[place],
    "punctual": lambda seen: seen.punctual,
    "live received": lambda seen: seen.live_received,
    "acts": lambda seen: seen.alone >= 1,
    "acts twice": lambda seen: seen.alone >= 2,
    "ended": lambda seen: seen.closed > 0,
    "a repeat acts": lambda seen: seen.repeat_acts,
    "a repeat acts too": lambda seen: seen.excess,
    "something straggles": lambda seen: seen.straggles[_OUTLASTS],
}
