"""What a reader narrowed the queue to, and where a page of it ended: both live in the address of the page."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from escalation.models import Searched
from escalation.queue.groups import Group
from operations import models

MINE, NOBODY = "mine", "nobody"
OWNERS = (MINE, NOBODY)
NO_FACT = "none"  # of `missing`: no fact that is missing can be named


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the reader narrowed the queue to; empty text means not at all.

    `recipient` is a key, `situation`, `missing` and `owner` are words of `groups`, of `core.missing` and of `OWNERS`.
    """

    recipient: str = ""
    situation: str = ""
    missing: str = ""
    owner: str = ""
    group: Group | None = None
    text: str = ""

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
        return found & held(self.text) if self.text else found


def owned(owner: str, *, person: int | None) -> Q:
    """Return the condition that who reads looks after it, or that nobody looks after what somebody has to."""
    return Q(owner=person, owner__isnull=False) if owner == MINE else Q(owner=None, case__isnull=False)


def held(text: str) -> Q:
    """Return the condition that an operation is called by this number, or holds this text in what it is found by."""
    words = Exists(Searched.objects.filter(operation=OuterRef("operation"), words__icontains=text))
    number = text.isascii() and text.isdigit() and len(text) < 19
    return Q(words) | Q(number=int(text)) if number else Q(words)


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
