"""An agent that owns its socket: it records each attempt before the first byte, and what it learnt after the last.

What it knows is exactly what the product would be told; the contract of the collection desk reads it.
"""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from operations.contracts.answer import Answer
from operations.contracts.document import Document
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of, library_text
from operations.contracts.terms import terms
from operations.core.facts import Attempt, Event, Facts, Mechanism, Operation, Sends
from operations.core.representation import Representation
from tests.recipients import client
from tests.recipients.fixtures import CollectionDesk

KEY, PARCEL, PLACE, SCOPE = "order-1", "Cedar", "East", "desk/one"
PATIENCE = 0.05  # seconds until the agent gives a held reply up; what it waits for is never coming by itself
_FACT = {client.Ended.TIMED_OUT: "timeout", client.Ended.RESET: "reset", client.Ended.CLOSED: "closed"}


def contract() -> Document:
    """The contract of the collection desk."""
    return document_of(library_text("collection-desk"))


def request() -> Representation:
    """What the agent sends, to the byte."""
    return Representation(
        method="POST",
        target=f"/desks/{PLACE}/tickets",
        headers=(("Content-Type", "application/json"), ("Idempotency-Key", KEY)),
        body=json.dumps({"parcel": PARCEL}).encode(),
        arguments=json.dumps({"parcel": PARCEL, "place": PLACE}).encode(),
        scope=SCOPE,
        identity=KEY,
    )


@dataclass(slots=True)
class Agent:
    """One operation's sender at one desk; `sealed` says that it keeps no attempt to itself."""

    desk: CollectionDesk
    sealed: bool = True
    protects: bool = True
    events: list[Event] = field(default_factory=list)

    def now(self) -> float:
        """The desk's time, finer than the milliseconds in which the desk dates what it says."""
        return float(self.desk.control.truth(KEY)["now"])

    def attempt(self, *, within: float = PATIENCE) -> None:
        """Record the attempt, send once, record what came of it."""
        name = f"a{1 + sum(isinstance(event, Attempt) for event in self.events)}"
        self.events.append(Attempt(at=self.now(), id=name, sends=Sends.ONE, scope=SCOPE))
        seen = self.desk.public.ask_for_ticket(KEY, place=PLACE, parcel=PARCEL, within=within)
        self._learn(seen, name)

    def fail_to_connect(self) -> None:
        """An attempt of which no byte was written: nobody listens there."""
        name = f"a{1 + sum(isinstance(event, Attempt) for event in self.events)}"
        self.events.append(Attempt(at=self.now(), id=name, sends=Sends.ONE, scope=SCOPE))
        self._read(Answer(channel="wire", received_at=self.now(), authentic=True, attempt=name, fact="not_sent"))

    def ask(self) -> None:
        """Ask the recipient's record, and keep what it says."""
        asked_at = self.now()
        seen = self.desk.public.get(f"/operations/{KEY}", cache_control="no-cache")
        assert seen.reply is not None
        self._read(replace(_answer("record", seen.reply, self.now()), asked_at=asked_at))

    def _learn(self, seen: client.Facts, name: str) -> None:
        if seen.reply is not None:
            self._read(replace(_answer("reply", seen.reply, self.now()), attempt=name))
            return
        fact = _FACT[seen.ended]
        self._read(Answer(channel="wire", received_at=self.now(), authentic=True, attempt=name, fact=fact))

    def _read(self, answer: Answer) -> None:
        sent = {event.id: event.at for event in self.events if isinstance(event, Attempt)}
        self.events += interpret(contract(), request=request(), answer=answer, sent=sent).observations(answer)

    def facts(self) -> Facts:
        """What the product would know."""
        promised = terms(contract())
        if not self.protects:
            promised = replace(promised, protection=replace(promised.protection, mechanism=Mechanism.NONE))
        return Facts(
            contract=promised,
            operation=Operation(attempts_complete=self.sealed, identity_known=True, repeat_scope=SCOPE),
            events=tuple(self.events),
        )


def _answer(channel: str, reply: client.Reply, now: float) -> Answer:
    headers: tuple[tuple[str, Any], ...] = tuple(reply.headers.items())
    return Answer(
        channel=channel, received_at=now, authentic=True, status=reply.status, headers=headers, body=reply.body
    )
