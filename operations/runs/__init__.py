"""Records that people bring in become runs with calls; what they show is read together, and never says what happened.

A record is cleared of what must not be kept before anything of it is stored, and what is dropped is said. Its authority
is that of a runtime's record at most: nothing here changes what is known of an operation (docs/imports.md).
"""

from operations.runs.bringing import Brought, Preview, TooManyRecords, bring, keep, preview
from operations.runs.checking import Checked, NotCheckable, check, choices
from operations.runs.evidencing import bind
from operations.runs.linking import NotProbable, confirm, probable
from operations.runs.shown import calls_of, shown_call

__all__ = [
    "Brought",
    "Checked",
    "NotCheckable",
    "NotProbable",
    "Preview",
    "TooManyRecords",
    "bind",
    "bring",
    "calls_of",
    "check",
    "choices",
    "confirm",
    "keep",
    "preview",
    "probable",
    "shown_call",
]
