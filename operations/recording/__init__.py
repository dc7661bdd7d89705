"""The only writer of operations' rows: values in, rows out, one locked operation at a time."""

from operations.recording.attempting import NotPermitted, begin, require, seal
from operations.recording.completing import NotAReceipt, complete
from operations.recording.observing import Claimed, Observed, Report, observe
from operations.recording.pen import Pen, writing
from operations.recording.registering import (
    Binding,
    ConfrontsOpenOperation,
    Intent,
    NewProposal,
    Origin,
    Registered,
    register,
)

__all__ = [
    "Binding",
    "Claimed",
    "ConfrontsOpenOperation",
    "Intent",
    "NewProposal",
    "NotAReceipt",
    "NotPermitted",
    "Observed",
    "Origin",
    "Pen",
    "Registered",
    "Report",
    "begin",
    "complete",
    "observe",
    "register",
    "require",
    "seal",
    "writing",
]
