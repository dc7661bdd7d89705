"""Repairing our own record: one person, one receipt, one transaction; nothing is sent.

The shape of every decision (design.md, rule 3): lock, infer again, compare the revision with what the person saw,
require the permission, write the decision with the snapshot that it stood on. Completing is recording's to do.
"""

from datetime import datetime
from uuid import UUID

from escalation.decisions.refused import NotAllowed, StaleView
from escalation.models import RecordRepair, User
from operations import recording


def may_repair_record(person: User) -> str | None:
    """Return None, or the sentence that says why this person may not repair records."""
    if person.has_perm("escalation.repair_record"):
        return None
    return "You may read, but not repair records; an administrator of this desk can allow it."


def _taken_already(pen: recording.Pen, *, person: User, revision: int, receipt: UUID | None) -> RecordRepair | None:
    """Return the same decision of the same person: a form that is sent twice decides once."""
    return RecordRepair.objects.filter(
        operation=pen.operation, revision=revision, decided_by=person, completion__receipt_id=receipt
    ).first()


def repair_record(
    operation_id: UUID, *, person: User, revision: int, receipt: UUID | None, remark: str, now: datetime
) -> RecordRepair:
    """Write what our record says, on this receipt, as decided by `person` who saw the operation at `revision`.

    Raises `NotAllowed`, `StaleView`, recording's `NotPermitted` and `NotAReceipt`, `reading.NoSuchOperation`; then
    nothing is written.
    """
    refused = may_repair_record(person)
    if refused is not None:
        raise NotAllowed(refused)
    with recording.writing(operation_id, now=now) as pen:
        taken = _taken_already(pen, person=person, revision=revision, receipt=receipt)
        if taken is not None:
            return taken
        if pen.operation.revision != revision:
            raise StaleView(f"seen at revision {revision}, now {pen.operation.revision}")
        completion = recording.complete(pen, receipt=receipt, by=person.username)
        pen.finish()
        return RecordRepair.objects.create(
            operation=pen.operation,
            completion=completion,
            revision=revision,
            standing=completion.standing,
            remark=remark,
            decided_at=now,
            decided_by=person,
        )
