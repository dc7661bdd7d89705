"""The words of the scenario format, each a closed list (semantics.md, Claims and Scenario format)."""

from enum import StrEnum


class Claim(StrEnum):
    """What a reading says of an observation (semantics.md, Claims). Any other word is kept and never counts."""

    APPLIED = "applied"
    CLOSED = "closed"
    ABSENT = "absent"
    PENDING = "pending"
    ACCEPTED = "accepted"
    ATTEMPT_REFUSED = "attempt_refused"
    INDETERMINATE = "indeterminate"
    NOT_SENT = "not_sent"
    PROTECTION_UNTIL = "protection_until"
    PROTECTION_LOST = "protection_lost"


class Authority(StrEnum):
    """What a channel can speak for (semantics.md, Claims)."""

    HISTORY = "history"
    CURRENT = "current"
    DERIVED = "derived"
    TRANSPORT = "transport"
    CLIENT = "client"
    NONE = "none"


class Reads(StrEnum):
    """How a channel's answers relate to what the recipient knew when it was asked."""

    STRONG = "strong"
    EVENTUAL = "eventual"
    UNORDERED = "unordered"


class Correlation(StrEnum):
    """What ties an observation to this operation; only `operation` settles anything."""

    OPERATION = "operation"
    ARGUMENTS = "arguments"
    WEAK = "weak"
    MISMATCH = "mismatch"


class Mechanism(StrEnum):
    """Whether the recipient recognises a repeat of the same identity."""

    KEY = "key"
    NONE = "none"
    UNDOCUMENTED = "undocumented"


class Guarantee(StrEnum):
    """A promised interval that is not a number of seconds."""

    UNLIMITED = "unlimited"
    WHILE_EXISTS = "while_exists"
    UNDOCUMENTED = "undocumented"


class After(StrEnum):
    """What the recipient does with a repeat that comes after the guarantee has ended."""

    RUNS_AS_NEW = "runs_as_new"
    REFUSED = "refused"
    UNDOCUMENTED = "undocumented"


class Covers(StrEnum):
    """Which outcomes the recipient keeps under the identity."""

    EVERY_OUTCOME = "every_outcome"
    SUCCESS_ONLY = "success_only"
    UNDOCUMENTED = "undocumented"


class ConcurrentUse(StrEnum):
    """Whether a repeat is harmless while the original is still in flight."""

    PROTECTED = "protected"
    UNDOCUMENTED = "undocumented"


class ClosureCovers(StrEnum):
    """What a `closed` shuts: the identity for good, or only the attempts sent by its date."""

    IDENTITY = "identity"
    EARLIER_ATTEMPTS = "earlier_attempts"


class Sends(StrEnum):
    """How often an attempt may have left: `one` only where the owner of the socket knows it."""

    ONE = "one"
    MANY = "many"


class SuccessorState(StrEnum):
    """Whether a successor may still carry the intent, or ended without effect."""

    OPEN = "open"
    NO_EFFECT = "no_effect"
