"""Whether sending a closing request again could take back what happened: what its link kept of the contract's promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from escalation.models import CloseOriginal
from operations.contracts.document import AfterEffect

if TYPE_CHECKING:
    from operations.models import Operation


def may_take_back(operation: Operation) -> bool:
    """Whether an operation closes another, and the contract did not rule out then that this takes back what happened."""
    return CloseOriginal.objects.filter(closing=operation).exclude(takes_back=AfterEffect.REFUSED.value).exists()
