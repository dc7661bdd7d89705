"""A tool of an agent: it has a collection ticket issued, through a journal, a desk and a recipient that tests can break."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.client.doors import Door
from tests.client.nowhere import asked, tickets_contract
from tests.recipients.client import WAIT
from tests.recipients.fixtures import CollectionDesk
from unresolved import Attempt, Call, Envelope, Journal, Mode, OneShot, Recorder, Seen, guarded

TICKETS = tickets_contract()
NOWHERE = "http://127.0.0.1:9"  # nobody listens there
PATIENCE = 0.2  # seconds; what a lost reply is waited for


@dataclass(slots=True, kw_only=True)
class Parcels:
    """One agent's process: its tool is `issue`."""

    folder: Path
    door: Door
    origin: str
    mode: Mode = Mode.LOCAL
    patience: float = 10.0
    passed: list[str] = field(default_factory=list)
    name: str = "ops.db"
    ago: float = 0.0  # seconds by which it acts earlier, because the recipient wants some between two requests
    others: list["Parcels"] = field(default_factory=list)
    journal: Journal = field(init=False)
    recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        self.journal = Journal(self.folder / self.name)
        self.recorder = Recorder(
            journal=self.journal,
            desk=self.door,
            mode=self.mode,
            clock=lambda: time.time() - self.ago,
            passing=lambda step: self.passed.append(step),
        )

    def beside(self, *, name: str) -> "Parcels":
        """Return another agent, on a journal of this name; the same name is the same file."""
        other = Parcels(folder=self.folder, door=self.door, origin=self.origin, name=name)
        self.others.append(other)
        return other

    def close(self) -> None:
        """Let go of the journals."""
        for one in (self, *self.others):
            one.journal.close()

    @property
    def sender(self) -> OneShot:
        return OneShot(
            origin=self.origin,
            credentials=lambda: {"Authorization": "Bearer credential-of-one"},
            patience=self.patience,
        )

    def issue(self, order: str = "order-1001", *, parcel: str = "Cedar", place: str = "East", **more: Any) -> Envelope:
        """Call the guarded tool."""
        return self.tool(**more)(order=order, parcel=parcel, place=place)

    def tool(self, **more: Any) -> Callable[..., Envelope]:
        """The guarded tool."""

        @guarded(
            self.recorder,
            "issue_ticket",
            TICKETS,
            intent=lambda given: given["order"],
            request=lambda given: asked(parcel=given["parcel"], place=given["place"]),
            sender=more.get("sender", self.sender),
        )
        def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
            """Have one collection ticket issued."""
            return attempt.send()

        return issue_ticket

    def call(self, order: str = "order-1001", **more: Any) -> Call:
        """The same as a call of its own."""
        request = asked(**{name: more.pop(name) for name in ("parcel", "place") if name in more})
        return Call(
            tool="issue_ticket", contract=TICKETS, identity=order, request=request, **{"sender": self.sender, **more}
        )

    def collect(self, order: str = "order-1001") -> Envelope:
        """Ask what is known."""
        found = self.recorder.collect(TICKETS, identity=order)
        assert found is not None
        return found

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Read the journal's file as anybody may."""
        with closing(sqlite3.connect(self.folder / self.name)) as connection:
            return connection.execute(statement).fetchall()


def tickets(desk: CollectionDesk, order: str = "order-1001") -> int:
    """How many tickets there are for a request number, by the recipient's own truth."""
    return len(desk.control.tickets(order))


def until_issued(desk: CollectionDesk, number: int, order: str = "order-1001") -> None:
    """Wait until the recipient has done what it was asked by somebody who waits for no answer."""
    last = time.monotonic() + WAIT
    while tickets(desk, order) != number and time.monotonic() < last:
        time.sleep(0.01)
