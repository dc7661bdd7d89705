"""A tool call is recorded before its first byte, sent at most as often as people allow, and always comes back as an envelope."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from unresolved import backlog, envelope, shipping, telling
from unresolved.attempting import Attempt
from unresolved.beginning import Beginning, Held, Meant
from unresolved.carriers import Contract
from unresolved.desk import Desk, Unreachable
from unresolved.envelope import Envelope
from unresolved.journal import Journal
from unresolved.kept import Begun, Event, JournalUnwritable, Known, Mark
from unresolved.request import Bound, Reply, Request, as_json, one_line
from unresolved.sending import Seen, Sender
from unresolved.shipping import Shipped
from unresolved.words import Ended, Mode, Next, Sends, Sent

_ORIGIN: Final[ContextVar[Mapping[str, str]]] = ContextVar("unresolved_origin", default=MappingProxyType({}))


class NotBegun(Exception):
    """Nothing was sent; `envelope` is what the call comes back with."""

    def __init__(self, told: Envelope) -> None:
        super().__init__(told.reason or told.means)
        self.envelope = told


@contextmanager
def called(*, call: str = "", run: str = "", agent: str = "") -> Iterator[None]:
    """Say where the calls in this block come from; what is left out is as a block around it says.

    It is provenance, and never part of what an operation is.
    """
    told = {"call": call, "run": run, "agent": agent}
    given = {name: one_line(text, most=200) for name, text in told.items() if text or name not in _ORIGIN.get()}
    token = _ORIGIN.set({**_ORIGIN.get(), **given})
    try:
        yield
    finally:
        _ORIGIN.reset(token)


def _passes(_: str) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call that is to have an effect. `identity` names the intent, chosen before the run and kept over restarts.

    `sends` is the sender's word; where there is no sender, that of whoever makes this call and owns the socket.
    """

    tool: str
    contract: Contract
    identity: str
    request: Request
    arguments: Mapping[str, Any] | None = None
    sender: Sender | None = None
    sends: Sends = Sends.MANY
    authorised_by: str = ""

    def meant(self) -> Meant:
        """Return it with the identity where the contract's carrier puts it; raises what `Carrier.carry` raises."""
        carrier = self.contract.carrier
        carried = self.request if carrier is None else carrier.carry(self.request, identity=self.identity)
        bound = Bound(
            recipient=self.contract.recipient,
            identity=self.identity,
            request=carried,
            arguments=None if self.arguments is None else as_json(dict(self.arguments)),
            scope=self.contract.scope,
        )
        sends = self.sends if self.sender is None else self.sender.sends
        origin = {**_ORIGIN.get(), "tool": one_line(self.tool, most=200)}
        by = one_line(self.authorised_by, most=200)
        return Meant(bound=bound, tool=self.tool, sends=sends, origin=origin, authorised_by=by)


@dataclass(slots=True, kw_only=True)
class Under:
    """An attempt under way; `envelope` is there once its block has ended."""

    attempt: Attempt
    envelope: Envelope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """Records at one journal, tells one desk. `mode` is what a first attempt does while the desk can't be reached.

    `seals`: False where other journals may hold attempts of the same operations, which this one can't speak for.
    """

    journal: Journal
    desk: Desk
    mode: Mode = Mode.LOCAL
    seals: bool = True
    clock: Callable[[], float] = time.time
    passing: Callable[[str], None] = field(default=_passes, repr=False)

    # One attempt.

    @contextmanager
    def attempt(self, call: Call) -> Iterator[Under]:
        """Yield an attempt that is on disk and may be sent now, and record what came of it, whatever ends the block.

        Raises `NotBegun`, without running the block, where nothing may be sent.
        """
        with self.under_way(call.meant(), sender=call.sender) as under:
            yield under

    @contextmanager
    def under_way(self, meant: Meant, *, sender: Sender | None, tells: bool = True) -> Iterator[Under]:
        """Yield an attempt of what is meant, as `attempt` does.

        Without `tells` the block ends once the outcome is on disk, without an envelope: `told` is then for the caller.
        """
        under = self._begun(meant, sender)
        try:
            yield under
        except Exception as error:
            reason = self._ended(under.attempt, error)
            under.envelope = self.told(under.attempt, reason=reason) if tells else None
            raise
        except BaseException as error:  # whoever breaks off waits for no desk
            self._ended(under.attempt, error)
            raise
        reason = self._ended(under.attempt)
        under.envelope = self.told(under.attempt, reason=reason) if tells else None

    @asynccontextmanager
    async def attempt_async(self, call: Call) -> AsyncIterator[Under]:
        """The same for asyncio: files and the desk are waited for in threads, the outcome of a cancelled call is not."""
        beginning = asyncio.ensure_future(asyncio.to_thread(self._begun, call.meant(), call.sender))
        try:
            under = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(self._kept_back)
            raise
        try:
            yield under
        except Exception as error:
            under.envelope = await self.told_async(under.attempt, reason=self._ended(under.attempt, error))
            raise
        except BaseException as error:
            self._ended(under.attempt, error)
            raise
        under.envelope = await self.told_async(under.attempt, reason=self._ended(under.attempt))

    def _begun(self, meant: Meant, sender: Sender | None) -> Under:
        try:
            begun = self._beginning.begin(meant)
        except Held as held:
            raise NotBegun(self._held(meant, held)) from held
        return Under(attempt=Attempt(tool=meant.tool, bound=meant.bound, begun=begun, sender=sender))

    def _kept_back(self, beginning: "asyncio.Future[Under]") -> None:
        """Record of an attempt whose caller was gone before it was begun that nobody sends it."""
        if beginning.cancelled() or beginning.exception() is not None:
            return
        attempt = beginning.result().attempt
        attempt.seen = Seen(sent=Sent.NO, ended=Ended.NOT_SENT if attempt.begun.sends is Sends.ONE else None)
        self._ended(attempt)

    @property
    def _beginning(self) -> Beginning:
        return Beginning(journal=self.journal, desk=self.desk, mode=self.mode, clock=self.clock, passing=self.passing)

    def _ended(self, attempt: Attempt, error: BaseException | None = None) -> str | None:
        """Record the outcome with what the desk is to be told of it, together, and return what the caller has to know.

        Where it can't be recorded, the attempt stays open: it may have been sent, and its outcome is unknown.
        """
        self.passing("ended")
        seen = attempt.outcome(error)
        says = "answered" if seen.reply is not None else str(seen.ended or "")
        try:
            ended = Mark(mark="ended", sent=seen.sent, says=says)
            self.journal.mark(attempt.begun, ended, at=self.clock(), events=self._events(attempt.begun, seen))
        except JournalUnwritable as unwritable:
            return f"the outcome could not be recorded: {unwritable}"
        self.passing("recorded")
        # Its text may hold what an agent must not read.
        return None if error is None else f"the sending code ended with {type(error).__name__}"

    def _events(self, begun: Begun, seen: Seen) -> list[Event]:
        of, at = self.journal.known(begun.operation), self.clock()
        events = [telling.seal(of)] if self.seals else []
        if seen.reply is not None:
            return [telling.reply(of, seen.reply, attempt=begun.id, at=at), *events]
        if seen.ended is not None:
            return [telling.fact(of, seen.ended, attempt=begun.id, at=at), *events]
        return events

    # What is known.

    def told(self, attempt: Attempt, *, reason: str | None = None) -> Envelope:
        """Tell the desk what came of an attempt, and return what it makes of it, or what is known without it."""
        reply, begun = attempt.outcome().reply, attempt.begun
        try:
            of, now = self.journal.known(begun.operation), self.journal.attempt(begun.id)
            return self._envelope(of, now, hurry=True, reply=reply, reason=reason)
        except JournalUnwritable as error:
            bound, tool = attempt.bound, attempt.tool
            return envelope.from_call(bound, begun, next_word=Next.HELD, tool=tool, reply=reply, reason=str(error))

    async def told_async(self, attempt: Attempt, *, reason: str | None = None) -> Envelope:
        """The same for asyncio."""
        return await asyncio.to_thread(self.told, attempt, reason=reason)

    def collect(self, contract: Contract, *, identity: str) -> Envelope | None:
        """Return what is known of an operation of this journal now, None if it has none; sends nothing to the recipient."""
        of = self.journal.operation(contract.recipient, identity=identity)
        if of is None:
            return None
        attempts = self.journal.attempts(of.key)
        return self._envelope(of, attempts[-1] if attempts else None)

    def ship(self) -> Shipped:
        """Tell the desk everything that it was not told yet, of every operation; call it again while some is waiting."""
        return shipping.ship(self.journal, self.desk, clock=self.clock)

    def _envelope(
        self,
        of: Known,
        attempt: Begun | None,
        *,
        hurry: bool = False,
        reason: str | None = None,
        reply: Reply | None = None,
    ) -> Envelope:
        told = shipping.ship(self.journal, self.desk, clock=self.clock, operation=of.key, hurry=hurry)
        operation = backlog.desk_id(self.journal, of.key)
        why = told.unreachable
        refused = None if attempt is None else backlog.refusal(self.journal, attempt.key)
        reason = reason or refused
        if why is None and operation is not None:
            try:
                whole = self.desk.operation(operation)
                if whole is not None:
                    grant = self.desk.grant(operation) if "repeat" in whole["standing"]["permitted"] else None
                    return envelope.from_desk(whole, of, attempt, grant=grant, reason=reason, reply=reply)
            except Unreachable as error:
                why = str(error)
            except (LookupError, TypeError, ValueError, AttributeError) as error:  # another version's: it said nothing
                why = f"the desk's answer could not be understood: {type(error).__name__}"
        word = Next.NOT_SENT if backlog.never_left(self.journal, of.key) else Next.HELD
        return envelope.from_journal(
            of, attempt, next_word=word, operation=operation, reason=reason or why, reply=reply
        )

    def _held(self, meant: Meant, held: Held) -> Envelope:
        """Return what a call comes back with that was not sent."""
        bound = meant.bound
        of: Known | None = None
        try:
            of = self.journal.operation(bound.recipient, identity=bound.identity)
        except JournalUnwritable:
            held.ask = False
        if of is not None and held.ask and held.next is Next.HELD:
            return self._envelope(of, held.attempt, reason=held.reason)
        return envelope.from_call(bound, held.attempt, next_word=held.next, tool=meant.tool, reason=held.reason)
