"""Repairing our own record: one person, one receipt, one transaction; nothing is sent. Completing is recording's."""

from typing import TYPE_CHECKING
from uuid import UUID

from escalation.decisions.taking import Door, Taker, take
from escalation.models import RecordRepair
from escalation.policy import May
from operations import recording
from operations.core.actions import Action

if TYPE_CHECKING:
    from operations.models import Decision

NAME = "repair_record"


def repair_record(operation_id: UUID, taker: Taker, *, receipt: UUID | None, remark: str) -> RecordRepair:
    """Write what our record says, on this receipt, as decided by who saw the operation at that revision.

    Raises what `take` raises, and recording's `NotAReceipt`; then nothing is written.
    """

    def write(pen: recording.Pen, decision: "Decision") -> RecordRepair:
        return RecordRepair.objects.create(
            operation=pen.operation,
            completion=recording.complete(pen, receipt=receipt, by=taker.person.username),
            revision=decision.revision,
            standing=decision.standing,
            remark=remark,
            decided_at=taker.now,
            decided_by=taker.person,
        )

    def again(decision: "Decision") -> RecordRepair:
        return RecordRepair.objects.get(operation_id=decision.operation_id, revision=decision.revision)

    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Action.RECORD, may=May.REPAIR_RECORD),
        content={"receipt": None if receipt is None else str(receipt), "remark": remark},
        write=write,
        again=again,
    )
