"""Which operations close which, as the core looks at it: rows, read only."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Max

from operations import models
from operations.contracts.document import ClosingRequest, Document
from operations.contracts.loading import document_of
from operations.core.closing import Linked, Request
from operations.core.protection import Protection
from operations.core.standing import Situation, Standing
from operations.reading import read, seconds

_LINKED: Final = ("closing__recipient", "closing__contract", "operation__recipient", "operation__contract", "decision")


class NoClosingContract(Exception):
    """No contract describes the closing request as it would be sent; the message is a sentence with the way out."""


def of_original(original: models.Operation) -> list[models.Closing]:
    """Return the requests that were authorised to close an operation, the newest first."""
    return list(original.closings.select_related(*_LINKED).order_by("-position"))


def among(operations: Iterable[UUID]) -> frozenset[UUID]:
    """Return those of these operations that only close another: the other is what a person looks after."""
    found = models.Closing.objects.filter(closing__in=list(operations))
    return frozenset(found.values_list("closing_id", flat=True))


def link_of(closing: models.Operation) -> models.Closing | None:
    """Return what an operation closes, None where it closes nothing.

    Whoever locked the operation has asked already whether it does (`ends_another`).
    """
    if not getattr(closing, "ends_another", True):
        return None
    return models.Closing.objects.select_related(*_LINKED).filter(closing=closing).first()


def closes_another(number: int) -> bool:
    """Whether the operation with this number only closes another."""
    return models.Closing.objects.filter(closing__number=number).exists()


def request_of(link: models.Closing) -> Request:
    """Return what is known of a closing request, as the core looks at it."""
    row = link.closing
    leave = row.grants.filter(use=None).aggregate(until=Max("ends_at"))["until"]
    return Request(
        situation=Situation(row.situation),
        protection=Protection(row.protection),
        protection_until=None if row.protection_until is None else seconds(row.protection_until),
        sending=row.dispatches.filter(live=True).exists(),
        leave_until=None if leave is None else seconds(leave),
    )


def original_of(closing: models.Operation, *, now: datetime) -> Standing | None:
    """Return what is known of the operation that this one closes, None where it closes nothing."""
    link = link_of(closing)
    return None if link is None else read(link.operation).standing(now=now)


def linked(operation: models.Operation, *, now: datetime) -> Linked:
    """Return what an operation is linked to by closing; the requests to close it are read when they are looked at."""
    return Linked(original=original_of(operation, now=now), requests=_requests(operation))


def _requests(original: models.Operation) -> Iterator[Request]:
    for link in of_original(original):
        yield request_of(link)


def contract_for(original: models.Operation, closing: ClosingRequest) -> models.Contract:
    """Return the contract in force by which a closing request is an operation; raises `NoClosingContract`.

    It is the one of this name whose recipient is asked at the same address as the original's.
    """
    if closing.contract is None:
        raise NoClosingContract("Nobody described the closing request by a contract of its own, so it can't be sent.")
    found = list(_in_force_at(original, closing.contract))
    if len(found) != 1:
        many = "More than one recipient" if found else "No recipient"
        raise NoClosingContract(
            f"{many} with {original.recipient.name}'s address has the contract {closing.contract} in force;"
            " a contract editor can set that right."
        )
    _require_heard(document_of(found[0].document), closing)
    return found[0]


def _in_force_at(original: models.Operation, contract: str) -> list[models.Contract]:
    there = models.Recipient.objects.filter(address=original.recipient.address).exclude(id=original.recipient_id)
    newest = [row.contracts.exclude(published_at=None).order_by("-version").first() for row in there]
    return [row for row in newest if row is not None and document_of(row.document).contract == contract]


def _require_heard(document: Document, closing: ClosingRequest) -> None:
    """What the desk asks by itself is recorded many at once, each for its own operation alone."""
    for name in closing.heard_on:
        channel = document.channels.get(name)
        if channel is None or channel.pollable:
            raise NoClosingContract(
                f"The contract {closing.contract} has no channel {name} that is heard for the original:"
                " it isn't there, or the desk asks through it by itself."
            )
