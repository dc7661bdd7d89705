"""The worlds behind a scenario: all that are compatible with what was said, as a mask.

The worlds of a record are those in which everybody tells the truth, with the least distrust that the law allows
(semantics.md, What can still act): a submission not on record only where the record is not said to be complete, or an
answer names one, or reports something before anything on record was sent; a lie of the client only where an answer of
the recipient names the attempt, or reports at a date what none of the attempts on record that the client's word leaves
could explain. Both are asked of the worlds themselves.
"""

from operations.core.permitted import Kind
from tests.simulator.sayings import STRANGER, Saying
from tests.simulator.scenario import Stage
from tests.simulator.terms import LOST, admissible, recognises_nothing
from tests.simulator.timeline import seconds
from tests.simulator.universe import Universe


class View:
    """The worlds behind one scenario: `worlds` is their mask in `universe`."""

    __slots__ = ("dated", "incomplete", "setting", "stage", "statement", "universe", "worlds")

    def __init__(self, stage: Stage, said: tuple[Saying, ...]) -> None:
        self.stage = stage
        self.setting = stage.setting
        dated = [
            (saying, place)
            for saying, place in zip(said, stage.timeline.observed, strict=True)
            if saying.admits is not None
        ]
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
        for saying, place in self.believed:
            worlds &= self.admits(self.universe, saying, place)
        return worlds

    @property
    def believed(self) -> list[tuple[Saying, int]]:
        """What counts, less the words of the client that an answer of the recipient overrules."""
        overruled = self._overruled()
        return [
            (saying, place)
            for saying, place in self.dated
            if saying.admits != "unsent" or saying.number not in overruled
        ]

    def _overruled(self) -> set[int]:
        """Return the attempts of which the client's `not_sent` is not believed."""
        unsent = {saying.number for saying, _ in self.dated if saying.admits == "unsent" and saying.number is not None}
        if not unsent:
            return set()
        named = {saying.names for saying, _ in self.dated}
        overruled = {number for number in unsent if f"a{number + 1}" in named}
        believed = unsent - overruled
        return overruled | {
            number for place in self._unexplained(believed) for number in believed if self.stage.sent[number] <= place
        }

    def _unexplained(self, believed: set[int]) -> list[int]:
        """Return the positions of reports which, at their date, no attempt could explain if the client is believed."""
        on_record = self.stage.universe(off_record=False)
        worlds = on_record.mask("store", "off", 0, 99)
        for saying, place in self.dated:
            if saying.admits == "refused" or (saying.admits == "unsent" and saying.number in believed):
                worlds &= self.admits(on_record, saying, place)
        return [
            place
            for saying, place in self.dated
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

    @property
    def forgetful(self) -> bool:
        """Whether the contract says that the recipient recognises no repeat, so that no world has a store."""
        return recognises_nothing(self.setting.terms)

    @property
    def promised(self) -> bool:
        """Whether the contract promises protection to a repeat of this record, and the recipient stated nothing."""
        terms = self.setting.terms
        reaches = terms.identity_known and not self.incomplete and terms.stated
        return reaches and terms.place is not None and self.statement is None
