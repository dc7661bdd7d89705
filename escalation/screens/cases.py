"""A case in words: why the operation needs a person, who looks after it, until when it waits, and what befell it."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from escalation.models import Case, User
from escalation.models.case import BY_WORD, Act
from escalation.screens.chains import ChainShown, chain_of

if TYPE_CHECKING:
    from operations.models import Operation


@dataclass(frozen=True, slots=True)
class Why:
    """One reason and from when it held; `ended_at` is None while it does."""

    sentence: str
    since: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that befell a case: what, when, by whom (empty: the desk), to whom, why, until when, and a note."""

    what: str
    at: datetime
    by: str
    to: str
    why: str
    until: datetime | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseShown:
    """One case. `mine` says that the reader owns it; `seen` that somebody said so and it hasn't lapsed.

    `chain` is whom it called, and whom it calls next.
    """

    case: Case
    why: tuple[Why, ...]
    lines: tuple[Line, ...]
    mine: bool
    seen: bool
    waits: bool
    chain: ChainShown

    @property
    def holding(self) -> tuple[Why, ...]:
        """The reasons that hold."""
        return tuple([one for one in self.why if one.ended_at is None])


def case_of(operation: "Operation", *, person: User | None, now: datetime) -> CaseShown | None:
    """Return the newest case of an operation (a row), open or ended; None where it never needed anybody."""
    cases = Case.objects.filter(operation=operation).select_related("owner").order_by("-nth")
    case = cases.prefetch_related("reasons", "acts__by", "acts__to").first()
    return None if case is None else _shown(case, operation, person, now)


def _shown(case: Case, operation: "Operation", person: User | None, now: datetime) -> CaseShown:
    open_ = case.closed_at is None
    return CaseShown(
        case=case,
        why=_why(case),
        lines=_lines(case),
        mine=person is not None and case.owner_id == person.pk,
        seen=open_ and case.acknowledged_until is not None and case.acknowledged_until > now,
        waits=open_ and case.snoozed_until is not None and case.snoozed_until > now,
        chain=chain_of(case, operation, now=now),
    )


def _why(case: Case) -> tuple[Why, ...]:
    rows = sorted(case.reasons.all(), key=lambda row: (row.since, row.pk))
    return tuple([Why(BY_WORD[row.reason].sentence, row.since, row.ended_at) for row in rows])


def _lines(case: Case) -> tuple[Line, ...]:
    """Return what befell it, the newest first."""
    rows = sorted(case.acts.all(), key=lambda row: row.pk, reverse=True)
    return tuple(
        [
            Line(
                what=_WORDS[row.act].sentence,
                at=row.at,
                by="" if row.by is None else row.by.username,
                to="" if row.to is None else row.to.username,
                why=BY_WORD[row.reason].sentence if row.reason else "",
                until=row.until,
                note=row.note,
            )
            for row in rows
        ]
    )


_WORDS = {one.value: one for one in Act}
