"""What a recipient states again and again decides by its ends, so that a long record need not be read whole.

The theory. Of the claims below inference looks only at the earliest and the newest date, at whether one of them was
stated at all, and at whether an attempt, a closure or a refusal lies between a statement and its date (semantics.md, What
can still act; Conflict). So take the statements of one operation that say the same through the same channel (claim,
attempt, authenticity, correlation, effects, copies, end), and divide them at every date of an attempt, of a `closed` and of
an `attempt_refused`, into those before, at, and after it. What holds of one statement of such a part holds of all of them;
those that can decide, or that are named as a ground, are the first and the last by date and the first and the last on
record. The others may be left out, and any of them may be kept: the standing is the same, with the same grounds, at every
moment at which none of them is still to come, and the same but for the grounds at every other.

`applied` is not among them, since every receipt is a ground; nor is what counts only from a date on, or states an end.
"""

from typing import Final

from operations.core.facts import Claim

RESTATED: Final = frozenset({Claim.PENDING, Claim.ACCEPTED, Claim.ABSENT, Claim.INDETERMINATE})
# Beside the attempts: what divides by its date the statements before it from those after it.
TURNING: Final = frozenset({Claim.CLOSED, Claim.ATTEMPT_REFUSED})
