"""Which operations somebody chose out of the queue: those of the numbers that were shown, or all that it leaves."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from escalation.models import Waiting
from escalation.policy import Reads
from escalation.queue.asking import Question, waiting

_KEYS = ("operation_id", "number", "operation__effect", "recipient_id", "case__revision")


class Chosen(NamedTuple):
    """One operation that waits; `seen` is the revision of its case, 0 where it has none."""

    operation: UUID
    number: int
    effect: str
    recipient: int
    seen: int


def chosen(seen: Mapping[int, int], *, reads: Reads) -> list[Chosen]:
    """Return the operations of these numbers that wait, each with the revision that was `seen` of its case, by number.

    Of recipients that are not among `reads` there are none.
    """
    rows = Waiting.objects.filter(reads.at("recipient_id"), number__in=list(seen)).order_by("number")
    found = rows.values_list(*_KEYS)
    return [Chosen(pk, number, effect, at, seen[number]) for pk, number, effect, at, _ in found]


def all_of(question: Question, *, most: int) -> list[Chosen]:
    """Return the first of all that a question leaves, with their cases as they are now."""
    rows = waiting(question, most=most, keys=("group", "at", *_KEYS))[:most]
    return [Chosen(pk, number, effect, at, revision or 0) for _, _, pk, number, effect, at, revision in rows]
