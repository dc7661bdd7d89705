"""An agent that owns its socket: it records each attempt before the first byte, and what it learnt after the last.

What it knows is exactly what the product would be told about one operation, and nothing of what the desk really did.
"""

import json
from dataclasses import dataclass, field, replace

from escalation.rehearsing.desk import KEY, PARCEL, PLACE, Desk, Heard
from escalation.rehearsing.hearing import RECORD, REPLY, WIRE, Hearing
from operations.contracts.answer import Answer
from operations.core.facts import Attempt, Event, Facts, Operation, Seconds, Sends
from operations.core.representation import Representation


def request(*, scope: str) -> Representation:
    """What the agent sends, to the byte."""
    return Representation(
        method="POST",
        target=f"/desks/{PLACE}/tickets",
        headers=(("Content-Type", "application/json"), ("Idempotency-Key", KEY)),
        body=json.dumps({"parcel": PARCEL}).encode(),
        arguments=json.dumps({"parcel": PARCEL, "place": PLACE}).encode(),
        scope=scope,
        identity=KEY,
    )


@dataclass(slots=True)
class Agent:
    """One operation's sender at one desk.

    `sealed` says that it keeps no attempt to itself; `repeats_as` is the account under which a repeat would go out.
    It sends as account `one`. `collected`: whatever ticket there is after an attempt is handed over at once.
    """

    desk: Desk
    sealed: bool = True
    repeats_as: str = "one"
    collected: bool = False
    learnt: list[Attempt | Answer] = field(default_factory=list)

    def attempt(self) -> None:
        """Record the attempt, send once, record what came of it."""
        name = self._begin()
        seen = self.desk.ask_for_ticket(KEY)
        if seen.status is None:
            self._wire(name, seen.ended)
        else:
            self.learnt.append(self._answer(REPLY, seen, attempt=name))
        if self.collected:
            self.desk.collect_all()

    def fail_to_connect(self) -> None:
        """An attempt of which no byte was written: nobody listened there."""
        self._wire(self._begin(), "not_sent")

    def ask(self) -> None:
        """Ask the recipient's record, and keep what it says."""
        asked_at = self.desk.now()
        seen = self.desk.record(KEY)
        self.learnt.append(self._answer(RECORD, seen, asked_at=asked_at))

    def _begin(self) -> str:
        name = f"a{1 + sum(isinstance(one, Attempt) for one in self.learnt)}"
        self.learnt.append(Attempt(at=self.desk.now(), id=name, sends=Sends.ONE))
        return name

    def _wire(self, attempt: str, fact: str) -> None:
        self.learnt.append(
            Answer(channel=WIRE, received_at=self.desk.now(), authentic=True, attempt=attempt, fact=fact)
        )

    def _answer(
        self, channel: str, seen: Heard, *, attempt: str | None = None, asked_at: Seconds | None = None
    ) -> Answer:
        return Answer(
            channel=channel,
            received_at=self.desk.now(),
            authentic=True,
            asked_at=asked_at,
            attempt=attempt,
            status=seen.status,
            headers=seen.headers,
            body=seen.body,
        )

    def facts(self, hearing: Hearing) -> Facts:
        """Return what the product would know under the contract that `hearing` hears by."""
        scope = hearing.scope_of("one")
        sent = request(scope=scope)
        events: list[Event] = []
        for one in self.learnt:
            if isinstance(one, Attempt):
                events.append(replace(one, scope=scope))
            else:
                events += hearing.observations(one, request=sent)
        return Facts(
            contract=hearing.terms,
            operation=Operation(
                attempts_complete=self.sealed, identity_known=True, repeat_scope=hearing.scope_of(self.repeats_as)
            ),
            events=tuple(events),
        )
