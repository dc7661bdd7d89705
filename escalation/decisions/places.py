"""What is sent to close an original is decided for the original, too: by the rules of both recipients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from escalation.policy import May, second_person_needed
from operations.reading import closings

if TYPE_CHECKING:
    from escalation.models.money import Money
    from operations.models import Operation


def may_repeat(operation: Operation) -> May:
    """Return what a person must be allowed to have a request sent again: of one that closes another, to close that."""
    return May.REPEAT if closings.link_of(operation) is None else May.CLOSE_ORIGINAL


def places_of(may: May, operation: Operation) -> tuple[int, ...]:
    """Return the recipients (row ids) whose rules hold: the operation's, and that of what it closes."""
    link = closings.link_of(operation) if may is May.CLOSE_ORIGINAL else None
    return (operation.recipient_id,) if link is None else (operation.recipient_id, link.operation.recipient_id)


def why_two(may: May, operation: Operation, *, amount: Money | None) -> str | None:
    """Return None, or the sentence of the first rule by which this takes a second person."""
    asked = [second_person_needed(may, recipient=here, amount=amount) for here in places_of(may, operation)]
    return next((rule for rule in asked if rule is not None), None)
