"""What a reader narrowed the queue to, and where a page of it ended: both live in the address of the page."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.lookups import Exact

from escalation.models import Searched, TeamOwns
from escalation.queue.groups import Group
from operations import models

MINE, NOBODY = "mine", "nobody"
OWNERS = (MINE, NOBODY)
NO_FACT = "none"  # of `missing`: no fact that is missing can be named
NO_TEAM = "none"  # of `team`: none owns it

_NOBODY = UUID(int=0)  # no operation has this id; of an empty list Django makes no statement
MOST_HELD = 2_000  # operations that are named one by one where they hold a text


@dataclass(frozen=True, slots=True)
class Holding:
    """Which operations hold a text, by row id; `many`: more than `MOST_HELD`, which are not named."""

    operations: tuple[UUID, ...]
    many: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the reader narrowed the queue to; empty text means not at all.

    `recipient` is a key, `situation`, `missing`, `owner` and `reason` are words of `groups`, of `core.missing`, of `OWNERS`
    and of `CaseReason`; `team` is a row id, or `NO_TEAM`. `holding` is what is known of who holds `text`, once it was looked up.
    """

    recipient: str = ""
    situation: str = ""
    missing: str = ""
    owner: str = ""
    reason: str = ""
    team: str = ""
    group: Group | None = None
    text: str = ""
    holding: Holding | None = None

    def narrows(self, *, person: int | None) -> Q:
        """Return the condition on rows of `Waiting`, but for the group, which is read off the clock; `person` is who reads."""
        found = Q()
        if self.recipient:
            found &= Q(recipient__in=models.Recipient.objects.filter(key=self.recipient).values("pk")[:1])
        if self.situation:
            found &= Q(situation=self.situation)
        if self.missing:
            found &= Q(missing="" if self.missing == NO_FACT else self.missing)
        if self.owner:
            found &= owned(self.owner, person=person)
        if self.reason:
            found &= Q(reasons__contains=[self.reason])
        if self.team:
            found &= of_no_team() if self.team == NO_TEAM else of_team(self.team)
        return found & held(self.text, self.holding) if self.text else found


def owned(owner: str, *, person: int | None) -> Q:
    """Return the condition that who reads looks after it, or that nobody looks after what somebody has to."""
    return Q(owner=person, owner__isnull=False) if owner == MINE else Q(owner=None, case__isnull=False)


def _free() -> Q:
    """Return the condition that no team owns the recipient."""
    return ~Q(recipient__in=_owns().filter(recipient__isnull=False).values("recipient"))


def _unnamed() -> Q:
    """Return the condition that no team owns the effect."""
    return ~Q(effect__in=_owns().filter(recipient=None).exclude(effect="").values("effect"))


def _owns() -> "QuerySet[TeamOwns]":
    return TeamOwns.objects.filter(ended_at=None)


def of_team(team: Any) -> Q:
    """Return the condition that a team (row id, or what gives one) owns it now: as `escalation.teams.owning` has it.

    The owner of the recipient comes before that of the effect, and that before the fallback.
    """
    mine = _owns().filter(team=team)
    named = Q(recipient__in=mine.filter(recipient__isnull=False).values("recipient"))
    by_effect = Q(effect__in=mine.filter(recipient=None).exclude(effect="").values("effect"))
    rest = _unnamed() & Q(Exists(mine.filter(recipient=None, effect="")))
    return named | _free() & (by_effect | rest)


def of_no_team() -> Q:
    """Return the condition that no team owns it, not even a fallback."""
    return _free() & _unnamed() & ~Q(Exists(_owns().filter(recipient=None, effect="")))


def looked_up(filters: Filters) -> Filters:
    """Return the filters with who holds the text, where there is one: what narrows by it many times looks once."""
    if not filters.text:
        return filters
    some = Searched.objects.filter(words__icontains=filters.text).values_list("pk", flat=True)[: MOST_HELD + 1]
    found = tuple(some)
    return replace(filters, holding=Holding(() if len(found) > MOST_HELD else found, many=len(found) > MOST_HELD))


def held(text: str, holding: Holding | None = None) -> Q:
    """Return the condition that an operation is called by this number, or holds this text in what it is found by."""
    words = Q(_holds(text)) if holding is None else _of(text, holding)
    number = text.isascii() and text.isdigit() and len(text) < 19
    return words | Q(number=int(text)) if number else words


def _holds(text: str) -> Exists:
    return Exists(Searched.objects.filter(operation=OuterRef("operation"), words__icontains=text))


def _of(text: str, holding: Holding) -> Q:
    """Return the condition by what was looked up. Where many hold it, rows are gone through in the queue's order until enough do."""
    if not holding.many:
        return Q(operation__in=holding.operations or (_NOBODY,))
    holds = ExpressionWrapper(Q(words__icontains=text), output_field=BooleanField())
    one_by_one = Searched.objects.filter(operation=OuterRef("operation")).annotate(holds=holds).values("holds")
    return Q(Exact(Subquery(one_by_one), Value(True)))  # noqa: FBT003  # a value of SQL


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page ended: the order of the queue is group, act before, number."""

    group: int
    act_before: datetime
    number: int

    def __str__(self) -> str:
        return f"{self.group}~{self.act_before.isoformat()}~{self.number}"


def place_of(written: str) -> Place | None:
    """Return the place that was written into an address, or None: nothing that is one."""
    try:
        group, act_before, number = written.split("~")
        at = datetime.fromisoformat(act_before)
        return Place(int(group), at, int(number)) if at.tzinfo is not None else None
    except ValueError:
        return None
