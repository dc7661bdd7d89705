"""What the worker does for rehearsals: one line, and the clock."""

from contextlib import suppress
from datetime import UTC, datetime

from celery import shared_task

from escalation.rehearsing.keeping import BeingRehearsed, rehearse_and_keep


@shared_task(ignore_result=True)
def rehearse(recipient: str, version: int, number: int, by: int) -> None:
    """Rehearsal `number` of a contract version is kept; a message that comes twice, or meets another, changes nothing."""
    with suppress(BeingRehearsed):
        rehearse_and_keep(recipient, version=version, number=number, by=by, now=datetime.now(tz=UTC))
