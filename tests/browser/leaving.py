"""Operations that were left, came back and contradict themselves, for the browser."""

from datetime import datetime, timedelta
from uuid import uuid4

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.taking import Taker
from escalation.models import User
from operations import recording
from operations.core.missing import Fact
from tests.escalation.building import HOUR, Made, operation

MINUTE = timedelta(minutes=1)


def lost(now: datetime, identity: str = "order-1001", *, parcel: str = "Cedar") -> Made:
    """An operation whose reply was lost, two hours ago."""
    made = operation(identity, now=now - 2 * HOUR, parcel=parcel, deadline=now + 3 * HOUR)
    made.timed_out(now=now - 2 * HOUR + MINUTE)
    return made


def left(made: Made, person: User, *, now: datetime, fact: Fact = Fact.WHETHER_IT_HAPPENED, told: str = "") -> Made:
    """The same, left unresolved until the next day."""
    taker = Taker(person=person, revision=made.row.revision, once=uuid4(), now=now)
    leave_unresolved(
        made.id,
        taker,
        fact=fact,
        told=told or "Ada Brandt, ada@collection.example",
        look_again_at=now + 22 * HOUR,
        remark="Called the desk at noon; nobody could look it up before tomorrow.",
    )
    return made


def torn(now: datetime, identity: str = "order-3003", *, parcel: str = "Ash") -> Made:
    """An operation that happened, by one statement, and was closed, by another."""
    made = operation(identity, now=now - 2 * HOUR, parcel=parcel)
    made.issued("T-1001", now=now - HOUR)
    made.recorded("closed", now=now - 30 * MINUTE)
    return made


def contradicted(now: datetime) -> Made:
    """An operation that our record says happened, and that the recipient then said was closed."""
    made = operation("order-4004", now=now - 3 * HOUR, parcel="Rowan")
    made.issued("T-1004", now=now - 2 * HOUR)
    with recording.writing(made.id, now=now - 2 * HOUR + MINUTE) as pen:
        recording.complete(pen, receipt=made.row.observations.get().id, by="keeper")
        pen.finish()
    made.recorded("closed", now=now - MINUTE)
    return made


def came_back(now: datetime, person: User) -> Made:
    """An operation that was left and of which more is known since."""
    made = left(lost(now, "order-5005", parcel="Linden"), person, now=now - 10 * MINUTE)
    made.recorded("pending", now=now - MINUTE)
    return made
