"""The desk's own truth: every request that was sent, everything that was done, every ticket, in order and never changed.

Only a ticket that is handed over is marked `collected_at`. Nothing here is inferred, and nothing is ever told to the
product under test except through the record and the lists.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from tests.recipients.collection_desk.values import DeskError, Identity, Request

MOST_ACTS: Final = 500_000
ACTS_OF_ONE: Final = 10  # more than one request can lead to by itself
FIRST_NUMBER: Final = 1001


class Did(StrEnum):
    """What was done. `lost`, `held`, `released` and `answered` befall the message, the rest is the desk's work."""

    LOST = "lost"
    HELD = "held"
    RELEASED = "released"
    RECEIVED = "received"
    PENDING = "pending"
    ISSUED = "issued"
    FAILED = "failed"
    REFUSED = "refused"
    TURNED_AWAY = "turned_away"
    REPLAYED = "replayed"
    CLOSED = "closed"
    COLLECTED = "collected"
    FORGOTTEN = "forgotten"
    ANSWERED = "answered"


class LedgerFull(DeskError):
    """The desk has done all that it will remember."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One request that left its sender, whatever became of it. `sent_at` of a copy is that of its original."""

    id: str
    at: float
    sent_at: float
    request: Request
    identity: Identity | None
    copy_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing done, by whichever passage (None: by control)."""

    number: int
    at: float
    did: Did
    passage: str | None = None
    identity: Identity | None = None
    ticket: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One protected effect. `key` is what the request carried, known to the desk or not."""

    number: str
    place: str
    parcel: str
    key: str | None
    account: str | None
    identity: Identity | None
    passage: str
    issued_at: float
    collected_at: float | None = None


class Ledger:
    """Passages, acts and tickets, in the order in which they happened."""

    def __init__(self, *, most_acts: int = MOST_ACTS) -> None:
        self._most_acts = most_acts
        self.passages: dict[str, Passage] = {}
        self.acts: list[Act] = []
        self.tickets: dict[str, Ticket] = {}
        self.reads: Counter[str] = Counter()
        self._by_identity: dict[Identity, list[Act]] = defaultdict(list)
        self._by_passage: dict[str, list[Act]] = defaultdict(list)

    def pass_on(self, request: Request, *, at: float, identity: Identity | None, copy_of: str | None = None) -> Passage:
        """Note that this request was sent, and return it with its id; what reads gets an id that is not kept.

        Raises LedgerFull unless there is room for all that may be done about it.
        """
        original = self.passages.get(copy_of) if copy_of else None
        if not request.door.writes:
            self.reads[request.door] += 1
            return Passage(id=f"r{self.reads.total()}", at=at, sent_at=at, request=request, identity=identity)
        if len(self.acts) + ACTS_OF_ONE > self._most_acts:
            raise LedgerFull("The ledger is full.")
        passage = Passage(
            id=f"p{len(self.passages) + 1}",
            at=at,
            sent_at=original.sent_at if original else at,
            request=request,
            identity=identity,
            copy_of=copy_of,
        )
        self.passages[passage.id] = passage
        return passage

    def write(
        self,
        did: Did,
        *,
        at: float,
        passage: str | None = None,
        identity: Identity | None = None,
        ticket: str | None = None,
        **detail: Any,
    ) -> Act:
        """Add an act."""
        number = len(self.acts) + 1
        act = Act(number=number, at=at, did=did, passage=passage, identity=identity, ticket=ticket, detail=detail)
        self.acts.append(act)
        if identity is not None:
            self._by_identity[identity].append(act)
        if passage is not None:
            self._by_passage[passage].append(act)
        return act

    def issue(self, passage: Passage, *, at: float) -> Ticket:
        """Issue the next ticket for what this passage asks."""
        arguments = passage.request.arguments
        assert arguments is not None, "what is malformed was turned away before"
        ticket = Ticket(
            number=f"T-{FIRST_NUMBER + len(self.tickets)}",
            place=arguments.place,
            parcel=arguments.parcel,
            key=passage.request.key,
            account=passage.request.account,
            identity=passage.identity,
            passage=passage.id,
            issued_at=at,
        )
        self.tickets[ticket.number] = ticket
        self.write(Did.ISSUED, at=at, passage=passage.id, identity=passage.identity, ticket=ticket.number)
        return ticket

    def collect(self, number: str, *, at: float) -> Ticket:
        """Hand the parcel over: the ticket leaves the list of what exists now and stays in the history."""
        ticket = self.tickets.get(number)
        if ticket is None or ticket.collected_at is not None:
            raise DeskError(f"There is no ticket {number} to collect.")
        self.tickets[number] = replace(ticket, collected_at=at)
        self.write(Did.COLLECTED, at=at, identity=ticket.identity, ticket=number)
        return self.tickets[number]

    def exists(self, number: str | None) -> bool:
        """Whether this ticket was issued and not collected."""
        ticket = self.tickets.get(number or "")
        return ticket is not None and ticket.collected_at is None

    def acts_of(self, identity: Identity) -> list[Act]:
        """Return what was done under this identity."""
        return self._by_identity.get(identity, [])

    def acts_by(self, passage: str) -> list[Act]:
        """Return what was done for this passage."""
        return self._by_passage.get(passage, [])
