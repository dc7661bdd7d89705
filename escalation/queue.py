"""The queue is a query: which operations need a person, in which group, and by when. Nothing about it is stored.

An operation waits while the recipient contradicts itself, while an established outcome is not in our record, and while
its outcome is open past the time in which it is expected (design.md, rule 10; screens.md, Queue). What is merely on
its way is left alone until then, unless something runs out within the hour. What a person left unresolved stands apart
until the time to look again, or until anything moves; nothing wakes it but this question being asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from typing import Final, TypeAlias
from uuid import UUID

from django.db import models as fields
from django.db.models import Case, Count, Exists, F, Func, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Cast, Coalesce, Least

from escalation import models as people
from escalation.models import LeftUnresolved
from escalation.policy import Reads
from operations import models, reading
from operations.contracts.loading import document_of
from operations.core.standing import Situation

SOON: Final = timedelta(hours=1)
# How long this desk waits for an answer where the contract does not say how long the effect usually takes.
PATIENCE: Final = timedelta(minutes=2)
NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC)
MOST_COUNTED: Final = 10_000
PAGE: Final = 50

_ORDER: Final = (F("group"), F("act_before"), F("number"))

Rows: TypeAlias = QuerySet[models.Operation]


class Group(IntEnum):
    """Where a row stands, the most pressing first."""

    WITHIN_THE_HOUR = 1
    CONTRADICTIONS = 2
    CAN_BE_FINISHED = 3
    THE_REST = 4
    LEFT_UNRESOLVED = 5


_HAPPENED: Final = Q(situation=Situation.APPLIED.value)
_RULED_OUT: Final = Q(situation__in=[Situation.CLOSED.value, Situation.NOTHING_CAN_ACT.value])
_OPEN: Final = Q(situation=Situation.OPEN.value)
# The answers to "Did it happen?" by which the queue can be narrowed.
SITUATIONS: Final[Mapping[str, Q]] = {
    "unknown": _OPEN & Q(evidence="unknown"),
    "under_way": _OPEN & Q(evidence="pending"),
    "happened": _HAPPENED,
    "ruled_out": _RULED_OUT,
    "not_there": _OPEN & Q(evidence="not_applied"),
    "contradiction": Q(situation=Situation.CONFLICT.value),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the reader narrowed the queue to; empty text means not at all. They live in the address of the page."""

    recipient: str = ""
    situation: str = ""
    text: str = ""


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


@lru_cache(maxsize=512)
def _expected(contract_id: int) -> timedelta:
    """Return how long the effect usually takes by a published contract, which can't change any more."""
    document = document_of(models.Contract.objects.values_list("document", flat=True).get(id=contract_id))
    return PATIENCE if document.expected_time is None else timedelta(seconds=document.expected_time.seconds)


def _expected_since(now: datetime) -> Case:
    """Return since when an attempt is still inside its expected time, contract by contract."""
    used = models.Contract.objects.filter(published_at__isnull=False).values_list("id", flat=True)
    whens = [When(contract_id=one, then=Value(now - _expected(one))) for one in used]
    return Case(*whens, default=Value(now - PATIENCE), output_field=fields.DateTimeField())


def _of_our_record(column: str) -> Subquery:
    newest = models.Completion.objects.filter(operation=OuterRef("pk")).order_by("-position")
    return Subquery(newest.values(column)[:1])


def _left_until() -> Subquery:
    """Return until when the newest decision leaves an operation be; none where anything moved since (decided.py)."""
    sent = models.Attempt.objects.filter(operation=OuterRef("operation"), position__gt=OuterRef("decision__position"))
    as_it_was = When(
        ~Exists(sent),
        evidence=OuterRef("evidence"),
        finality=OuterRef("finality"),
        conflict=Coalesce(OuterRef("conflict"), Value("")),
        then=F("look_again_at"),
    )
    newest = LeftUnresolved.objects.filter(operation=OuterRef("pk")).order_by("-id")
    return Subquery(newest.annotate(until=Case(as_it_was, default=None)).values("until")[:1])


def _waits_until() -> Case:
    """Return until when an operation is left be: by its open case, which is woken before its time; else as it was left."""
    open_case = people.Case.objects.filter(operation=OuterRef("pk"), closed_at=None)
    return Case(When(Exists(open_case), then=Subquery(open_case.values("snoozed_until")[:1])), default=_left_until())


def _act_before(now: datetime) -> Case:
    """Return the earlier of deadline and end of protection; where it is left unresolved, the time to look again."""
    window = When(_OPEN & Q(protection="active", protection_until__gt=now), then=F("protection_until"))
    never = Value(NEVER, output_field=fields.DateTimeField())
    earliest = Least(Coalesce("deadline", never), Case(window, default=never))
    return Case(When(left_until__gt=now, then=F("left_until")), default=earliest)


def _never_sent() -> Q:
    """Return what was authorised and never sent: nothing ended there that could be finished."""
    sent = models.Attempt.objects.filter(operation=OuterRef("pk"))
    return Q(situation=Situation.NOTHING_CAN_ACT.value) & ~Q(Exists(sent))


def _placed(rows: Rows, now: datetime) -> Rows:
    return rows.annotate(
        left_until=_waits_until(),
        act_before=_act_before(now),
        group=Case(
            When(left_until__gt=now, then=Value(int(Group.LEFT_UNRESOLVED))),
            When(act_before__lte=now + SOON, then=Value(int(Group.WITHIN_THE_HOUR))),
            When(SITUATIONS["contradiction"], then=Value(int(Group.CONTRADICTIONS))),
            When(_never_sent(), then=Value(int(Group.THE_REST))),
            When(_HAPPENED | _RULED_OUT, then=Value(int(Group.CAN_BE_FINISHED))),
            default=Value(int(Group.THE_REST)),
            output_field=fields.IntegerField(),
        ),
    )


def _on_its_way() -> Q:
    """Return what is inside its expected time, of which our record says nothing and which nobody has left before."""
    sent = models.Attempt.objects.filter(operation=OuterRef("pk"), begun_at__gt=OuterRef("expected_since"))
    heard = models.Observation.objects.filter(operation=OuterRef("pk"))
    left = LeftUnresolved.objects.filter(operation=OuterRef("pk"))
    fresh = _OPEN & Q(held=None) & ~Q(Exists(left))
    return fresh & Q(Exists(sent)) & (Q(evidence="pending") | ~Q(Exists(heard)))


def _recorded() -> Q:
    """Return whether our record says what is established; a second effect that is named since then is news."""
    same = Q(_HAPPENED, held="applied") | Q(_RULED_OUT, held="no_effect")
    told_twice = Q(duplicate_effect=True, held_duplicate=Value(value=False, output_field=fields.JSONField()))
    return Q(held__isnull=False) & ~told_twice & same


def waiting(now: datetime, *, reads: Reads) -> Rows:
    """Return the operations that need a person at `now`, each with its `group` and the time to `act_before`.

    Of recipients that are not among `reads` there are none, and none that only closes another: that one waits, and shows
    what was sent to close it. Those that were left unresolved, or put off by whoever looks after them, stand in a group of
    their own until the time to look again, `left_until`.
    """
    closes = models.Closing.objects.filter(closing=OuterRef("pk"))
    rows = models.Operation.objects.filter(~Q(Exists(closes)), reads.at("recipient_id")).annotate(
        held=_of_our_record("outcome"),
        held_duplicate=_of_our_record("standing__duplicate_effect"),
        expected_since=_expected_since(now),
    )
    left_alone = _on_its_way() & ~Q(group=Group.WITHIN_THE_HOUR)
    return _placed(rows, now).filter(~_recorded()).exclude(left_alone)


def _bytes_as_text(text: str) -> str:
    """Return text as PostgreSQL's `escape` format writes its UTF-8 bytes."""
    return "".join(chr(byte) if byte < 0x80 else f"\\{byte:03o}" for byte in text.replace("\\", "\\\\").encode())


def _holds(text: str) -> Q:
    references = Cast("effect_refs", fields.TextField())
    named = models.Reading.objects.annotate(named=references).filter(operation=OuterRef("pk"), named__icontains=text)
    found = Q(identity__icontains=text) | Q(effect__icontains=text) | Q(Exists(named))
    found |= Q(said__icontains=_bytes_as_text(text))
    return found | Q(number=int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else found


def _matching(rows: Rows, text: str) -> Rows:
    said = Func(F("arguments"), Value("escape"), function="encode", output_field=fields.TextField())
    return rows.annotate(said=said).filter(_holds(text))


def narrowed(rows: Rows, filters: Filters) -> Rows:
    """Return those rows that the filters leave."""
    if filters.recipient:
        rows = rows.filter(recipient__key=filters.recipient)
    if filters.situation:
        rows = rows.filter(SITUATIONS[filters.situation])
    return _matching(rows, filters.text) if filters.text else rows


def counted(rows: Rows) -> dict[Group, int]:
    """Return how many rows stand in each group, counting no further than `MOST_COUNTED` in all."""
    some = rows.order_by()[: MOST_COUNTED + 1]
    found = some.aggregate(**{one.name: Count("pk", filter=Q(group=one.value)) for one in Group})
    return {one: found[one.name] for one in Group}


def by_situation(rows: Rows) -> dict[str, int]:
    """Return how many rows give each answer to "Did it happen?"."""
    found: dict[str, int] = rows.aggregate(**{name: Count("pk", filter=held) for name, held in SITUATIONS.items()})
    return found


def by_recipient(rows: Rows) -> list[tuple[str, str, int]]:
    """Return key, name and number of rows of the recipients with the most, at most twelve."""
    counts = rows.order_by().values_list("recipient__key", "recipient__name").annotate(rows=Count("pk"))
    return [(key, name, count) for key, name, count in counts.order_by("-rows", "recipient__name")[:12]]


def page(rows: Rows, *, after: Place | None, size: int = PAGE) -> tuple[list[models.Operation], Place | None]:
    """Return the rows of one page with all that their standing needs, and where the next page begins after.

    A row that moves between groups while one reads on stands on the first page again, never nowhere.
    """
    if after is not None:
        same = Q(group=after.group)
        later = Q(act_before__gt=after.act_before) | Q(act_before=after.act_before, number__gt=after.number)
        rows = rows.filter(Q(group__gt=after.group) | same & later)
    read = models.Reading.objects.select_related("observation").prefetch_related("contract")
    whole: Rows = rows.select_related("recipient").prefetch_related(
        "contract",
        "attempts",
        "completions",
        "decisions",
        Prefetch("cases", people.Case.objects.filter(closed_at=None).select_related("owner"), "open_cases"),
        "predecessor__operation",
        "predecessor__decision",
        "successors__successor",
        Prefetch("readings", read.defer("observation__payload")),
    )
    found = list(whole.defer("body", "arguments", "headers").order_by(*_ORDER)[: size + 1])
    last = found[size - 1] if len(found) > size else None
    place = None if last is None else Place(last.group, last.act_before, last.number)  # type: ignore[attr-defined]  # annotated by `waiting`
    return found[:size], place


def revision(rows: Rows) -> str:
    """Return a text that differs whenever a row came, went or changed."""
    found = rows.order_by().aggregate(rows=Count("pk"), revisions=Sum("revision"))
    return f"{found['rows']}.{found['revisions'] or 0}"


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
