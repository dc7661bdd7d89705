"""Operations that are due, in a benchmark's own database; imported once Django is set up."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

from operations import models
from tests.operations.polling.waiting import recipient, settings_at, waiting

# No pace of the contract's holds a figure up; it is kept all the same. One ask an operation: the next is an hour off.
FAST = {"per_second": 10_000_000.0, "min_interval": 3_600.0}
BATCH = 2_000

_recipients = count(1)
_numbers = count(1)


@contextmanager
def asked_at(url: str, *, at_once: int) -> Iterator[models.Contract]:
    """A recipient at this address; at the end of the block it is asked no more."""
    number = next(_recipients)
    key = "desk" if number == 1 else f"desk-{number}"
    os.environ.update(settings_at(url))
    contract = recipient(url, key=key, at_once=at_once, **FAST)
    try:
        yield contract
    finally:
        models.Recipient.objects.filter(id=contract.recipient_id).update(address="")


def due(contract: models.Contract, operations: int) -> list[UUID]:
    """So many more operations that were sent two hours ago without a reply."""
    begun_at = datetime.now(UTC) - timedelta(hours=2)
    found: list[UUID] = []
    while len(found) < operations:
        numbers = [next(_numbers) for _ in range(min(BATCH, operations - len(found)))]
        found += waiting(contract, numbers, begun_at=begun_at)
    return found


def recorded(operations: list[UUID]) -> int:
    """How many of these have an answer on record."""
    return models.Observation.objects.filter(operation_id__in=operations).count()
