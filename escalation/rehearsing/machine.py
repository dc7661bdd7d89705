"""A collection desk in memory: the desk's own code without sockets, on a clock that only the rehearsal moves.

It is imported when a rehearsal begins and not before: the desk ships beside the product, in tests/recipients.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from escalation.rehearsing.desk import PARCEL, PLACE, Heard, UnknownTerm
from operations.core.facts import Seconds
from tests.recipients.collection_desk.desk import Desk, Outcome
from tests.recipients.collection_desk.programme import Instruction, Programme
from tests.recipients.collection_desk.serving import written
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import DeskError, Door, Request

START: Final = 1_800_000_000.0
A_MESSAGE_TAKES: Final = 1.0


class Machine:
    """A desk of its own on these terms. Every message takes a second, so that no two things have one date.

    Raises `UnknownTerm`.
    """

    def __init__(self, terms: Mapping[str, Any]) -> None:
        try:
            self._desk = Desk(Terms(**terms))
        except (DeskError, TypeError) as wrong:
            raise UnknownTerm(str(wrong).replace("Terms.__init__()", "The desk")) from None
        self._programme = Programme()
        self._now = START

    def now(self) -> Seconds:
        """Return the desk's time."""
        return self._now

    def advance(self, seconds: Seconds) -> None:
        """Move the desk's clock forward."""
        self._now += seconds

    def tell(self, *, key: str, **instruction: Any) -> None:
        """Say what to do with the next request under this key."""
        self._programme.tell(Instruction(key=key, **instruction))

    def _send(self, request: Request) -> Heard:
        self._now += A_MESSAGE_TAKES
        outcome = self._desk.receive(request, instruction=self._programme.take(request), now=self._now)
        return self._heard(outcome)

    def _heard(self, outcome: Outcome) -> Heard:
        if outcome.held is not None:
            return Heard(ended="timeout")
        if outcome.answer is None or outcome.truncated:
            return Heard(ended=outcome.ending)
        head, _, body = written(outcome.answer, now=self._now, closing=True).partition(b"\r\n\r\n")
        lines = [line.partition(": ") for line in head.decode("latin-1").split("\r\n")[1:]]
        headers = tuple([(name.lower(), value) for name, _, value in lines])
        return Heard(status=outcome.answer.status, headers=headers, body=body)

    def ask_for_ticket(self, key: str, *, account: str = "one") -> Heard:
        """Send one request for a ticket, once."""
        body = json.dumps({"parcel": PARCEL}).encode()
        return self._send(Request(door=Door.TICKETS, subject=PLACE, key=key, account=account, body=body))

    def close(self, key: str) -> None:
        """Ask for an operation to be ended."""
        self._send(Request(door=Door.CLOSE, subject=key, key=key, account="one"))

    def record(self, key: str) -> Heard:
        """Ask the strong record about one key."""
        return self._send(Request(door=Door.OPERATION, subject=key, key=key, account="one", no_cache=True))

    def held(self, key: str) -> list[str]:
        """Return the passages of this key that are on their way or in work."""
        return [name for name, hold in self._desk.holds.items() if hold.passage.request.key == key]

    def release(self, passage: str) -> None:
        """Let what is held go on."""
        self._now += A_MESSAGE_TAKES
        self._desk.release(passage, now=self._now)

    def pending(self, key: str) -> list[str]:
        """Return the passages of this key that were accepted for later."""
        return [name for name, passage in self._desk.clerk.pending.items() if passage.request.key == key]

    def finish(self, passage: str, *, handling: str) -> None:
        """End what was accepted for later."""
        self._desk.finish(passage, handling=handling, now=self._now)

    def copy_all(self, key: str) -> None:
        """Let a late copy of every request of this key arrive."""
        sent = [one for one in self._desk.ledger.passages.values() if one.request.key == key and one.copy_of is None]
        for passage in sent:
            self._now += A_MESSAGE_TAKES
            self._desk.copy(passage.id, now=self._now)

    def collect_all(self) -> None:
        """Hand every parcel over."""
        for ticket in list(self._desk.ledger.tickets.values()):
            if ticket.collected_at is None:
                self._desk.collect(ticket.number, now=self._now)

    def tickets(self, key: str) -> int:
        """Return how many tickets were issued for requests that carried this key."""
        return sum(ticket.key == key for ticket in self._desk.ledger.tickets.values())
