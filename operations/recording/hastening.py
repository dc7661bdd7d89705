"""A person has the desk ask sooner than it would by itself: the schedule moves, and nothing else.

The recipient's pace and its wish to be left alone hold all the same, as for every ask that the desk makes.
"""

from datetime import datetime
from uuid import UUID

from operations import models
from operations.recording import planning
from operations.recording.pen import writing


class CantHasten(Exception):
    """It stays as it was; the message is the sentence that says why."""


def hasten(operation_id: UUID, *, now: datetime) -> None:
    """Let the next sweep ask about an operation; raises `CantHasten`, and `reading.NoSuchOperation`."""
    with writing(operation_id, now=now) as pen:
        due = models.Due.objects.select_for_update().filter(operation_id=operation_id).first()
        found = None if due is None else planning.soonest(pen.operation, due)
        if due is None or found is None:
            raise CantHasten("The desk can't ask about it by itself, or has nothing left to ask.")
        if due.leased_until is not None and due.leased_until > now:
            raise CantHasten("It is being asked about right now.")
        opens_at, channel = found
        if opens_at > now:
            raise CantHasten(f"It may not be asked about before {opens_at:%Y-%m-%d %H:%M:%S} UTC.")
        due.at, due.channel = now, channel
        due.save(update_fields=["at", "channel"])
