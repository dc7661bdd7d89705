"""The desk in use: one command at a time, each in the journal before it is carried out, connections waiting meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tests.recipients.collection_desk.clock import Clock
from tests.recipients.collection_desk.desk import Desk, Hold, Outcome
from tests.recipients.collection_desk.journal import Journal
from tests.recipients.collection_desk.ledger import Act
from tests.recipients.collection_desk.programme import Instruction, Programme
from tests.recipients.collection_desk.strict import made
from tests.recipients.collection_desk.values import Answer, DeskError, Request

Result = TypeVar("Result")
LONGEST_WAIT = 60.0


class RunningDesk:
    """A desk for many threads. What is told for coming requests (`programme`) is not in the journal; all else is."""

    def __init__(self, *, clock: Clock, journal: Journal | None = None) -> None:
        self._clock = clock
        self._desk = Desk()
        self._journal: Journal | None = None
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiting: dict[str, Outcome | None] = {}
        self._stopping = False
        self._took_up = False
        self.programme = Programme()
        self.after_act: Callable[[Act], None] | None = None
        if journal is not None:
            self._take_up(journal)

    def _take_up(self, journal: Journal) -> None:
        for command in journal.read():
            self._replay(command)
            self._took_up = True
        self._journal = journal

    def _replay(self, command: dict[str, Any]) -> None:
        name, at, given = command["command"], command["at"], command["given"]
        try:
            if name == "advance":
                self._clock.advance(**given)
            elif name == "receive":
                request, instruction = Request.from_json(given["request"]), made(Instruction, given["instruction"])
                self._desk.receive(request, instruction=instruction, now=at)
            else:
                getattr(self._desk, name)(**given, now=at)
        except DeskError:
            return  # it was refused the first time too

    def now(self) -> float:
        """Return the time on the desk's clock."""
        return self._clock.now()

    def was_taken_up(self) -> bool:
        """Whether a journal was taken up that held commands."""
        return self._took_up

    @contextmanager
    def looking(self) -> Iterator[Desk]:
        """The desk as it stands, while nothing else happens."""
        with self._lock:
            yield self._desk

    # What comes over the wire.

    def serve(self, request: Request) -> Outcome:
        """Let a request in and return what becomes of its connection; returns only when nothing of it is held."""
        with self._lock:
            outcome = self._receive(request)
            while outcome.held is not None:
                outcome = self._wait(outcome.held)
            return outcome

    def _receive(self, request: Request) -> Outcome:
        instruction = self.programme.take(request)
        if not request.door.writes:
            outcome = self._desk.receive(request, instruction=instruction, now=self.now())
            self._changed.notify_all()
            return outcome
        given = {"request": request.as_json(), "instruction": instruction.as_json()}
        return self._carry_out(
            "receive", given, lambda now: self._desk.receive(request, instruction=instruction, now=now)
        )

    def _wait(self, passage_id: str) -> Outcome:
        self._waiting[passage_id] = None
        self._changed.wait_for(lambda: self._waiting[passage_id] is not None or self._stopping)
        return self._waiting.pop(passage_id) or Outcome()

    def _carry_out(self, name: str, given: dict[str, Any], work: Callable[[float], Result]) -> Result:
        now = self.now()
        if self._journal is not None:
            self._journal.write({"command": name, "at": now, "given": given})
        done = len(self._desk.ledger.acts)
        try:
            return work(now)
        finally:
            self._changed.notify_all()
            if self.after_act is not None:
                for act in self._desk.ledger.acts[done:]:
                    self.after_act(act)

    # What control says.

    def command(self, name: str, **given: Any) -> None:
        """Carry out `finish`, `collect`, `forget`, `catch_up` or `change_terms`; raises DeskError where it can't."""
        with self._lock:
            self._carry_out(name, given, lambda now: getattr(self._desk, name)(**given, now=now))

    def advance(self, by: float) -> None:
        """Move the clock forward by seconds."""
        with self._lock:
            self._carry_out("advance", {"by": by}, lambda _: self._clock.advance(by))

    def copy(self, passage_id: str) -> Answer | None:
        """Let a copy of an earlier request arrive, and return what the desk answers to it."""
        with self._lock:
            return self._carry_out("copy", {"passage_id": passage_id}, lambda now: self._desk.copy(passage_id, now=now))

    def let_go(self, passage_id: str, *, lost: bool) -> Outcome:
        """Release what is held, or let it get lost. What it does is done when this returns, whoever waits for it."""
        name = "lose" if lost else "release"
        move = self._desk.lose if lost else self._desk.release
        with self._lock:
            outcome = self._carry_out(name, {"passage_id": passage_id}, lambda now: move(passage_id, now=now))
            if passage_id in self._waiting:
                self._waiting[passage_id] = outcome
                self._changed.notify_all()
            return outcome

    def held(self, *, key: str | None = None, within: float = 0.0) -> list[Hold]:
        """Return what is held (of this key), waiting for the first of it at most `within` seconds."""

        def found() -> list[Hold]:
            return [hold for hold in self._desk.holds.values() if key in (None, hold.passage.request.key)]

        with self._lock:
            self._changed.wait_for(lambda: found() or self._stopping, timeout=min(within, LONGEST_WAIT))
            return found()

    def stop(self) -> None:
        """Let every connection that waits end."""
        with self._lock:
            self._stopping = True
            self._changed.notify_all()
            if self._journal is not None:
                self._journal.close()
                self._journal = None
