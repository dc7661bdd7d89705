"""What a contract would change is told before it is published: every open operation, read by it and not written.

design.md, rule 1. The look is bounded: a page examines so many operations and says where the next begins, so that ten
thousand open operations are looked through page by page.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations import reading, versions
from operations.contracts.document import Document
from operations.contracts.loading import document_of, terms_of
from operations.core.facts import Facts
from operations.core.permitted import permitted
from operations.core.standing import Standing, infer
from operations.core.weaker import weaker
from operations.recording.rereading import anew, kept_events

if TYPE_CHECKING:
    from operations.models import Operation

PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """How an operation stands, as far as a contract can change it; words of semantics.md, the end to the second."""

    evidence: str
    finality: str
    protection: str
    protection_until: datetime | None
    protection_reason: str | None
    conflict: str | None
    permitted: tuple[str, ...]
    standing: Standing = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """One operation that would stand otherwise; `differs` names what of it, in the order of the fields."""

    operation: Operation
    before: Stands
    after: Stands

    @property
    def differs(self) -> tuple[str, ...]:
        """The names of what would change."""
        names = [one.name for one in fields(Stands) if one.compare]
        return tuple([name for name in names if getattr(self.before, name) != getattr(self.after, name)])


@dataclass(frozen=True, slots=True)
class Impact:
    """What was found in `examined` of all `open` operations; `next` is where the next page begins after, if any does."""

    changes: tuple[Change, ...]
    examined: int
    open: int
    next: UUID | None


def _stands(standing: Standing) -> Stands:
    until = reading.moment(standing.protection_until)
    return Stands(
        evidence=standing.evidence,
        finality=standing.finality,
        protection=standing.protection,
        protection_until=None if until is None else until.replace(microsecond=0),
        protection_reason=standing.protection_reason,
        conflict=standing.conflict,
        permitted=tuple(sorted([action for action, refusal in permitted(standing).items() if refusal is None])),
        standing=standing,
    )


def as_read_by(read: reading.Read, document: Document, *, text: str, now: datetime) -> Facts:
    """Return an operation's facts as they would be if this contract were in force; nothing is written."""
    operation = read.operation
    terms = weaker(reading.terms(operation.contract), current=terms_of(text))
    facts = replace(read.facts, contract=terms, events=kept_events(read))
    found = anew(operation, document, facts=facts, observations=versions.observed(operation), now=now)
    return replace(facts, events=(*facts.events, *[one for it in found for one in it.read.observations(it.answer)]))


def _change(read: reading.Read, document: Document, *, text: str, now: datetime) -> Change | None:
    before = _stands(read.standing(now=now))
    after = _stands(infer(as_read_by(read, document, text=text, now=now), now=reading.seconds(now)))
    return None if before == after else Change(read.operation, before, after)


def impact(recipient_id: int, *, text: str, now: datetime, after: UUID | None = None, limit: int = PAGE) -> Impact:
    """Return what publishing this text would change in the next `limit` open operations of a recipient (row id).

    Raises `ContractRefused` for a text that is no contract.
    """
    document = document_of(text)
    found = versions.open_page(recipient_id, after=after, limit=limit + 1)
    examined = found[:limit]
    changes = [_change(read, document, text=text, now=now) for read in examined]
    return Impact(
        changes=tuple([change for change in changes if change is not None]),
        examined=len(examined),
        open=versions.open_count(recipient_id),
        next=examined[-1].operation.id if len(found) > limit else None,
    )
