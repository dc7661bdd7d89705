"""Whose a message is, is looked for by the request number that it names, then by a reference that is known already."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from operations import reading
from operations.contracts.answer import Answer
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.contracts.named import named_in
from operations.recording import messages

if TYPE_CHECKING:
    from operations.models import Message


def operation_named(document: Document, answer: Answer, *, recipient_id: int) -> UUID | None:
    """Return the one operation that a message names, None where it names none on record, or several."""
    named = named_in(document, answer)
    if len(named.identities) > 1:
        return None
    for identity in named.identities:
        try:
            return reading.bound_as(identity, recipient=recipient_id).id
        except reading.NoSuchOperation:
            return None
    operations = messages.named_by(named.references, recipient_id=recipient_id) if named.references else []
    return operations[0] if len(operations) == 1 else None


def answer_of(message: Message) -> Answer:
    """Return a message as an answer that a contract can read; of its headers what its signature covers."""
    return Answer(
        channel=message.channel,
        received_at=reading.seconds(message.received_at),
        authentic=True,
        headers=tuple([(name, value) for name, value in message.signed]),
        body=bytes(message.payload),
    )


def named_by(message: Message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the request numbers and the references that a message names by the contract in force, each in order."""
    contract = reading.contract_in_force(message.recipient_id)
    if contract is None:
        return (), ()
    named = named_in(document_of(contract.document), answer_of(message))
    return tuple(sorted(named.identities)), tuple(sorted(named.references))


def operation_of(message: Message) -> UUID | None:
    """Return the one operation that a message names by the contract in force, if it is on record."""
    contract = reading.contract_in_force(message.recipient_id)
    if contract is None:
        return None
    return operation_named(document_of(contract.document), answer_of(message), recipient_id=message.recipient_id)
