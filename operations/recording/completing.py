"""Our own record is repaired from a receipt, or from a standing that excludes any effect; nothing is sent."""

from uuid import UUID

from operations import models
from operations.core.actions import Action
from operations.core.facts import Claim
from operations.core.scenario import answer
from operations.core.standing import Evidence
from operations.models.completion import APPLIED, NO_EFFECT
from operations.models.identifiers import uuid7
from operations.recording.attempting import require
from operations.recording.pen import Pen


class NotAReceipt(Exception):
    """The observation is no receipt of this outcome: it does not count, or says something else."""


def _receipt(pen: Pen, observation_id: UUID, *, says: Claim) -> models.Reading:
    found = pen.read()
    settles_nothing = {index for index, _ in found.standing(now=pen.now).not_counted}
    for index, row in enumerate(found.rows):
        if isinstance(row, models.Reading) and row.observation_id == observation_id:
            if row.says == says and index not in settles_nothing:
                return row
            break
    raise NotAReceipt(f"{observation_id} is not a receipt that says {says}")


def complete(pen: Pen, *, receipt: UUID | None, by: str) -> models.Completion:
    """Write what our record says now, in the caller's transaction; raises `NotPermitted` and `NotAReceipt`.

    `receipt` is the observation it rests on; an outcome without effect may rest on the standing alone.
    """
    require(pen, Action.RECORD)
    standing = pen.read().standing(now=pen.now)
    happened = standing.evidence is Evidence.APPLIED
    claim = _receipt(pen, receipt, says=Claim.APPLIED if happened else Claim.CLOSED) if receipt is not None else None
    if happened and claim is None:
        raise NotAReceipt("an effect is recorded from its receipt")
    row = models.Completion(
        id=uuid7(pen.now),
        operation=pen.operation,
        outcome=APPLIED if happened else NO_EFFECT,
        receipt_id=receipt,
        effect_ref=claim.effect_refs[0] if claim is not None and claim.effect_refs else "",
        standing=answer(standing),
        completed_at=pen.now,
        completed_by=by,
    )
    pen.append(row)
    return row
