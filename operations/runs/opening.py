"""An operation is opened from a call that a record shows: under its contract, with its record not complete.

What the record does not show stays unknown: without the request number in it nothing says what was sent, so nothing
protects a repeat (semantics.md, Protection: `identity_unknown`). The attempt is the runtime's word that it asked, dated as
early as it can have been; that it was sent once nobody claims.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import transaction

from operations.binding import NotOfThisContract, binding_of
from operations.contracts.asked import carried_identity
from operations.contracts.loading import document_of
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.imports import Call
from operations.recording import Binding, ConfrontsOpenOperation, Intent, NewProposal, Origin, register
from operations.recording import runs as recording

if TYPE_CHECKING:
    from operations.models import Call as CallRow
    from operations.models import Contract

LONGEST_ID: Final = 128
LONGEST_LABEL: Final = 200
_IN_HEADER: Final = "/headers/"


class NotShown(Exception):
    """The record shows no such request number, so it can't be said that it was sent."""


class OnRecord(Exception):
    """An operation is on record for what the call asked for: the call can be bound to that one."""

    def __init__(self, operation_id: UUID) -> None:
        super().__init__("an operation is on record for what this call asked for")
        self.operation_id = operation_id


def request_of(
    contract: Contract, call: Call, *, run_id: int, target: str, scope: str, identity: str
) -> Representation:
    """Return the request that a call asked for, as far as its record shows it; raises `NotShown`.

    `identity` is the request number, "" where the record shows none: then the operation goes by a name of this desk's.
    """
    document = document_of(contract.document)
    arguments = call.arguments if isinstance(call.arguments, str) else "{}"
    shown = [arguments, *[output.text for output in call.outputs]]
    if identity and not any(identity in text for text in shown):
        raise NotShown
    carrier = document.identity.carrier
    headers: tuple[tuple[str, str], ...] = ()
    if identity and carrier is not None and carrier.at.startswith(_IN_HEADER):
        headers = ((carrier.at.removeprefix(_IN_HEADER), identity),)
    asked = Representation(
        method=document.request.method,
        target=target,
        headers=headers,
        body=arguments.encode(),
        arguments=arguments.encode(),
        scope=scope,
        identity=identity or f"run {run_id}, call {call.call_id}"[:LONGEST_LABEL],
    )
    carried = None if identity else carried_identity(document, asked)
    return asked if carried is None else replace(asked, identity=carried)


def open_operation(
    contract: Contract, row: CallRow, call: Call, asked: Representation, *, begun_at: datetime, by: str, now: datetime
) -> UUID:
    """Register what a call asked for and bind the call to it; return the operation's id.

    Raises `NotOfThisContract`, `OnRecord` (also where an open operation is about the same thing) and
    `recording.AlreadyBound`; then nothing is written.
    """
    origin = Origin(run=row.run.name, call=call.call_id[:LONGEST_LABEL], tool=(call.name or "")[:LONGEST_LABEL])
    binding = binding_of(contract, asked, origin=origin)
    intent = Intent(attempt=_attempt(row), sends=Sends.MANY, scope=asked.scope, begun_at=begun_at)
    with transaction.atomic():
        found = _registered(binding, intent, by=by, now=now)
        recording.bind(row, found, by=by, now=now)
    return found


def _attempt(row: CallRow) -> str:
    return f"run {row.run_id}, call {row.pk}"[:LONGEST_ID]


def _registered(binding: Binding, intent: Intent, *, by: str, now: datetime) -> UUID:
    try:
        found = register(binding, intent=intent, now=now, by=by)
    except (ConfrontsOpenOperation, NewProposal) as there:
        raise OnRecord(there.operation_id) from None
    if not found.created:
        raise OnRecord(found.operation_id)
    return found.operation_id


__all__ = ["NotOfThisContract", "NotShown", "OnRecord", "open_operation", "request_of"]
