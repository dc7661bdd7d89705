"""A closing request is bound as an operation of its own without any send, and linked to the original that it closes.

It carries nothing of the original's intent. What its answers say of the original is recorded on the original by whoever
records them (operations.reporting), in the same transaction.
"""

from operations import models
from operations.models.identifiers import uuid7
from operations.recording.pen import Pen
from operations.recording.registering import Binding
from operations.recording.succeeding import bound_unsent


def bind_closing(pen: Pen, *, binding: Binding, by: str) -> Pen:
    """Bind the request that closes the locked original, sealed and unsent, and return a pen for it.

    The caller authorises its first attempt with that pen, finishes it, and links it (`name_closing`). Raises
    `IdentityTaken`; then nothing is written.
    """
    row = bound_unsent(binding, now=pen.now)
    fresh = Pen(row, now=pen.now)
    fresh.append(models.Seal(id=uuid7(pen.now), operation=row, sealed_at=pen.now, sealed_by=by))
    row.sealed = True
    return fresh


def name_closing(
    pen: Pen, decision: models.Decision, *, closing: models.Operation, reference: str, by: str
) -> models.Closing:
    """Link the request that closes the locked original; `reference` is the recipient's own that it names, or empty."""
    row = models.Closing(
        id=uuid7(pen.now),
        operation=pen.operation,
        closing=closing,
        decision=decision,
        reference=reference,
        named_at=pen.now,
        named_by=by,
    )
    pen.append(row)
    return row
