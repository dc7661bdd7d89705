"""All worlds behind one interleaving as bit masks: which worlds admit an answer, which end how.

Each world is run through the simulator, alone and with the repeat in it. Worlds that can't be told apart by any answer
and end alike share one bit; a bit keeps one of its worlds, so that it can be replayed. A mask is an int with one bit a
class of worlds; "the worlds which admit these three answers" is the AND of three masks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from tests.simulator.masks import TESTS
from tests.simulator.plans import OFF_RECORD, REPEAT, Kept, Plan, repeats, worlds
from tests.simulator.recipient import NEVER, Answers, Recipient, Submission, World
from tests.simulator.seen import NOT_YET, Seen
from tests.simulator.timeline import MARGIN, STEP, Timeline, dropping, event, gap_of, seconds

INTERVALS = (1000.0, 25.0, 5.0)  # seconds: outlasts every interleaving; ends within; over at once


def _small(moment: float) -> int:
    return NOT_YET if moment == NEVER else int(gap_of(moment))


def _fate(run: Recipient, name: str, now: float) -> tuple[str, int]:
    acted = run.acted_at(name)
    if acted <= now:
        return "acted", _small(acted)
    for submission in run.world.submissions:
        if submission.name == name and any(now < copy.acts < NEVER for copy in submission.copies):
            return ("never_acts" if run.closed_for(submission, NEVER) else "may_still_act"), 0
    return "never_acts", 0


def _bits(test: Iterable[bool]) -> int:
    bits = 0
    for place, holds in enumerate(test):
        bits |= holds << place
    return bits


def _arrivals(world: World) -> list[tuple[Submission, float]]:
    return [(one, copy.arrives) for one in world.submissions if one.name != OFF_RECORD for copy in one.copies]


def _position(submission: Submission) -> int:
    return int(submission.sent // 2)


def _first_second(arrivals: list[tuple[Submission, float]]) -> float:
    """Return the earliest second at which the first of these can have arrived."""
    return min(STEP * gap_of(moment) for _, moment in arrivals)


def _window_kept(kept: Kept, interval: float, arrivals: list[tuple[Submission, float]], timeline: Timeline) -> bool:
    """Return whether a store that dropped the identity in its gap can have kept it for `interval` seconds."""
    if not arrivals or kept.dropped is None or kept.dropped > timeline.last_gap + 1:
        return True
    if kept.dropped == timeline.last_gap + 1:
        return _first_second(arrivals) + interval < timeline.seconds_now + MARGIN
    return _first_second(arrivals) + interval < STEP * (kept.dropped + 1)


def _late(kept: Kept, interval: float, arrivals: list[tuple[Submission, float]], world: World) -> bool:
    """Return whether a copy of an attempt that was sent inside the contract's window arrives after the drop.

    The window is counted from the first attempt on record of which a byte was written, arrived or not.
    """
    if kept.dropped is None or not arrivals:
        return False
    on_record = [one for one in world.submissions if one.name != OFF_RECORD and one.sent < NEVER]
    first = min([seconds(_position(one)) for one in on_record])
    return any(
        moment >= dropping(kept.dropped) and seconds(_position(one)) < first + interval - MARGIN
        for one, moment in arrivals
    )


def _unpunctual(kept: Kept, arrivals: list[tuple[Submission, float]]) -> bool:
    """Return whether a copy that was sent while the store held the identity arrives after it let go."""
    if kept.dropped is None:
        return False
    drop = dropping(kept.dropped)
    return any(one.sent < drop <= moment for one, moment in arrivals)


class Frame(NamedTuple):
    """What is the same for all worlds of one plan, at hand."""

    plan: Plan
    timeline: Timeline
    names: tuple[str, ...]
    everybody: tuple[str, ...]
    now: float
    moments: tuple[float, ...]  # of the events, and now


def _frame(plan: Plan) -> Frame:
    timeline = plan.timeline
    names = tuple([f"a{number + 1}" for number in range(len(timeline.attempts))])
    moments = tuple([event(position) for position in range(timeline.last_gap + 1)])
    return Frame(plan, timeline, names, (*names, OFF_RECORD), timeline.now, moments)


_KEPT, _IN_TIME = (True,) * len(INTERVALS), (False,) * len(INTERVALS)


def _windows(world: World, kept: Kept, timeline: Timeline) -> tuple[tuple[bool, ...], tuple[bool, ...], bool]:
    """Return, for each interval, whether it was kept and whether something straggles; and whether all were punctual."""
    if kept.dropped is None:
        return _KEPT, _IN_TIME, True
    arrivals = _arrivals(world)
    straggles = tuple([_late(kept, interval, arrivals, world) for interval in INTERVALS])
    honours = tuple(
        [
            not late and _window_kept(kept, interval, arrivals, timeline)
            for late, interval in zip(straggles, INTERVALS, strict=True)
        ]
    )
    return honours, straggles, not _unpunctual(kept, arrivals)


def _seen(world: World, kept: Kept, frame: Frame) -> Seen:
    run = Recipient(world)
    answers = Answers(run)
    alone = len(run.effects)
    repeated = [Recipient(one) for one in repeats(world, plan=frame.plan)]
    with_repeat = max([len(one.effects) for one in repeated])
    honours, straggles, punctual = _windows(world, kept, frame.timeline)
    return Seen(
        applied=_small(run.effects[0].at) if run.effects else NOT_YET,
        received=_small(run.received[0][0]) if run.received else NOT_YET,
        closed=_bits([answers.closed(moment) for moment in frame.moments]) if world.closures.at else 0,
        active=_bits([answers.active(moment) for moment in frame.moments]),
        refused=tuple([_refused(one) for one in world.submissions[: len(frame.names)]]),
        left=tuple([answers.left(name) for name in frame.everybody]),
        fates=tuple([_fate(run, name, frame.now) for name in frame.everybody]),
        store=kept.name,
        dropped=NOT_YET if kept.dropped is None else kept.dropped,
        honours=honours,
        straggles=straggles,
        punctual=punctual,
        live_received=_live_received(world, frame.now),
        alone=min(alone, 2),
        with_repeat=min(with_repeat, 2),
        excess=with_repeat >= 2 and with_repeat > alone,
        repeat_acts=any(one.acted_at(REPEAT) < NEVER for one in repeated),
    )


def _refused(submission: Submission) -> int:
    for copy in submission.copies:
        if copy.refused < NEVER:
            return _small(copy.refused)
    return NOT_YET


def _live_received(world: World, now: float) -> bool:
    for submission in world.submissions:
        for copy in submission.copies:
            if copy.arrives <= now and copy.refused == NEVER:
                return True
    return False


@dataclass(slots=True)
class Universe:
    """The worlds of one plan: `classes` of worlds that look alike, an example of each, and how many were run."""

    plan: Plan
    names: tuple[str, ...]
    classes: list[Seen]
    examples: list[tuple[World, Kept]]
    runs: int
    _masks: dict[tuple[str, tuple[object, ...]], int] = field(default_factory=dict)
    _counted: bool = False

    def claim(self) -> bool:
        """Return True the first time it is called: for counting each universe once."""
        first, self._counted = not self._counted, True
        return first

    @property
    def everything(self) -> int:
        """The mask of all worlds."""
        return (1 << len(self.classes)) - 1

    def mask(self, name: str, *arguments: object) -> int:
        """Return the mask of the classes of which this question (see `tests.simulator.masks`) is true, once computed."""
        question = (name, arguments)
        known = self._masks.get(question)
        if known is None:
            known = self._masks[question] = self._computed(name, arguments)
        return known

    def _computed(self, name: str, arguments: tuple[object, ...]) -> int:
        test = TESTS[name]
        bits = bytearray((len(self.classes) + 7) // 8)
        for number, seen in enumerate(self.classes):
            if test(seen, *arguments):
                bits[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(bits, "little")


@lru_cache(maxsize=64)
def universe(plan: Plan) -> Universe:
    """Return the universe of a plan: every world run, every class of worlds once."""
    frame = _frame(plan)
    known: dict[Seen, tuple[World, Kept]] = {}
    runs = 0
    for world, kept in worlds(plan):
        runs += 1
        known.setdefault(_seen(world, kept, frame), (world, kept))
    return Universe(plan, frame.names, list(known), list(known.values()), runs)
