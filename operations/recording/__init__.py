"""The only writer of operations' rows: values in, rows out, one locked operation at a time."""

from operations.recording.attempting import NotPermitted, begin, require, seal
from operations.recording.closing import bind_closing, name_closing
from operations.recording.completing import NotAReceipt, complete
from operations.recording.deciding import decide, decided_already, refrain
from operations.recording.observing import Claimed, EventDiffers, Observed, Report, observe
from operations.recording.pen import Pen, writing
from operations.recording.registering import (
    AttemptDiffers,
    Binding,
    ConfrontsOpenOperation,
    Intent,
    NewProposal,
    Origin,
    Registered,
    register,
)
from operations.recording.registering_many import Outcome, Wanted, register_many
from operations.recording.succeeding import IdentityTaken, name_successor, succeed
from operations.recording.unasked import register_unasked

__all__ = [
    "AttemptDiffers",
    "Binding",
    "Claimed",
    "ConfrontsOpenOperation",
    "EventDiffers",
    "IdentityTaken",
    "Intent",
    "NewProposal",
    "NotAReceipt",
    "NotPermitted",
    "Observed",
    "Origin",
    "Outcome",
    "Pen",
    "Registered",
    "Report",
    "Wanted",
    "begin",
    "bind_closing",
    "complete",
    "decide",
    "decided_already",
    "name_closing",
    "name_successor",
    "observe",
    "refrain",
    "register",
    "register_many",
    "register_unasked",
    "require",
    "seal",
    "succeed",
    "writing",
]
