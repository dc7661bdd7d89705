"""A rehearsal: every way of every scene at a desk of its own, what the core permits there, and the effects counted.

It fails where a permitted action led to a second effect, or where the desk did more than the core held possible. It
reports caution without need where an action was refused for harm and no history that was played did any.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from escalation.rehearsing.agent import Agent
from escalation.rehearsing.behaviours import Behaviour, behaviours, window
from escalation.rehearsing.desk import Desk, NoDesk
from escalation.rehearsing.doing import Doing, effects, played, predicted
from escalation.rehearsing.hearing import Hearing
from escalation.rehearsing.scenes import SCENES, Scene, Way
from operations.core.actions import Action
from operations.core.consequences import MOST, UNKNOWN, Consequence, Effects, consequences
from operations.core.facts import Facts, Seconds
from operations.core.histories import HistoryKind
from operations.core.permitted import Kind, Refusal, permitted
from operations.core.standing import infer

_ACTION: Final = {
    Doing.OBSERVE: Action.OBSERVE,
    Doing.REPEAT: Action.REPEAT,
    Doing.REPEAT_AFTER_WINDOW: Action.REPEAT,
    Doing.PROPOSE_NEW: Action.PROPOSE_NEW,
}


def opened(terms: Mapping[str, Any]) -> Desk:
    """Return a desk of its own on these terms; raises `NoDesk` where none is installed, and `UnknownTerm`."""
    try:
        from escalation.rehearsing.machine import Machine  # it ships beside the product; only a rehearsal needs it
    except ModuleNotFoundError as missing:
        raise NoDesk(f"The collection desk is not installed here ({missing.name}); nothing was rehearsed.") from None
    return Machine(terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One action done in one way of one scene at one desk.

    `refused` is the kind of the refusal, None where the action is permitted. `foretold`: the history is one that the
    core holds possible; where it isn't, `most` is the most of all that are. `whole`: every history that the core holds
    possible is played in this scene. `before`: the effects if nothing is done.
    """

    scene: str
    history: HistoryKind
    way: str
    desk: str
    doing: Doing
    refused: Kind | None
    foretold: bool
    whole: bool
    most: Effects
    counted: int
    before: int

    @property
    def harmed(self) -> bool:
        """Whether the action led to a second effect."""
        return self.counted >= MOST and self.counted > self.before

    @property
    def harmed_with_leave(self) -> bool:
        """Whether a permitted action led to a second effect."""
        return self.refused is None and self.harmed

    @property
    def exceeded(self) -> bool:
        """Whether there are more effects than the core held possible."""
        return self.most != UNKNOWN and self.counted > self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the runs of one scene at one desk share; `told` is what the core told before in the same rehearsal."""

    scene: Scene
    hearing: Hearing
    behaviour: Behaviour
    told: "dict[Hashable, Known]" = field(default_factory=dict, compare=False)

    def known(self, agent: Agent) -> "Known":
        """Return what the core tells and permits; an agent that learnt the same at the same time is told the same."""
        now = agent.desk.now()
        learnt = (tuple(agent.learnt), agent.sealed, agent.repeats_as, now, self.window)
        if learnt not in self.told:
            self.told[learnt] = known(agent.facts(self.hearing), now=now, after=now + self.window)
        return self.told[learnt]

    @property
    def window(self) -> Seconds:
        """Seconds after which a number is no longer kept."""
        return window(self.hearing.document, self.behaviour)

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways of the scene that this desk can do."""
        terms = self.behaviour.terms.items()
        return tuple([way for way in self.scene.ways if way.only_on.items() <= terms])

    @property
    def pause(self) -> Seconds:
        """Seconds that the agent waits before it acts: the pacing of the contract, or until a report has grown old."""
        promised = self.hearing.terms.protection
        stale = promised.pending_fresh_for if self.scene.grows_old else None
        return max(promised.min_interval, 1.0, 0.0 if stale is None else stale + 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the agent knows before it acts, what the core tells from it, and what it permits for each thing to do."""

    rows: tuple[Consequence, ...]
    verdict: Mapping[Doing, Refusal | None]

    @property
    def kinds(self) -> set[HistoryKind]:
        """The histories that the core holds possible."""
        return {row.history.kind for row in self.rows}

    def told_as(self, way: Way) -> HistoryKind | None:
        """Return the history as the core tells it: itself, or what it is to somebody who learnt less; None: ruled out."""
        return next((kind for kind in (way.history, way.unheard) if kind in self.kinds), None)

    def most(self, doing: Doing, kind: HistoryKind | None) -> Effects | None:
        """Return the most effects told for this history, or, where it is ruled out, for all together."""
        told = [predicted(doing, row) for row in self.rows if kind in (None, row.history.kind)]
        if UNKNOWN in told:
            return UNKNOWN
        return max([cell for cell in told if isinstance(cell, int)], default=None)


def known(facts: Facts, *, now: Seconds, after: Seconds) -> Known:
    """Return what the core tells and permits at `now`, and of a late repeat at `after`."""
    soon, late = permitted(infer(facts, now=now)), permitted(infer(facts, now=after))
    verdict: dict[Doing, Refusal | None] = {doing: soon[action] for doing, action in _ACTION.items()}
    verdict[Doing.REPEAT_AFTER_WINDOW] = late[Action.REPEAT]
    return Known(rows=consequences(facts, now), verdict={Doing.STOP: None, **verdict})


def _counted(setup: Setup, way: Way, doing: Doing) -> int:
    agent = _played(setup, way)
    return effects(doing, way, agent=agent, window=setup.window)


def _played(setup: Setup, way: Way) -> Agent:
    """Return the agent after its part, at a desk of its own, when it may act again."""
    desk, collected = opened(setup.behaviour.terms), setup.behaviour.collected
    agent = played(setup.scene, way, desk=desk, window=setup.window, collected=collected)
    desk.advance(setup.pause)
    return agent


def _runs_of(setup: Setup, way: Way) -> Iterator[Run]:
    agent = _played(setup, way)
    found = setup.known(agent)
    before = _counted(setup, way, Doing.STOP)
    told = found.told_as(way)
    for doing in Doing:
        most = found.most(doing, told)
        if most is None:
            continue  # there is no such column: protection is not active, or never ends
        refusal = found.verdict[doing]
        yield Run(
            scene=setup.scene.name,
            history=told or way.history,
            way=way.words,
            desk=setup.behaviour.words,
            doing=doing,
            refused=None if refusal is None else refusal.kind,
            foretold=told is not None,
            whole=found.kinds <= {found.told_as(one) for one in setup.ways},
            most=most,
            counted=before if doing is Doing.STOP else _counted(setup, way, doing),
            before=before,
        )


def scenes_for(hearing: Hearing) -> tuple[Scene, ...]:
    """Return the scenes that make sense: a report grows old only where the contract says after how long."""
    fresh_for = hearing.terms.protection.pending_fresh_for
    return tuple([scene for scene in SCENES if fresh_for is not None or not scene.grows_old])


def runs(hearing: Hearing, *, breaking: Mapping[str, Any] | None = None) -> Iterator[Run]:
    """Yield every run of a contract's rehearsal. `breaking` are terms of the desk that hold whatever is promised.

    `hearing` hears by the contract, and knows afterwards which of its rules were rehearsed. Raises `NoDesk` and
    `UnknownTerm`.
    """
    opened(breaking or {})
    document, told = hearing.document, dict[Hashable, Known]()
    for scene in scenes_for(hearing):
        for behaviour in behaviours(document, breaking=breaking):
            setup = Setup(scene=scene, hearing=hearing, behaviour=behaviour, told=told)
            for way in setup.ways:
                yield from _runs_of(setup, way)
