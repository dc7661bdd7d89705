"""A recipient's own messages are heard: proven, stored whole, and only then given to the operation that they name.

Storing and judging are two transactions: what was answered with 2xx is on record, whatever dies next, and the sweep
judges what was not judged (design.md, rule 7). Whose a message is, is looked for by the request number that it names,
then by a reference to the effect that is known already; the link is a pointer, and what the contract reads is what counts.
"""

from operations.channels.webhook import NotProven
from operations.listening.finding import named_by
from operations.listening.hearing import CannotProve, Heard, NoSuchEar, hear, refuse
from operations.listening.judging import FAILS, AnotherRecipient, dismiss, judge, link, sweep
from operations.recording.messages import AlreadyLinked, Busy, NoSuchMessage, TooMany

__all__ = [
    "FAILS",
    "AlreadyLinked",
    "AnotherRecipient",
    "Busy",
    "CannotProve",
    "Heard",
    "NoSuchEar",
    "NoSuchMessage",
    "NotProven",
    "TooMany",
    "dismiss",
    "hear",
    "judge",
    "link",
    "named_by",
    "refuse",
    "sweep",
]
