"""What was later proved of what nobody knew: applied, ruled out, or still nothing, recipient by recipient."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet

from escalation.models import BusinessException
from escalation.models.day_sum import Figure
from escalation.overview.counting import Plan, counted
from escalation.overview.decided import Decided, first
from escalation.overview.ranges import Asked
from escalation.overview.unknown import Proved, proved
from operations import versions


class Why(StrEnum):
    """Why an operation is asked of: an operation that is so in several ways is counted in each."""

    UNKNOWN = "unknown"
    LEFT = "left"
    EXCEPTED = "excepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """How many operations of one recipient came to be so in the time, and what is established of them by now."""

    recipient: str
    why: Why
    applied: int
    ruled_out: int
    open: int

    @property
    def number(self) -> int:
        """How many there are."""
        return self.applied + self.ruled_out + self.open

    @property
    def share(self) -> float | None:
        """Which part of those that are established was applied; None: nothing is established yet, so nobody knows."""
        established = self.applied + self.ruled_out
        return self.applied / established if established else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proving:
    """All of them, most first; `unknown_is_known`: whether those that were unknown are known for all of the time."""

    rows: tuple[Later, ...]
    unknown_is_known: bool
    as_of: datetime | None


def proving(asked: Asked, by: Plan) -> Proving:
    """Return what was later proved, by recipient and by why it is asked of."""
    found = counted(Figure.UNKNOWN, asked, by)
    by_why: dict[Why, Mapping[tuple[int, str], int]] = {
        Why.UNKNOWN: found.parts or {},
        Why.LEFT: _of(first(Decided.LEFT, asked)),
        Why.EXCEPTED: _of(_excepted(asked)),
    }
    names = versions.named({recipient for parts in by_why.values() for recipient, _ in parts})
    rows = [
        _later(names[recipient], why, parts, recipient) for why, parts in by_why.items() for recipient in _in(parts)
    ]
    return Proving(
        rows=tuple(sorted(rows, key=lambda row: (list(Why).index(row.why), -row.number, row.recipient))),
        unknown_is_known=found.parts is not None,
        as_of=found.as_of,
    )


def _excepted(asked: Asked) -> QuerySet[BusinessException]:
    """Return the first risk that was taken about each operation, whatever it excused."""
    taken = BusinessException.objects.filter(used_at__isnull=False)
    before = taken.filter(operation=OuterRef("operation"), pk__lt=OuterRef("pk"))
    rows = taken.filter(asked.reads.at("operation__recipient_id"), asked.span.on("used_at"))
    return rows.filter(~Exists(before)).order_by()


def _of(rows: QuerySet[Any]) -> Mapping[tuple[int, str], int]:
    of = rows.annotate(proved=proved("operation")).values_list("operation__recipient_id", "proved")
    return {(recipient, part): number for recipient, part, number in of.annotate(operations=Count("pk"))}


def _in(parts: Iterable[tuple[int, str]]) -> set[int]:
    return {recipient for recipient, _ in parts}


def _later(name: str, why: Why, parts: Mapping[tuple[int, str], int], recipient: int) -> Later:
    return Later(
        recipient=name,
        why=why,
        applied=parts.get((recipient, Proved.APPLIED.value), 0),
        ruled_out=parts.get((recipient, Proved.RULED_OUT.value), 0),
        open=parts.get((recipient, Proved.OPEN.value), 0),
    )
