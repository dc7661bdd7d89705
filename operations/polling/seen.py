"""What people see of the asking: an operation's plan, a recipient's pace and pause, and how many wait.

Read only. What can't be known without connecting (where a name leads) is judged at every ask and not guessed here.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from operations.channels.credentials import NetworksUnreadable, networks
from operations.channels.guard import Refused, check_literal, place
from operations.contracts.channel import Pacing
from operations.recording import outlook, pacing
from operations.recording.outlook import Counts

if TYPE_CHECKING:
    from operations import models


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A recipient as it is asked. `networks`: the private ones it may lie in. `refused`: why nothing is sent there."""

    recipient: "models.Recipient"
    pace: "models.Pace"
    pacing: Pacing
    networks: tuple[str, ...]
    refused: str | None
    counts: Counts
    failures: "tuple[models.Due, ...]"


def seen(key: str, *, now: datetime) -> Seen:
    """Return a recipient as it is asked now; raises `outlook.NoSuchRecipient`."""
    row = outlook.recipient(key)
    refused, allowed = _reach(row.key, row.address)
    return Seen(
        recipient=row,
        pace=pacing.pace_of(row.id),
        pacing=pacing.pacing_of(row.id),
        networks=allowed,
        refused=refused,
        counts=outlook.counts(row.id, now=now),
        failures=outlook.failures(row.id),
    )


def _reach(key: str, address: str) -> tuple[str | None, tuple[str, ...]]:
    try:
        allowed = networks(key, environ=os.environ)
    except NetworksUnreadable as unreadable:
        return str(unreadable), ()
    written = tuple([str(network) for network in allowed])
    if not address:
        return "The desk has no address of this recipient, so it asks nothing there.", written
    try:
        check_literal(place(address), networks=allowed)
    except Refused as refused:
        return str(refused), written
    return None, written


def plan_of(operation_id: UUID) -> "models.Due | None":
    """Return the plan of one operation; None where nothing is left to ask and nobody is needed."""
    return outlook.plan_of(operation_id)


def pace_of(recipient_id: int) -> "models.Pace":
    """Return the pace of one recipient; one that nobody asked yet is at rest."""
    return pacing.pace_of(recipient_id)
