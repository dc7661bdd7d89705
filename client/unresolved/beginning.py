"""Whether an attempt may go out, by the table of failures: recorded first, then asked for, then sent or kept back.

docs/integrate/failures.md has the table. Every way that ends without `Begun` is a `Held`: nothing was sent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unresolved import backlog, telling
from unresolved.desk import Answer, Desk, KeyRefused, Unreachable
from unresolved.journal import Journal
from unresolved.kept import Begun, Delivered, Event, JournalUnwritable, Known, Mark, OtherProposal, Taken
from unresolved.request import Bound
from unresolved.shipping import Clock, ship
from unresolved.words import Ended, Mode, Next, Sends, Sent


class Held(Exception):
    """Nothing was sent. `next` and `reason` say why; `ask` whether the desk may know more of the operation."""

    def __init__(self, word: Next, reason: str, *, attempt: Begun | None = None, ask: bool = True) -> None:
        super().__init__(reason)
        self.next = word
        self.reason = reason
        self.attempt = attempt
        self.ask = ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What is to be sent, and how often it may go out. `operation`: the desk's own, which it authorised and has on record."""

    bound: Bound
    tool: str
    sends: Sends
    origin: Mapping[str, str] = field(default_factory=dict)
    authorised_by: str = ""
    operation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Begins attempts of one journal at one desk. `passing` is told of each step that was passed."""

    journal: Journal
    desk: Desk
    mode: Mode
    clock: Clock
    passing: Callable[[str], None]

    def begin(self, meant: Meant) -> Begun:
        """Return an attempt that may go out now, once; raises `Held`."""
        try:
            return self._begin(meant)
        except JournalUnwritable as error:
            raise Held(Next.NO_JOURNAL, str(error), ask=False) from error

    def _begin(self, meant: Meant) -> Begun:
        bound = meant.bound
        known = self.journal.operation(bound.recipient, identity=bound.identity)
        if known is None and meant.operation is not None:
            return self._authorised(meant, meant.operation)
        if known is None:
            return self._first(meant, after=0, asks=self.mode is Mode.DESK)
        if known.digest != bound.digest:
            raise Held(Next.REFUSED, "new_proposal: this identity is bound to another request; it needs one of its own")
        return self._further(meant, known)

    def _authorised(self, meant: Meant, operation: str) -> Begun:
        """Begin what the desk has on record and this journal has not: with its grant alone."""
        try:
            grant = self.desk.grant(operation)
        except Unreachable as error:
            raise Held(Next.NOT_SENT, str(error), ask=False) from error
        if grant is None:
            raise Held(Next.NOT_SENT, "no grant of it waits", ask=False)
        return self._granted(meant, grant, after=0)

    def _further(self, meant: Meant, known: Known) -> Begun:
        """Begin anew what was attempted before: with a grant, or where the desk never heard of what was kept back."""
        attempts = self.journal.attempts(known.key)
        try:
            grant = self._grant(known)
        except Unreachable as error:
            if backlog.never_left(self.journal, known.key):
                raise Held(Next.NOT_SENT, str(error), attempt=attempts[-1], ask=False) from error
            raise Held(Next.HELD, f"a repeat takes a grant, and {error}", attempt=attempts[-1], ask=False) from error
        if grant is not None:
            return self._granted(meant, grant, after=len(attempts))
        if all("unsent" in one.marks for one in attempts):
            return self._first(meant, after=len(attempts), asks=True)
        raise Held(Next.HELD, "it was attempted before; a repeat takes a grant of the desk", attempt=attempts[-1])

    def _grant(self, known: Known) -> Mapping[str, Any] | None:
        """Return the grant that waits, after the desk was told all there is; raises `Unreachable`."""
        told = ship(self.journal, self.desk, clock=self.clock, operation=known.key)
        if told.unreachable is not None:
            raise Unreachable(told.unreachable)
        operation = backlog.desk_id(self.journal, known.key)
        return None if operation is None else self.desk.grant(operation)

    def _first(self, meant: Meant, *, after: int, asks: bool) -> Begun:
        attempt, at = telling.new_id("a"), self.clock()
        event = telling.register(
            meant.bound,
            attempt=attempt,
            sends=meant.sends,
            origin=meant.origin,
            authorised_by=meant.authorised_by,
            at=at,
        )
        return self._asked(self._recorded(meant, attempt, event, at=at, after=after), asks=asks)

    def _granted(self, meant: Meant, grant: Mapping[str, Any], *, after: int) -> Begun:
        if (grant["digest"], grant["scope"]) != (meant.bound.digest, meant.bound.scope):
            raise Held(Next.HELD, "the grant that waits is for other bytes or another scope")
        attempt, at = telling.new_id("a"), self.clock()
        event = telling.begin(meant.bound, attempt=attempt, sends=meant.sends, grant=str(grant["grant"]), at=at)
        begun = self._recorded(meant, attempt, event, at=at, after=after, grant=str(grant["grant"]))
        return self._asked(begun, asks=True)

    def _recorded(
        self, meant: Meant, attempt: str, event: Event, *, at: float, after: int, grant: str | None = None
    ) -> Begun:
        """Return the attempt, on disk; raises `Held` where another process was first."""
        self.passing("meant")
        try:
            begun = self.journal.begin(
                meant.bound,
                tool=meant.tool,
                attempt=attempt,
                sends=meant.sends,
                event=event,
                at=at,
                grant=grant,
                after=after,
            )
        except Taken as error:
            raise Held(Next.HELD, "another process began this attempt", ask=False) from error
        except OtherProposal as error:
            raise Held(Next.REFUSED, f"new_proposal: {error}") from error
        self.passing("journalled")
        return begun

    def _asked(self, begun: Begun, *, asks: bool) -> Begun:
        """Return the attempt once the desk allowed it, or where it may go out without the desk's word."""
        opening = backlog.opening(self.journal, begun.key)
        try:
            [answer] = self.desk.batch([backlog.item_of(opening, unasked=False)], hurry=not asks)
        except KeyRefused as error:
            answer = error.answer
        except Unreachable as error:
            return self._unanswered(begun, opening, asks=asks, why=str(error))
        if answer.status >= 500:
            return self._unanswered(begun, opening, asks=asks, why=f"the desk answered {answer.status}")
        told = backlog.delivered(opening.key, answer)
        if told.came_to == "recorded":
            self.journal.mark(begun, Mark(mark="asked"), at=self.clock(), delivered=told)
            self.passing("asked")
            return self.journal.attempt(begun.id)
        self._refused(begun, backlog.delivered(opening.key, answer, came_to="refused"), why=_reason_of(answer))
        raise Held(_word_of(answer), _reason_of(answer), attempt=self.journal.attempt(begun.id))

    def _unanswered(self, begun: Begun, opening: backlog.Waiting, *, asks: bool, why: str) -> Begun:
        if not asks:
            self.journal.mark(begun, Mark(mark="unasked", says=why), at=self.clock())
            self.passing("unasked")
            return self.journal.attempt(begun.id)
        self._keep_back(begun, opening, why=why)
        kept = self.journal.attempt(begun.id)
        raise Held(Next.NOT_SENT, why, attempt=kept, ask=False)

    def _keep_back(self, begun: Begun, opening: backlog.Waiting, *, why: str) -> None:
        """Close an attempt that the desk may or may not have on record; only what it has on record is told about then."""
        of, at = self.journal.known(begun.operation), self.clock()
        events: Sequence[Event] = ()
        if begun.sends is Sends.ONE:
            events = [telling.fact(of, Ended.NOT_SENT, attempt=begun.id, at=at)]
        unsent = Mark(mark="unsent", sent=Sent.NO, says=why)
        moot = Delivered(event=opening.key, came_to="moot")
        self.journal.mark(begun, unsent, at=at, events=events, delivered=moot)

    def _refused(self, begun: Begun, told: Delivered, *, why: str) -> None:
        self.journal.mark(begun, Mark(mark="unsent", sent=Sent.NO, says=why), at=self.clock(), delivered=told)


def _word_of(answer: Answer) -> Next:
    """Return the word for an answer that put nothing on record; 200 means that somebody else's attempt is there."""
    return Next.HELD if answer.is_done else Next.REFUSED


def _reason_of(answer: Answer) -> str:
    if answer.is_done:
        return "another writer's attempt is on record; a repeat takes a grant of the desk"
    return f"{answer.rule}: {answer.body.get('detail', '')}".rstrip(": ")
