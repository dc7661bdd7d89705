"""One notice as plain values: what every way writes in its own medium. Nothing here is escaped; each way does that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from escalation.models.notice import Kind

# How many operations of a group are named; the page that the notice links to has them all.
MOST_ROWS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One of the three questions of an operation, and its answer."""

    question: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One operation as a notice tells it. `effect` and `recipient` are somebody else's words.

    `time` says by when to act and how long that is; `link` is empty where the desk's own address isn't set.
    """

    number: int
    effect: str
    recipient: str
    answers: tuple[Answered, Answered, Answered]
    time: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One notice. `id` is the same whenever it is sent again. `subject` and `lead` are ours but for the words they quote.

    One operation stands in `about`; of a group the soonest do, `count` says how many there are. `link` leads to all of
    it; `why` says why this reader gets it.
    """

    id: UUID
    kind: Kind
    at: datetime
    subject: str
    lead: tuple[str, ...]
    about: tuple[Told, ...] = ()
    count: int = 0
    link: str = ""
    link_name: str = ""
    why: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def more(self) -> int:
        """How many operations of the group are not named."""
        return self.count - len(self.about)
