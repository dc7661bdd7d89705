"""What a journal holds, as values, and what it refuses."""

from dataclasses import dataclass

from unresolved.words import Sends, Sent


class JournalUnwritable(Exception):
    """Nothing was recorded, so nothing may be sent."""


class OtherProposal(Exception):
    """The identity is bound to another representation in this journal: this is a proposal for another identity."""


class Taken(Exception):
    """The attempt of this number is somebody's already, or the operation was attempted before: a repeat takes a grant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One operation in this journal."""

    key: int
    recipient: str
    identity: str
    digest: str
    tool: str
    arguments: bytes | None
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """One attempt in this journal. `marks`: what became of it, each mark with what it says."""

    key: int
    operation: int
    number: int
    id: str
    sends: Sends
    host: str
    process: int
    at: float
    marks: dict[str, tuple[Sent | None, str]]

    @property
    def sent(self) -> Sent:
        """What this journal knows of whether a byte of it left."""
        for mark in ("unsent", "ended"):
            if mark in self.marks:
                return self.marks[mark][0] or Sent.UNKNOWN
        return Sent.UNKNOWN

    @property
    def is_open(self) -> bool:
        """Whether nobody said how it ended."""
        return not self.marks.keys() & {"unsent", "ended"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What became of an attempt."""

    mark: str
    sent: Sent | None = None
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What is to be told to the desk: an item of its batch. `id` is what the desk knows it by."""

    id: str
    kind: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What the desk made of an event (its key): recorded, refused, or moot. `answer` is JSON; status 0: it wasn't told."""

    event: int
    came_to: str
    status: int = 0
    answer: str = "{}"
