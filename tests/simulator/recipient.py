"""A simulated recipient counts effects truly and answers honestly; it knows nothing of standings or permissions.

A `World` is the hidden truth: what left the client, what arrived when, what the recipient did with it, what it keeps.
Moments are numbers on one clock; only their order matters, and differences where a store `keeps_for` an interval.
Nothing of `operations` is imported here: the simulator shares only the meaning of words with the core.

What an honest recipient may say at a moment `d` (semantics.md, Claims), as weak as the words allow:

- `applied`: some copy acted by d. `absent`, in a strong read of the record: none did.
- `closed`: it closed by d, nothing had acted by d, and nothing submitted by d ever will.
- `pending`, `accepted` in a strong read: some copy has arrived by d and was neither refused nor closed by then. A
  handler may still be finishing after it acted. Where delivery is unordered: this was so at some moment up to d.
- a covering refusal of a submission: the recipient has refused it by d, and nothing of it ever acts.
- `protection_lost`: the store has dropped the identity by d.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, NamedTuple

NEVER: Final = float("inf")
ALWAYS: Final = float("-inf")


class Copy(NamedTuple):
    """One arrival of a submission: it `acts` at a moment, is `refused` at a moment, or else fails without effect.

    `kept`: whether its outcome stays in a store that keeps only some outcomes. `finishes` NEVER: the handler that acted
    is still at work as long as anybody looks, so its outcome is not in any store yet.
    """

    arrives: float
    acts: float = NEVER
    refused: float = NEVER
    kept: bool = True
    finishes: float | None = None  # at once


class Submission(NamedTuple):
    """What one attempt did on the wire. `sent` NEVER: no byte left. `key` None: no identity the store could know."""

    name: str
    sent: float
    copies: tuple[Copy, ...] = ()
    key: str | None = "k"


class Store(NamedTuple):
    """What the recipient remembers of an identity, from `since` until `dropped`, at most `keeps_for` each key.

    `every_outcome`: an outcome that a copy does not keep is kept all the same. `concurrent`: a repeat that arrives
    while the original is in process is turned away. `after_refused`: what comes after the interval is turned away too.
    """

    since: float = ALWAYS
    dropped: float = NEVER
    keeps_for: float = NEVER
    every_outcome: bool = True
    concurrent: bool = True
    after_refused: bool = False


class Closures(NamedTuple):
    """The moments at which the recipient ends the operation: for good, or for what was sent before.

    `key`: it ends only what comes under this identity; None, as the law reads a `closed` of this operation: all of it.
    """

    at: tuple[float, ...] = ()
    for_good: bool = True
    key: str | None = None


class World(NamedTuple):
    """The whole hidden truth of one operation."""

    submissions: tuple[Submission, ...]
    store: Store | None = None
    closures: Closures = Closures()


class Effect(NamedTuple):
    """One protected effect: when, and by which submission."""

    at: float
    by: str


_ARRIVES, _ACTS = 0, 1
_IN_PROCESS, _DONE = "in process", "done"


@dataclass(slots=True)
class Entry:
    """What the store holds under one key."""

    first_received: float
    state: str | None = None


class Recipient:
    """Runs a world from its first arrival to its last act; `effects` is the true ledger, in order of time."""

    __slots__ = ("_coming", "_entries", "_order", "effects", "received", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self.effects: list[Effect] = []
        self.received: list[tuple[float, str]] = []
        self._entries: dict[str, Entry] = {}
        self._coming: list[tuple[float, int, int, Submission, Copy]] = []
        self._order = 0
        for submission in world.submissions:
            for copy in submission.copies:
                self._schedule(copy.arrives, _ARRIVES, submission, copy)
        self._run()

    def _schedule(self, moment: float, what: int, submission: Submission, copy: Copy) -> None:
        self._order += 1
        heappush(self._coming, (moment, what, self._order, submission, copy))

    def _run(self) -> None:
        coming = self._coming
        while coming:
            moment, what, _, submission, copy = heappop(coming)
            if what == _ARRIVES:
                self.received.append((moment, submission.name))
                self._arrive(moment, submission, copy)
            elif not self.closed_for(submission, moment):
                self.effects.append(Effect(moment, submission.name))
                if copy.finishes is None:
                    self._finish(moment, submission, copy)

    def closed_for(self, submission: Submission, moment: float) -> bool:
        """Return whether a closure up to `moment` covers this submission."""
        closures = self.world.closures
        if closures.key is not None and closures.key != submission.key:
            return False
        return any(at <= moment and (closures.for_good or submission.sent < at) for at in closures.at)

    def _arrive(self, moment: float, submission: Submission, copy: Copy) -> None:
        entry = self._entry(moment, submission)
        if copy.refused < NEVER or self.closed_for(submission, moment):
            return
        if entry is not None and self._turns_away(entry, moment):
            return
        if copy.acts == NEVER:
            self._finish(moment, submission, copy)
            return
        if entry is not None:
            entry.state = _IN_PROCESS
        self._schedule(copy.acts, _ACTS, submission, copy)

    def _entry(self, moment: float, submission: Submission) -> Entry | None:
        """Return what the store holds under this key; what arrives first starts its clock, whatever becomes of it."""
        if self.world.store is None or submission.key is None:
            return None
        return self._entries.setdefault(submission.key, Entry(moment))

    def _turns_away(self, entry: Entry, moment: float) -> bool:
        store = self.world.store
        if store is None or not store.since <= moment < store.dropped:
            return False
        if moment - entry.first_received >= store.keeps_for and moment > entry.first_received:
            return store.after_refused
        return entry.state == _DONE or (entry.state == _IN_PROCESS and store.concurrent)

    def _finish(self, moment: float, submission: Submission, copy: Copy) -> None:
        entry = self._entry(moment, submission)
        if entry is None or self.world.store is None:
            return
        entry.state = _DONE if copy.kept or self.world.store.every_outcome else None

    def acted_at(self, name: str) -> float:
        """Return the first moment this submission acted, or NEVER."""
        return min([effect.at for effect in self.effects if effect.by == name], default=NEVER)


class Answers:
    """What the recipient could honestly say at a moment, whoever asks through whichever channel."""

    __slots__ = ("_first_effect", "_first_received", "_run", "_submissions")

    def __init__(self, run: Recipient) -> None:
        self._run = run
        self._submissions = run.world.submissions
        self._first_effect = run.effects[0].at if run.effects else NEVER
        self._first_received = run.received[0][0] if run.received else NEVER

    def applied(self, at: float) -> bool:
        """Some copy acted by then."""
        return self._first_effect <= at

    def closed(self, at: float) -> bool:
        """It ended without effect: nothing acted by then, and nothing submitted by then ever will."""
        if self._first_effect <= at:
            return False
        closures = self._run.world.closures
        last_sent = max([one.sent for one in self._submissions if one.sent <= at], default=ALWAYS)
        return any(moment <= at and (closures.for_good or last_sent < moment) for moment in closures.at)

    def active(self, at: float) -> bool:
        """Something is in the recipient's hands at this very moment."""
        for submission in self._submissions:
            for copy in submission.copies:
                if copy.arrives <= at < copy.refused and not self._run.closed_for(submission, at):
                    return True
        return False

    def was_active(self, at: float) -> bool:
        """Something had reached the recipient's hands at some moment up to then."""
        return self._first_received <= at

    def refused(self, name: str, at: float) -> bool:
        """This submission was refused by then, with its copies."""
        return any(copy.refused <= at for one in self._submissions if one.name == name for copy in one.copies)

    def left(self, name: str) -> bool:
        """Some byte of this submission was written."""
        return any(one.sent < NEVER for one in self._submissions if one.name == name)

    def dropped(self, at: float) -> bool:
        """The store no longer recognises the identity."""
        store = self._run.world.store
        if store is None or store.dropped <= at:
            return True
        return not store.after_refused and at - self._first_received >= store.keeps_for
