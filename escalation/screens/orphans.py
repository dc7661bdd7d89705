"""Messages that belong to no operation yet: what each names, why nothing was found by that, and who may place it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations import listening
from operations.recording import messages

if TYPE_CHECKING:
    from operations.models import Hearing, Message

PAGE: Final = 50
SHOWN: Final = 20_000  # characters of a message that a page carries
NAMES_NOTHING: Final = "It names no request number and no reference where the contract looks for one."
NAMES_SEVERAL: Final = "It names several request numbers, so it can't be one operation's."
NOT_ON_RECORD: Final = "No operation on record has this request number."
NO_REFERENCE: Final = "No single operation is known to have this reference."


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """One message: the request numbers and references that it names, and why it belongs to none."""

    row: "Message"
    identities: tuple[str, ...]
    references: tuple[str, ...]
    why: str

    @property
    def payload(self) -> str:
        """The message as text, cut off where it is long."""
        return bytes(self.row.payload).decode("utf-8", errors="backslashreplace")[:SHOWN]

    @property
    def cut(self) -> bool:
        """Whether the page shows less than the record holds."""
        return len(bytes(self.row.payload)) > SHOWN


def orphan_of(row: "Message") -> Orphan:
    """Return one message as people read it."""
    identities, references = listening.named_by(row)
    return Orphan(row=row, identities=identities, references=references, why=_why(row, identities, references))


def _why(row: "Message", identities: tuple[str, ...], references: tuple[str, ...]) -> str:
    if row.failure:
        return f"{row.failure} It is tried again."
    if len(identities) > 1:
        return NAMES_SEVERAL
    if identities:
        return NOT_ON_RECORD
    return NO_REFERENCE if references else NAMES_NOTHING


def page(*, dismissed: bool, before: UUID | None, among: Collection[int] | None) -> tuple[list[Orphan], UUID | None]:
    """Return the orphans of one page, newest first, and behind which the next page begins.

    `among` are the recipients (row ids) that are shown; None: all.
    """
    rows = messages.orphans(dismissed=dismissed, before=before, limit=PAGE + 1, among=among)
    following = rows[PAGE - 1].id if len(rows) > PAGE else None
    return [orphan_of(row) for row in rows[:PAGE]], following


def refusals(*, among: Collection[int] | None) -> "list[Hearing]":
    """Return what was refused, recipient by recipient."""
    return messages.refusals(among=among)
