"""Every door against every other and against what is learnt meanwhile, at a forced spot, both ways round.

Whoever comes first stands; whoever looked before and comes second is told so in one clear 409 that keeps what was typed.
Evidence is stored whoever is first, and is never passed by. Each pair meets in each order; with UNRESOLVED_RACES=all in
the environment, in each order at each spot, which takes three times as long.
"""

import os
import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from pathlib import Path
from typing import TypeAlias

import pytest
from django.test import Client

import escalation.celery  # what is to be sent is announced to the broker
import escalation.decisions
from operations import models
from operations.auditing.checkpoint import opened
from operations.auditing.exporting import export
from operations.auditing.faults import Fault
from operations.auditing.verifying import verify
from operations.core.actions import Action
from operations.core.closing import Closing, permitted_of
from operations.reading import closings
from operations.reading import operation as read
from tests.escalation.building import HOUR, Made, contract_of
from tests.escalation.closings import may_close
from tests.escalation.races.doors import ACCEPTED, RISK, TYPED, Door, doors
from tests.escalation.races.gates import Ended, Spot, race
from tests.escalation.races.incoming import INCOMING, Incoming
from tests.escalation.races.proven import (
    deadlocks,
    decisions_of,
    every_link_stands_on_those_before_it,
    nothing_is_half_written,
    nothing_is_wrong_with_the_record,
)
from tests.escalation.races.stage import STATES, Stage, brought_to, now
from tests.operations.told import may_tell
from tests.recipients.reached import CREDENTIALS

pytestmark = pytest.mark.django_db(transaction=True)
ALL = os.environ.get("UNRESOLVED_RACES") == "all"
DOORS = doors()
Asked: TypeAlias = Action | Closing | None
SAID = ("Nothing was written", "It was decided already", "Nothing was asked")
assert escalation.celery.app.conf.broker_url


@pytest.fixture
def stage(collection_desk, broker, monkeypatch) -> Stage:
    contract_of()
    may_close(collection_desk, monkeypatch)
    for name in CREDENTIALS.values():
        monkeypatch.setenv(f"{name}_SCOPE", "desk-east")
    may_tell(monkeypatch)
    return Stage()


_OPEN: dict[str, set[Asked]] = {}


def _opened(made: Made) -> set[Asked]:
    """The actions that the core permits now; a door that asks the core nothing is always open."""
    found, at = read(made.id), now()
    verdict = permitted_of(found.standing(now=at), linked=closings.linked(found.operation, now=at))
    return {None, *[action for action, refusal in verdict.items() if refusal is None]}


def open_in() -> dict[str, set[Asked]]:
    if not _OPEN:
        _OPEN.update({name: _opened(brought_to(name)) for name in STATES})
    return _OPEN


def state_for(first: Door, second: Door) -> str | None:
    """A state of an operation that leaves both open, None where none does."""
    risks = {first.needs, second.needs} & {RISK, ACCEPTED}
    proposes = "business_exception" in (first.name, second.name)
    if len(risks) == 2 or (proposes and ACCEPTED in risks):
        return None
    either = [name for name, found in open_in().items() if {first.action, second.action} <= found]
    return either[0] if either else None


def state_of(door: Door) -> str:
    found = state_for(door, door)
    assert found is not None, f"no state of an operation opens {door}: add one to STATES"
    return found


def _text(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html)))


def clearly_refused(ended: Ended, door: Door, *, where: str) -> None:
    """One 409 with a sentence, and what was typed is still there."""
    assert ended.status == 409, (where, ended.status, _text(ended.said)[-2000:])
    assert any(sentence in ended.said for sentence in SAID), (where, _text(ended.said)[-2000:])
    assert TYPED in ended.said or not door.types, f"{where}: what was typed is lost"


def test_every_door_that_decides_is_raced(stage):
    """A door that is added and can't be filled in by itself fails here, so that nobody forgets to race it."""
    for door in DOORS:
        _went_through(stage, door)
    names = set()
    for path in Path(escalation.decisions.__file__).parent.glob("*.py"):
        text = path.read_text()
        for constant in re.findall(r"Door\(\s*name=(\w+)", text):
            names |= set(re.findall(rf'^{constant}(?:: Final)? = "(\w+)"', text, re.MULTILINE))
    assert names == set(models.Decision.objects.values_list("door", flat=True))


def _went_through(stage: Stage, door: Door) -> None:
    made = brought_to(state_of(door), partial(door.prepare, stage))
    ended = door.looked(stage, stage.screens()[1], made)()
    assert ended.won, (door.name, ended.status, _text(ended.said)[-3000:])


def test_what_people_do_after_a_checkpoint_is_no_tampering(stage, tmp_path):
    """Every column that a door changes later is one that a checkpoint lets change."""
    checkpoints = []
    for door in DOORS:
        _went_through(stage, door)
        row = export(tmp_path, now=now() - HOUR)  # these operations claim to be ten minutes older than they are
        checkpoints.append(opened(tmp_path / row.name))
    faults: list[Fault] = []
    assert verify(checkpoints, tell=faults.append).beside == []
    assert faults == []


def _meetings(first: Door) -> Iterator[tuple[tuple[Door, Door], Spot]]:
    """Yield the pairs that `first` begins, each with where it is stopped: holding the lock it wins, overtaken it loses."""
    for place, second in enumerate(DOORS):
        if ALL or place >= DOORS.index(first):
            yield from [((first, second), spot) for spot in Spot]


@pytest.mark.parametrize("first", DOORS, ids=str)
def test_of_two_people_at_two_doors_the_first_stands_and_the_other_is_told(stage, first):
    screens, before = stage.screens(), deadlocks()
    for pair, spot in _meetings(first):
        _two_doors(stage, pair, screens, spot)
    nothing_is_wrong_with_the_record()
    assert deadlocks() == before


def _two_doors(stage: Stage, pair: tuple[Door, Door], screens: tuple[Client, Client], spot: Spot) -> None:
    both = state_for(*pair)
    made = brought_to(both or state_of(pair[0]), *[partial(door.prepare, stage) for door in pair])
    acts = [door.looked(stage, screen, made) for door, screen in zip(pair, screens, strict=True)]
    decided = len(decisions_of(made))
    raced = race(*acts, spot=spot)
    where = f"{pair[0]} {spot.value}: {pair[1]}"
    ended = [(pair[0], raced.first), (pair[1], raced.second)]
    if raced.overtaken:
        ended.reverse()
    earlier, later = [one for _, one in ended]
    assert raced.met or not earlier.won or both is None, f"{where}: they never met"
    assert earlier.won or both is None, (where, _text(earlier.said)[-2000:])
    assert earlier.won or later.won, where
    if earlier.won:
        assert later.won is not _excluded(*[door for door, _ in ended]), (where, _text(later.said)[-2000:])
    for door, one in ended:
        if not one.won:
            clearly_refused(one, door, where=where)
    assert len(decisions_of(made)) == decided + sum(one.won for door, one in ended if door.compares), where
    every_link_stands_on_those_before_it(made)
    nothing_is_half_written(made)


def _excluded(earlier: Door, late: Door) -> bool:
    """Whether what the earlier one wrote takes the ground from under the late one."""
    if late.compares:
        return earlier.moves
    return bool(late.needs) and late.needs == earlier.needs


# The door holds the lock; the door is overtaken; what comes in holds the lock.
MEETINGS = ((True, Spot.HELD), (True, Spot.OVERTAKEN), (False, Spot.HELD))


def _meetings_of(incoming: Incoming, place: int) -> set[int]:
    """Each door meets what comes in first and second; what is reported in four ways, over the four."""
    reports = [one for one in INCOMING if one.name.startswith("a report")]
    return {(place + reports.index(incoming)) % 3} if incoming in reports else {0, 1 + place % 2}


@pytest.mark.parametrize("incoming", INCOMING, ids=str)
def test_what_comes_in_is_stored_and_judged_whoever_is_first(stage, incoming: Incoming):
    (screen, _), before = stage.screens(), deadlocks()
    for place, door in enumerate(DOORS):
        for number, (door_first, spot) in enumerate(MEETINGS):
            if ALL or number in _meetings_of(incoming, place):
                _meets(stage, (door, incoming), screen, spot=spot, door_first=door_first)
    nothing_is_wrong_with_the_record()
    assert deadlocks() == before


def _state_of_both(door: Door, incoming: Incoming) -> str:
    wanted = {door.action, Action.REPEAT if incoming.granted else None}
    either = [incoming.state, *[name for name, found in open_in().items() if wanted <= found]]
    return next((name for name in either if wanted <= open_in()[name]), state_of(door))


def _meets(stage: Stage, pair: tuple[Door, Incoming], screen: Client, *, spot: Spot, door_first: bool) -> None:
    door, incoming = pair
    state = _state_of_both(door, incoming)
    made = brought_to(state, *([stage.grant] if incoming.granted else []), partial(door.prepare, stage))
    acts = [door.looked(stage, screen, made), incoming.ready(made)]
    decided = len(decisions_of(made))
    raced = race(*(acts if door_first else reversed(acts)), spot=spot)
    theirs, came = (raced.first, raced.second) if door_first else (raced.second, raced.first)
    where = f"{door}, {incoming}: {'the door' if door_first else 'what comes in'} {spot.value}"
    assert came.won or not incoming.stored, where
    assert theirs.won or came.won, where
    if door_first and spot is Spot.HELD and raced.met:
        assert theirs.won, (where, _text(theirs.said)[-2000:])
    elif door.compares and came.won and raced.met and (state == incoming.state or not incoming.only):
        assert not theirs.won, where
    if not theirs.won:
        clearly_refused(theirs, door, where=where)
    assert len(decisions_of(made)) == decided + (theirs.won and door.compares), where
    every_link_stands_on_those_before_it(made)
    nothing_is_half_written(made)
