"""What is at stake by an operation, as far as its contract says where the request names it; else it is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from escalation.models.money import Money
from operations import reading
from operations.contracts.loading import document_of
from operations.contracts.stake import stake_of

if TYPE_CHECKING:
    from operations.core.representation import Representation
    from operations.models import Operation


def at_stake(row: Operation, request: Representation | None = None) -> Money | None:
    """Return the amount that an operation is about, or another `request` to its recipient; None where it is not known."""
    document = document_of(reading.judging(row).document)
    found = stake_of(document, reading.representation(row) if request is None else request)
    return None if found is None else Money(*found)
