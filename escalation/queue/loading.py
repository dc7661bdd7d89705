"""The operations of one page with all that their standing needs, and one operation by its number."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from escalation.policy import Reads
from escalation.queue.asking import Placed, Question, placed
from escalation.queue.beside import whole
from escalation.queue.filters import Place
from operations import models, reading

PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where each row stands, its operation with all that its standing needs, and where the next page begins after."""

    places: tuple[Placed, ...]
    operations: tuple[models.Operation, ...]
    next: Place | None


def page(question: Question, *, after: Place | None, size: int = PAGE) -> Page:
    """Return one page. A row that moves between groups while one reads on stands on the first page again, never nowhere."""
    found, following = placed(question, after=after, size=size)
    return Page(tuple(found), tuple(whole([one.operation for one in found])), following)


def _of(number: int, reads: Reads) -> tuple[UUID, int]:
    rows = models.Operation.objects.filter(reads.at("recipient_id"), number=number)
    found = rows.values_list("id", "revision").first()
    if found is None:
        raise reading.NoSuchOperation(str(number))
    return found


def called(number: int, *, reads: Reads) -> UUID:
    """Return the id of the operation with this number at one of these recipients; raises `reading.NoSuchOperation`."""
    return _of(number, reads)[0]


def revision_of(number: int, *, reads: Reads) -> int:
    """Return the revision of the operation with this number at one of these recipients; raises likewise."""
    return _of(number, reads)[1]
