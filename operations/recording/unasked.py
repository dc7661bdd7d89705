"""What may have gone out before the desk could be asked is put on record, whatever it meets there: nothing is left out.

A caller that couldn't reach the desk kept the attempt in a journal of its own, and sent. To refuse it now would leave a
submission off the record, and the record would pass for complete (semantics.md, What can still act).
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from operations.recording.pen import writing
from operations.recording.registering import (
    Binding,
    Intent,
    Registered,
    attempt_row,
    open_about,
    register,
    require_same,
)

UNASKED: Final = "not asked before it could be sent"


def register_unasked(binding: Binding, *, intent: Intent, now: datetime, by: str) -> Registered:
    """Put an attempt on record that may have gone out, with its operation where that is not on record; again changes nothing.

    It takes no grant and is stopped by no open operation: `confronts` names one. Raises `NewProposal` where the identity
    is bound to something else, which no record of that operation can hold, and `AttemptDiffers`; then nothing is written.
    """
    signed = f"{by}, {UNASKED}"
    confronts = open_about(binding) if binding.subject else None
    found = register(binding, intent=intent, now=now, by=signed, independent=True)
    if not found.begun:
        _add(found, intent, now=now, by=signed)
    return replace(found, begun=True, confronts=confronts)


def _add(found: Registered, intent: Intent, *, now: datetime, by: str) -> None:
    """Append the attempt to an operation that another one opened, unless it came in meanwhile."""
    with writing(found.operation_id, now=now) as pen:
        known = pen.operation.attempts.filter(attempt=intent.attempt).first()
        if known is not None:
            require_same(known, intent)
            return
        pen.append(attempt_row(pen.operation, intent, number=pen.operation.attempts.count() + 1, now=now, by=by))
        pen.finish()
