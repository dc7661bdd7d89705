"""Which events of an operation decide, picked one by one as operations/core/restating.py says; the product picks them in SQL."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace

from operations.core.facts import Event, Facts, Observation
from operations.core.restating import RESTATED, TURNING


def dated(event: Observation) -> float:
    """The date of a statement, whatever the moment it is judged at."""
    return event.at if event.as_of is None else min(event.as_of, event.at)


def _turns(facts: Facts) -> set[float]:
    said = {dated(event) for _, event in facts.observations if event.says in TURNING}
    return said | {attempt.at for attempt in facts.attempts}


def _part(event: Observation, turns: set[float]) -> Hashable:
    """What is the same for all that can be left out for one another."""
    date = dated(event)
    before, at = sum(turn <= date for turn in turns), date in turns
    return replace(event, at=0, as_of=None), before, at


def deciding(facts: Facts) -> list[int]:
    """The indices of the events that may not be left out."""
    turns, parts = _turns(facts), defaultdict(list)
    for index, event in facts.observations:
        if event.says in RESTATED:
            parts[_part(event, turns)].append((dated(event), index))
    spared = {index for part in parts.values() for _, index in part}
    for part in parts.values():
        on_record = [index for _, index in part]
        spared -= {min(part)[1], max(part)[1], min(on_record), max(on_record)}
    return [index for index, _ in enumerate(facts.events) if index not in spared]


def without(facts: Facts, left_out: set[int]) -> tuple[Facts, list[int]]:
    """The facts without some events, and the index that each event of theirs had before."""
    kept = [index for index, _ in enumerate(facts.events) if index not in left_out]
    events: tuple[Event, ...] = tuple([facts.events[index] for index in kept])
    return replace(facts, events=events), kept
