"""Which operations close which, and what may be done about both: rows, read only."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from operations import models
from operations.contracts.document import ClosingRequest, Document
from operations.contracts.loading import document_of
from operations.core.actions import Action
from operations.core.closing import Closing, in_its_place, to_close
from operations.core.permitted import Refusal, permitted
from operations.core.protection import Protection
from operations.core.standing import Situation, Standing
from operations.reading import Read, read

_ENDED: Final = (Situation.APPLIED.value, Situation.CLOSED.value)
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


def is_open(link: models.Closing, *, now: datetime) -> bool:
    """Whether a closing request may still be sent, or what became of it is not known.

    Where nothing of it can act it is open only while this desk is told to send it, or the agent may.
    """
    row = link.closing
    if row.situation in _ENDED:
        return False
    return row.situation != Situation.NOTHING_CAN_ACT or _waits(row, now=now)


def _waits(row: models.Operation, *, now: datetime) -> bool:
    """Whether this desk is told to send it, or the agent may."""
    return row.dispatches.filter(live=True).exists() or row.grants.filter(use=None, ends_at__gt=now).exists()


def another_open(original: models.Operation, *, now: datetime) -> bool:
    """Whether the same closing request is the question to ask: one may still be sent, or can be sent again and is open.

    One that is open, but not protected any more, keeps nobody from another: neither adds an effect to the original.
    """
    return any(_again(link, now=now) for link in of_original(original))


def _again(link: models.Closing, *, now: datetime) -> bool:
    row = link.closing
    if row.situation in _ENDED:
        return False
    until = row.protection_until
    protected = row.protection == Protection.ACTIVE and (until is None or now < until)
    return _waits(row, now=now) or (protected and row.situation != Situation.NOTHING_CAN_ACT)


def of_the_original(closing: models.Operation, *, now: datetime) -> Refusal | None:
    """Return why the original that an operation closes may not be closed now; what closes nothing has none.

    Whatever is sent to close it is sent while that is permitted, and not because it was when somebody decided it.
    """
    return _of_the_original(link_of(closing), now=now)


def _of_the_original(link: models.Closing | None, *, now: datetime) -> Refusal | None:
    return None if link is None else to_close(read(link.operation).standing(now=now), another_open=False)


def verdict(of: Read, standing: Standing, *, now: datetime) -> dict[Action | Closing, Refusal | None]:
    """Return what the core permits of an operation, whether it may be closed among it, and what it closes looked at."""
    row = of.operation
    link = link_of(row)
    found: dict[Action | Closing, Refusal | None] = {}
    found.update(permitted(standing).items())
    found[Action.REPEAT] = _of_the_original(link, now=now) or found[Action.REPEAT]
    for action in Action:
        found[action] = found[action] or in_its_place(standing, action, closes_another=link is not None)
    asked = standing.situation is Situation.OPEN and another_open(row, now=now)
    found[Closing.CLOSE_ORIGINAL] = to_close(standing, another_open=asked)
    return found


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
