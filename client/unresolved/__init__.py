"""The agent's side of Unresolved: the intent is on record before the first byte leaves, and nothing is sent twice unasked."""

from unresolved.attempting import Attempt, NoSender, reply_of
from unresolved.background import Shipper
from unresolved.carriers import BodyField, Carrier, Contract, Header, NotCarried
from unresolved.carrying import NotAuthorised, carry_out
from unresolved.desk import Desk, Unreachable
from unresolved.envelope import Envelope
from unresolved.guarding import guarded
from unresolved.journal import Journal
from unresolved.kept import JournalUnwritable
from unresolved.recorder import Call, NotBegun, Recorder, called
from unresolved.request import NotRecordable, Reply, Request
from unresolved.sending import NotWritten, OneShot, Seen, Sender
from unresolved.shipping import Shipped
from unresolved.words import Ended, Mode, Next, Sends, Sent

__all__ = [
    "Attempt",
    "BodyField",
    "Call",
    "Carrier",
    "Contract",
    "Desk",
    "Ended",
    "Envelope",
    "Header",
    "Journal",
    "JournalUnwritable",
    "Mode",
    "Next",
    "NoSender",
    "NotAuthorised",
    "NotBegun",
    "NotCarried",
    "NotRecordable",
    "NotWritten",
    "OneShot",
    "Recorder",
    "Reply",
    "Request",
    "Seen",
    "Sender",
    "Sends",
    "Sent",
    "Shipped",
    "Shipper",
    "Unreachable",
    "called",
    "carry_out",
    "guarded",
    "reply_of",
]
