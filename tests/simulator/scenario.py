"""A scenario of the exhaustive check, as facts for the core and as masks of the worlds behind it.

The worlds of a record are those in which everybody tells the truth, with the least distrust that the law allows
(semantics.md, What can still act): a submission not on record only where the record is not said to be complete, or an
answer names one, or reports something before anything on record was sent; a lie of the client only where an answer of
the recipient names the attempt, or reports at a date what none of the attempts on record that the client's word leaves
could explain. Both are asked of the worlds themselves.
"""

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
from operations.core.permitted import Kind
from tests.simulator.plans import Plan
from tests.simulator.sayings import CHANNELS, STRANGER, UNTIL_FAR, Saying
from tests.simulator.terms import LOST, Terms, admissible
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
        events += [self.observation(saying, position) for saying, position in zip(said, self.timeline.observed)]
        return Facts(contract=self.contract, operation=self.operation, events=tuple(events))

    def view(self, said: tuple[Saying, ...]) -> "View":
        """Return the worlds behind it."""
        return View(self, said)


class View:
    """The worlds behind one scenario: `worlds` is their mask in `universe`."""

    __slots__ = ("dated", "incomplete", "setting", "stage", "statement", "universe", "worlds")

    def __init__(self, stage: Stage, said: tuple[Saying, ...]) -> None:
        self.stage = stage
        self.setting = stage.setting
        dated = [(saying, place) for saying, place in zip(said, stage.timeline.observed) if saying.admits is not None]
        self.dated = [(saying, place) for saying, place in dated if self._counts(saying, place)]
        self.incomplete = self._incomplete()
        self.universe: Universe = stage.universe(off_record=self.incomplete)
        self.statement = self._statement()
        self.worlds = admissible(self.setting.terms, self.universe, self.statement) & self._truthful()

    def _counts(self, saying: Saying, place: int) -> bool:
        if saying.says == "protection_until" and self.setting.terms.protection.get("margin") is None:
            return False
        if saying.says not in ("attempt_refused", "not_sent") or saying.number is None:
            return True
        if saying.admits == "unsent" and self.setting.terms.many and saying.number == 0:
            return False
        return self.stage.sent[saying.number] < place

    def _incomplete(self) -> bool:
        first = min(self.stage.sent, default=99)
        return not self.setting.sealed or any(
            saying.attempt == STRANGER or (saying.reports and place < first) for saying, place in self.dated
        )

    def _statement(self) -> tuple[str, int] | None:
        stated = [(place, saying.statement) for saying, place in self.dated if saying.statement is not None]
        if not stated:
            return None
        place, which = max(stated)
        return which, place

    def admits(self, universe: Universe, saying: Saying, place: int, *, at_its_date: bool = False) -> int:
        """Return the mask of the worlds in which this can honestly be said there."""
        if saying.admits is None or saying.admits == "anything":
            return universe.everything
        name = "active" if at_its_date and saying.admits == "received" else saying.admits
        return universe.mask(name, place) if saying.number is None else universe.mask(name, place, saying.number)

    def _truthful(self) -> int:
        worlds = self.universe.everything
        overruled = self._overruled()
        for saying, place in self.dated:
            if saying.admits != "unsent" or saying.number not in overruled:
                worlds &= self.admits(self.universe, saying, place)
        return worlds

    def _overruled(self) -> set[int]:
        """Return the attempts of which the client's `not_sent` is not believed."""
        unsent = {saying.number for saying, _ in self.dated if saying.admits == "unsent" and saying.number is not None}
        if not unsent:
            return set()
        named = {saying.names for saying, _ in self.dated}
        overruled = {number for number in unsent if f"a{number + 1}" in named}
        believed = unsent - overruled
        return overruled | {number for place in self._unexplained(believed) for number in believed
                            if self.stage.sent[number] <= place}

    def _unexplained(self, believed: set[int]) -> list[int]:
        """Return the positions of reports which, at their date, no attempt could explain if the client is believed."""
        on_record = self.stage.universe(off_record=False)
        worlds = on_record.mask("store", "off", 0, 99)
        for saying, place in self.dated:
            if saying.admits == "refused" or (saying.admits == "unsent" and saying.number in believed):
                worlds &= self.admits(on_record, saying, place)
        return [
            place for saying, place in self.dated
            if saying.reports and not worlds & self.admits(on_record, saying, place, at_its_date=True)
        ]

    def fresh(self, place: int) -> bool:
        """Whether a report made there still stands, by the contract's word."""
        limit = self.setting.terms.protection.get("pending_fresh_for")
        return limit is None or self.stage.timeline.seconds_now - seconds(place) <= limit

    def live(self) -> list[int]:
        """Return the attempts of which some world says that they left and were not refused with their copies."""
        universe, found = self.universe, []
        last = self.stage.timeline.last_gap
        for number in range(len(self.stage.sent)):
            gone = universe.mask("unsent", 0, number) | universe.mask("refused", last, number)
            if self.worlds & ~gone:
                found.append(number)
        return found

    def can_act(self) -> list[int]:
        """Return the attempts that act, or still may, in some world."""
        never = [self.universe.mask("fate", number, "never_acts", 0) for number in range(len(self.stage.sent))]
        return [number for number, mask in enumerate(never) if self.worlds & ~mask]

    def rude(self) -> bool:
        """Whether a repeat now goes against the recipient's manners in some world.

        It does if something is in process, the recipient said so, its word still stands and its contract does not
        invite repeats meanwhile; or if it comes within `min_interval` of the last attempt that left.
        """
        words = self.setting.terms.protection
        told = any(saying.admits in ("active", "received") and self.fresh(place) for saying, place in self.dated)
        busy = self.universe.mask("active", self.stage.timeline.last_gap)
        if told and not words.get("repeat_while_pending", False) and self.worlds & busy:
            return True
        since = self.stage.timeline.seconds_now - words.get("min_interval", 0)
        return any(
            seconds(place) > since and self.worlds & self.universe.mask("left", 0, number)
            for number, place in enumerate(self.stage.sent)
        )

    @property
    def successor_kind(self) -> Kind | None:
        """How an open successor shuts the doors."""
        return Kind.SUCCESSOR if self.setting.successor == "open" else None

    @property
    def as_contracted(self) -> int:
        """The worlds in which the contract's own terms were kept, whatever the recipient stated since."""
        return admissible(self.setting.terms, self.universe, None)

    @property
    def withdrawn(self) -> bool:
        """Whether the recipient's newest statement of the retained identity is that it was dropped."""
        return self.statement is not None and self.statement[0] == LOST
