"""A scenario of the exhaustive check, as facts for the core."""

from dataclasses import dataclass
from typing import Any

from operations.core.facts import (
    After,
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
    Successor,
    SuccessorState,
)
from tests.simulator.plans import Plan
from tests.simulator.sayings import CHANNELS, UNTIL_FAR, Saying
from tests.simulator.terms import Terms
from tests.simulator.timeline import Timeline, seconds
from tests.simulator.universe import Universe, universe

_WORDS = {
    "mechanism": Mechanism,
    "after": After,
    "covers": Covers,
    "concurrent_use": ConcurrentUse,
    "guaranteed_for": Guarantee,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same in many scenarios: the interleaving, the contract, whether the record is said to be complete."""

    pattern: str
    terms: Terms
    for_good: bool
    sealed: bool
    successor: str | None = None
    reduced: bool = True
    askable: bool = True

    @property
    def timeline(self) -> Timeline:
        """The interleaving."""
        return Timeline(self.pattern)

    def plan(self, *, off_record: bool) -> Plan:
        """Return the plan of the worlds behind it."""
        count = self.pattern.count("a")
        if off_record:  # whatever the attempts on record did, what isn't on record did too
            return Plan(self.timeline, self.for_good, off_record, keys=("k", "k")[:count], reduced=self.reduced)
        keys = self.terms.keys[:count]
        many = self.terms.many and bool(keys)
        return Plan(self.timeline, self.for_good, off_record, many, keys, self.reduced)


def protection_of(terms: Terms) -> ProtectionTerms:
    """Return the core's value for these terms."""
    given: dict[str, Any] = {
        field: _WORDS[field](word) if isinstance(word, str) else word for field, word in terms.protection.items()
    }
    return ProtectionTerms(**given)


def contract_of(setting: Setting) -> Contract:
    """Return the core's value for the contract of a setting."""
    channels = {
        name: Channel(
            authority=Authority(nature["authority"]),
            reads=Reads(nature.get("reads", "unordered")),
            positive_is_conclusive=nature.get("positive_is_conclusive", False),
            pollable=setting.askable and nature.get("pollable", True),
        )
        for name, nature in CHANNELS.items()
    }
    covers = ClosureCovers.IDENTITY if setting.for_good else ClosureCovers.EARLIER_ATTEMPTS
    return Contract(protection=protection_of(setting.terms), closure=Closure(covers=covers), channels=channels)


class Stage:
    """Builds the facts and the worlds of scenarios in one setting, from parts that are made once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        terms = setting.terms
        self.timeline = setting.timeline
        self.sent = self.timeline.attempts
        self.contract = contract_of(setting)
        self.operation = Operation(
            attempts_complete=setting.sealed, identity_known=terms.identity_known, repeat_scope=terms.repeat_scope
        )
        self.attempts = tuple([self._attempt(number) for number in range(len(self.sent))])
        self.successors = self._successors()
        self._observations: dict[tuple[str, int], Observation] = {}
        self._universes: dict[bool, Universe] = {}

    def universe(self, *, off_record: bool) -> Universe:
        """Return the universe behind it, with or without a submission that is not on record."""
        known = self._universes.get(off_record)
        if known is None:
            known = self._universes[off_record] = universe(self.setting.plan(off_record=off_record))
        return known

    @property
    def universes(self) -> tuple[Universe, ...]:
        """The universes that its scenarios needed so far."""
        return tuple(self._universes.values())

    def _attempt(self, number: int) -> Attempt:
        many = self.setting.terms.many and number == 0
        return Attempt(
            at=seconds(self.sent[number]),
            id=f"a{number + 1}",
            sends=Sends.MANY if many else Sends.ONE,
            scope=self.setting.terms.scopes[number],
        )

    def _successors(self) -> tuple[Successor, ...]:
        state = self.setting.successor
        if state is None:
            return ()
        return (Successor(at=self.timeline.seconds_now, id="b1", state=SuccessorState(state)),)

    def observation(self, saying: Saying, position: int) -> Observation:
        """Return the core's value of a saying at a position."""
        key = (saying.code, position)
        known = self._observations.get(key)
        if known is None:
            until = {None: None, "far": UNTIL_FAR, "near": seconds(position) + 1}[saying.until]
            known = self._observations[key] = Observation(
                at=seconds(position),
                channel=saying.channel,
                says=saying.says,
                attempt=saying.attempt,
                authentic=saying.authentic,
                correlation=Correlation(saying.correlation),
                covers_copies=saying.covers_copies,
                until=until,
            )
        return known

    def facts(self, said: tuple[Saying, ...]) -> Facts:
        """Return the facts: the interleaving with these sayings in the place of its observations."""
        events: list[Attempt | Observation | Successor] = [*self.attempts, *self.successors]
        events += [
            self.observation(saying, position) for saying, position in zip(said, self.timeline.observed, strict=True)
        ]
        return Facts(contract=self.contract, operation=self.operation, events=tuple(events))
