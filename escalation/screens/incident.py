"""One recipient while much of it waits: how much in each group, for want of what, what is lost first, and who is on it."""

from dataclasses import dataclass
from datetime import datetime

from escalation.policy import Reads
from escalation.queue import MOST_COUNTED, Filters, Question, grouped, incident
from escalation.screens.menu import MISSING, address
from escalation.screens.rows import IN_SHORT, OWNER


@dataclass(frozen=True, slots=True)
class Part:
    """A number of rows in words, and the queue narrowed to them."""

    word: str
    count: int
    more: bool
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What waits at a recipient; `first` is the number of the operation whose window or deadline ends first, at `first_at`."""

    total: int
    more: bool
    all: str
    groups: tuple[Part, ...]
    causes: tuple[Part, ...]
    owners: tuple[Part, ...]
    first_at: datetime | None
    first: int | None


def _part(word: str, count: int, filters: Filters) -> Part:
    return Part(word, min(count, MOST_COUNTED), count > MOST_COUNTED, address(filters))


def shown(recipient: str, *, reads: Reads, person: int | None, now: datetime) -> Shown:
    """Return what waits at the recipient with this key."""
    found = incident(recipient, reads=reads, person=person, now=now)
    groups = [
        _part(IN_SHORT[group], count, Filters(recipient=recipient, group=group))
        for group, count in found.groups.items()
        if count
    ]
    causes = [
        _part(MISSING[one.key], one.rows, Filters(recipient=recipient, missing=one.key)) for one in found.facets.missing
    ]
    owners = [
        _part(OWNER[one.key], one.rows, Filters(recipient=recipient, owner=one.key)) for one in found.facets.owners
    ]
    return Shown(
        total=sum(part.count for part in groups),
        more=any(part.more for part in groups),
        all=address(Filters(recipient=recipient)),
        groups=tuple(groups),
        causes=tuple(causes),
        owners=tuple(owners),
        first_at=found.first_at,
        first=found.first,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """What waits at one recipient, whole and by what is missing."""

    key: str
    whole: Part
    causes: tuple[Part, ...]


def by_cause(question: Question) -> tuple[Line, ...]:
    """Return what a question leaves by recipient and cause, each with the queue narrowed to it."""

    def cause(at: str, fact: str, rows: int) -> Part:
        return _part(MISSING[fact], rows, question.but(recipient=at, missing=fact).filters)

    return tuple(
        [
            Line(
                one.recipient.key,
                _part(one.recipient.name, one.recipient.rows, question.but(recipient=one.recipient.key).filters),
                tuple([cause(one.recipient.key, cell.key, cell.rows) for cell in one.causes]),
            )
            for one in grouped(question)
        ]
    )
