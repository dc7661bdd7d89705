"""The operations of one page with all that their standing needs, and one operation by its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Prefetch

from escalation.models import Case
from escalation.policy import Reads
from escalation.queue.asking import Placed, Question, placed
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
    return Page(tuple(found), tuple(_loaded(found)), following)


def _loaded(found: Sequence[Placed]) -> list[models.Operation]:
    read = models.Reading.objects.select_related("observation").defer("observation__payload", "observation__headers")
    whole = models.Operation.objects.select_related(
        "recipient", "waiting", "predecessor__operation", "predecessor__decision"
    ).prefetch_related(
        "attempts",
        "completions",
        "decisions",
        Prefetch("cases", Case.objects.filter(closed_at=None).select_related("owner"), "open_cases"),
        Prefetch("successors", models.Successor.objects.select_related("successor")),
        Prefetch("readings", read),
    )
    rows = whole.defer("body", "arguments", "headers").in_bulk([one.operation for one in found])
    for row in rows.values():  # contracts can't change any more, and are read once in a process
        row.contract = reading.published(row.contract_id)
        for one in row.readings.all():
            one.contract = reading.published(one.contract_id)
    return [rows[one.operation] for one in found]


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
