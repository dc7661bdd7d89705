"""The peer's task: one message, one ask, one record. Imported by a worker once Django is set up."""

from datetime import UTC, datetime
from uuid import UUID

from celery import shared_task

from operations import asking


@shared_task
def ask_one(operation: str) -> None:
    """Ask about one operation and record what came, as the page "Ask the recipient" does."""
    asking.ask_now(UUID(operation), "record", clock=lambda: datetime.now(UTC), by="benchmark")
