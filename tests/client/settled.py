"""What the recipient's record says of an operation reaches the desk without the agent."""

from datetime import UTC, datetime
from uuid import UUID

from operations import recording
from operations.core.facts import Correlation


def settled(operation: str, says: str = "applied") -> None:
    """The desk read a strong record that says so of the operation: `applied` or `closed`."""
    now = datetime.now(UTC)
    told = recording.Report(event=f"record {says}", channel="record", received_at=now, authentic=True, asked_at=now)
    said = recording.Claimed(
        rule=says,
        reaches="effect",
        because=f"The ledger says {says}.",
        says=says,
        as_of=now,
        correlation=Correlation.OPERATION,
        authentic=True,
    )
    recording.observe(UUID(operation), told, claimed=said, now=now, source="the desk")
