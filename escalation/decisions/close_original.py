"""An original is closed at its recipient by a request of its own, which this desk sends or the agent with a grant.

design.md, rules 3 and 4: the closing request is bound, its one attempt authorised and both linked to the original in one
transaction; only then is anything sent, and nothing is sent again by itself. What its answer says of the original is the
contracts' to say (operations.reporting). A refused closing request settles nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from django.db import transaction
from kombu.exceptions import OperationalError

from escalation.decisions.taking import Door, Taker, take
from escalation.models import CloseOriginal
from escalation.models.protected_repeat import DESK
from escalation.policy import May
from operations import dispatch, reading, recording, tasks
from operations.binding import NotOfThisContract, binding_of
from operations.contracts.asked import carried_identity
from operations.contracts.closing import CannotClose, closing_representation, names_reference
from operations.contracts.document import ClosingRequest, Document
from operations.contracts.loading import document_of
from operations.contracts.references import known_references
from operations.core.closing import Closing
from operations.reading import closings
from operations.recording import dispatching, granting
from operations.recording.registering import operation_row

if TYPE_CHECKING:
    from operations.core.representation import Representation
    from operations.models import Contract, Decision

NAME: Final = "close_original"
# How long this desk may take to begin, and an agent to fetch its grant and begin.
DESK_WITHIN: Final = timedelta(minutes=2)
AGENT_WITHIN: Final = timedelta(minutes=15)

_NOBODY: Final = recording.Origin()
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The closing request as it would go out, the contract that it is an operation of, and what that of the original says.

    `reference` is the recipient's own to the original that it names, empty where it names it otherwise.
    """

    contract: Contract
    closing: ClosingRequest
    sent: Representation
    reference: str


def closing_request(read: reading.Read, *, number: str | None = None) -> Request:
    """Return the request that would close an original now; raises `CannotClose` with the sentence why there is none.

    Its request number is the one that it carries where it names the original by that, else `number` (by default a new
    one).
    """
    document = document_of(reading.judging(read.operation).document)
    closing = document.closing_request
    if isinstance(closing, str):
        raise CannotClose("The contract documents no request that closes.")
    try:
        contract = closings.contract_for(read.operation, closing)
    except closings.NoClosingContract as none:
        raise CannotClose(str(none)) from None
    reference = _reference(read) if names_reference(closing) else None
    number = number or f"close-{uuid4().hex}"
    sent = _representation(read, document, document_of(contract.document), reference=reference, number=number)
    return Request(contract=contract, closing=closing, sent=sent, reference=reference or "")


def _representation(
    read: reading.Read, document: Document, closing: Document, *, reference: str | None, number: str
) -> Representation:
    original = reading.representation(read.operation)
    sent = closing_representation(document, original, number=number, reference=reference)
    carried = carried_identity(closing, sent)
    if carried is None or carried == number:
        return sent
    return closing_representation(document, original, number=carried, reference=reference)


def _reference(read: reading.Read) -> str | None:
    """Return the one reference that counting answers have tied to the original; of two, either would be a guess."""
    known = known_references(read.standing(now=read.operation.assessed_at))
    return next(iter(known)) if len(known) == 1 else None


def as_sent_here(request: Request, *, now: datetime) -> dispatch.Prepared:
    """Return a closing request as this desk would send it; raises dispatch's `CannotSend`. Nothing is written."""
    return dispatch.prepared(operation_row(bound(request), now=now))


def bound(request: Request, *, origin: recording.Origin = _NOBODY, by: str = "") -> recording.Binding:
    """Return what a closing request is bound to, as an operation of its own; raises `CannotClose`."""
    try:
        return binding_of(request.contract, request.sent, origin=origin, authorised_by=by)
    except NotOfThisContract as wrong:
        raise CannotClose(f"The contract {request.closing.contract} is not about this request: {wrong}.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """What one decision writes beside itself, step by step."""

    request: Request
    executor: str
    taker: Taker

    def row(self, pen: recording.Pen, decision: Decision) -> CloseOriginal:
        """Bind the closing request, authorise its attempt, link it to the original, and write the door's row."""
        if dispatching.under_way(pen.operation.id) is not None:
            raise dispatching.UnderWay("This desk is sending the original's own request; wait for what comes of it.")
        closing = self._bound(pen)
        made = self._sent_here(closing) if self.executor == DESK else self._granted(closing, decision)
        recording.name_closing(
            pen, decision, closing=closing.operation, reference=self.request.reference, by=self.taker.person.username
        )
        closing.finish()  # linked first, so that whoever is told of it knows what it is
        return CloseOriginal.objects.create(
            decision=decision,
            operation=pen.operation,
            closing=closing.operation,
            executor=self.executor,
            takes_back=self.request.closing.takes_back.value,
            **made,
        )

    def _bound(self, pen: recording.Pen) -> recording.Pen:
        row, request = pen.operation, self.request
        origin = recording.Origin(agent=row.agent, run=row.run, call=row.call, tool=row.tool)
        by = self.taker.person.username
        try:
            return recording.bind_closing(pen, binding=bound(request, origin=origin, by=by), by=by)
        except recording.IdentityTaken:
            number = reading.bound_as(request.sent.identity, recipient=request.contract.recipient_id).number
            raise CannotClose(
                f"It was asked to close this already, by operation {number} under the same request number."
                " Whether that is sent again is decided on its own page."
            ) from None

    def _sent_here(self, closing: recording.Pen) -> dict[str, object]:
        ready = dispatch.prepared(closing.operation)
        attempt, _ = dispatching.authorise_send(
            closing,
            address=ready.reach.address,
            credential=ready.credential,
            send_by=closing.now + DESK_WITHIN,
            by=f"desk, for {self.taker.person.username}",
        )
        transaction.on_commit(lambda: _announce(attempt.id))
        return {"attempt": attempt}

    def _granted(self, closing: recording.Pen, decision: Decision) -> dict[str, object]:
        ends_at = closing.now + AGENT_WITHIN
        return {"grant": granting.grant(closing, decision, ends_at=ends_at, by=self.taker.person.username)}


def _announce(attempt: UUID) -> None:
    """A hint to the workers; without a broker the sweep finds the send a few seconds later (design.md, rule 5)."""
    try:
        tasks.send.apply_async((str(attempt),), retry=False)
    except OperationalError as error:
        log.warning("a closing request wasn't announced, the sweep will: %s", error)


def close_original(operation_id: UUID, taker: Taker, *, executor: str) -> CloseOriginal:
    """Authorise one request that closes an original; `executor` is `desk` or `agent`. Nothing is sent in here.

    Raises what `take` raises, `CannotClose`, dispatching's `UnderWay` and dispatch's `CannotSend`; then nothing is
    written.
    """
    request = closing_request(reading.operation(operation_id), number=f"close-{taker.form.hex}")
    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Closing.CLOSE_ORIGINAL, may=May.CLOSE_ORIGINAL),
        content={
            "executor": executor,
            "request_number": request.sent.identity,
            "request_digest": request.sent.digest,
            "method": request.sent.method,
            "target": request.sent.target,
            "scope": request.sent.scope,
            "takes_back": request.closing.takes_back.value,
        },
        write=_Writing(request=request, executor=executor, taker=taker).row,
        again=lambda decision: CloseOriginal.objects.get(decision=decision),
    )
