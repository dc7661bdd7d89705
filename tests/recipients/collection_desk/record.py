"""The state of one operation, read off the acts done under its identity: the desk's strong record."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.recipients.collection_desk.ledger import Act, Did, Ticket
from tests.recipients.collection_desk.values import Arguments, stamp


@dataclass(slots=True)
class Record:
    """What the acts come to; `state` is the first of these that holds.

    issued: a ticket was issued, collected or not. received: a request is in work. pending: it was accepted for later.
    closed: it was ended, and nothing came since. refused: these bytes are refused for good. failed: a request ended
    without a ticket. absent: no request was admitted.
    """

    in_work: dict[str, float] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)
    tickets: list[str] = field(default_factory=list)
    closure: Act | None = None
    refusals: list[Act] = field(default_factory=list)
    failed: bool = False
    admitted_at: float | None = None

    @property
    def received_at(self) -> float | None:
        """When the first request that was admitted, or that is in work, was received."""
        return self.admitted_at if self.admitted_at is not None else min(self.in_work.values(), default=None)

    @property
    def state(self) -> str:
        """The state in the desk's own words."""
        held = {
            "issued": bool(self.tickets),
            "received": bool(self.in_work),
            "pending": bool(self.pending),
            "closed": self.closure is not None,
            "refused": bool(self.refusals),
            "failed": self.failed,
        }
        return next((state for state, holds in held.items() if holds), "absent")

    def add(self, act: Act) -> None:
        """Take one more act into account."""
        passage = act.passage or ""
        if act.did is Did.CLOSED:
            self._close(act)
        elif act.did is Did.RECEIVED:
            self.in_work[passage] = act.at
        elif act.did in ENDS:
            self._end(act, passage)

    def _close(self, act: Act) -> None:
        self.closure = act
        self.in_work.clear()
        self.pending.clear()

    def _end(self, act: Act, passage: str) -> None:
        received_at = self.in_work.pop(passage, act.at)
        self.pending.discard(passage)
        if act.did in ADMITS and self.admitted_at is None:
            self.admitted_at = received_at
        if act.did is Did.PENDING:
            self.pending.add(passage)
        elif act.did is Did.ISSUED and act.ticket is not None:
            self.tickets.append(act.ticket)
        elif act.did is Did.REFUSED:
            self.refusals.append(act)
        elif act.did is Did.FAILED:
            self.failed = True


ADMITS = {Did.PENDING, Did.ISSUED, Did.REFUSED, Did.FAILED}
ENDS = ADMITS | {Did.TURNED_AWAY, Did.REPLAYED}


def record_of(acts: Iterable[Act]) -> Record:
    """Return what these acts, all of one identity or of one passage, come to."""
    record = Record()
    for act in acts:
        record.add(act)
    return record


def ticket_view(ticket: Ticket) -> dict[str, Any]:
    """A ticket as the desk shows it."""
    return {
        "number": ticket.number,
        "place": ticket.place,
        "parcel": ticket.parcel,
        "issued_at": stamp(ticket.issued_at),
        "collected_at": stamp(ticket.collected_at),
    }


def closure_view(closure: Act | None) -> dict[str, Any] | None:
    """A closure as the desk shows it: when, and what it covers."""
    if closure is None:
        return None
    return {"closed_at": stamp(closure.at), "covers": closure.detail["covers"]}


def view(
    record: Record, *, key: str | None, arguments: Arguments | None, tickets: list[Ticket], as_of: float
) -> dict[str, Any]:
    """An operation as the desk shows it, identity and bound arguments first."""
    shown = [ticket_view(ticket) for ticket in tickets]
    return {
        "key": key,
        "place": arguments.place if arguments else None,
        "parcel": arguments.parcel if arguments else None,
        "state": record.state,
        "ticket": shown[0] if shown else None,
        "tickets": shown,
        "received_at": stamp(record.received_at),
        "closure": closure_view(record.closure),
        "covers_copies": bool(record.refusals),
        "as_of": stamp(as_of),
    }
