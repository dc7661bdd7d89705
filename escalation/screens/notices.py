"""The log of notices: what went out, to whom, how it was answered and when it is tried again; and what waits."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, Max, Min, Q, QuerySet

from escalation.models import AddressConfirmation, Call, Notice, NoticeAddress, Telling, User
from escalation.models.chain import StepKind
from escalation.models.notice import End, Kind, Over, Waits
from escalation.models.notice_address import WAYS, Way
from escalation.policy import Reads

PAGE: Final = 50
MOST: Final = 30
MOST_PLACES: Final = 500
_KIND: Final = {one.value: one.sentence for one in Kind}
_END: Final = {one.value: one.sentence for one in End}
_OVER: Final = {one.value: one.sentence for one in Over}
_WAITS: Final = {one.value: one.sentence for one in Waits}
# Calls for one operation that called the same, and were not told for the same reason.
_ALIKE: Final = (
    "case",
    "address",
    "ended_as",
    *[f"call__{one}" for one in ("kind", "person", "team", "rota", "webhook")],
)
_BAD: Final = {End.REFUSED, End.MAY_HAVE_ARRIVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One notice of the log. `tone` says where to look; `next_at` when the same is told again."""

    notice: Notice
    kind: str
    whom: str
    end: str
    tone: str
    next_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits at one address, for what, and until when the first of it does."""

    whom: str
    count: int
    what: str
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One address with the newest notice to it and how that ended; who confirmed it, where somebody had to and did."""

    address: NoticeAddress
    way: str
    newest: Notice | None
    end: str
    confirmation: AddressConfirmation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """Calls for one operation that were not told to somebody at all, or not at one address, and why; `at` is the newest."""

    number: int
    whom: str
    why: str
    count: int
    at: datetime


def whom(address: NoticeAddress, *, whole: bool = True) -> str:
    """Say who is told there, and how; the name of a webhook says which, a mail address is `whole` or left out."""
    who = address.person.username if address.person is not None else ""
    who = f"team {address.team.name}" if address.team is not None else who
    way = WAYS[address.way]
    where = f" to {address.to}" if whole or way is not Way.MAIL else ""
    return f"{who}, {way.sentence}{where}" if who else f"{way.sentence}{where}"


def log(
    reader: User, *, reads: Reads, administers: bool, after: tuple[datetime, UUID] | None = None
) -> tuple[list[Line], tuple[datetime, UUID] | None]:
    """Return the newest notices that somebody may know of, and after which the next page begins."""
    rows = Notice.objects.filter(_known(reader, reads, administers=administers, recipient="recipient_id"))
    if after is not None:
        rows = rows.filter(Q(begun_at__lt=after[0]) | Q(begun_at=after[0], id__lt=after[1]))
    whole = rows.select_related("address__person", "address__team").annotate(next_at=Min("tellings__due_at"))
    found = list(whole.order_by("-begun_at", "-id")[: PAGE + 1])
    last = found[PAGE - 1] if len(found) > PAGE else None
    lines = [_line(row, whole=administers or row.address.person_id == reader.pk) for row in found[:PAGE]]
    return lines, None if last is None else (last.begun_at, last.pk)


def _known(reader: User, reads: Reads, *, administers: bool, recipient: str) -> Q:
    """Tests are about no recipient: they are their reader's, and the administrators'."""
    mine = Q(address__person=reader)
    other = Q(**{f"{recipient}__isnull": True})
    about = Q(**{f"{recipient}__isnull": False}) & reads.at(recipient)
    return about | (other if administers else other & mine)


def _line(row: Notice, *, whole: bool) -> Line:
    under_way = row.ended_at is None
    next_at: datetime | None = row.next_at  # type: ignore[attr-defined]  # annotated by `log`
    return Line(
        notice=row,
        kind=_KIND[row.kind],
        whom=whom(row.address, whole=whole),
        end="On its way" if under_way else _END[row.ended_as],
        tone="warn" if row.ended_as == End.NOT_SENT else "stop" if row.ended_as in _BAD else "",
        next_at=next_at,
    )


def waiting(reader: User, *, reads: Reads, administers: bool) -> list[Waiting]:
    """Return what waits, address by address, what is due first before what is due later."""
    known = _known(reader, reads, administers=administers, recipient="case__recipient_id")
    rows = Telling.objects.filter(known, due_at__isnull=False).values("address", "waits_for")
    found = list(rows.annotate(count=Count("pk"), first=Min("due_at")).order_by("first", "address")[:MOST])
    addresses = NoticeAddress.objects.select_related("person", "team").in_bulk([row["address"] for row in found])
    return [
        Waiting(
            whom=whom(addresses[row["address"]], whole=administers),
            count=row["count"],
            what=_WAITS.get(row["waits_for"], "its turn"),
            due_at=row["first"],
        )
        for row in found
    ]


def untold(reader: User, *, reads: Reads, administers: bool, now: datetime) -> list[Untold]:
    """Return the calls of the last day that told nobody, or not at an address, and why; what is alike in one, newest first."""
    silent = [Over.NO_ADDRESS, Over.NOT_CONFIRMED, Over.MAY_NOT_READ, Over.GIVEN_UP]
    rows = Telling.objects.filter(ended_as__in=silent, ended_at__gt=now - timedelta(days=1), kind=Kind.CALL)
    alike = rows.filter(reads.at("case__recipient_id")).values(*_ALIKE)
    found = list(alike.annotate(newest=Max("pk"), count=Count("pk")).order_by("-newest")[:MOST])
    whole = Telling.objects.select_related(
        "case__operation", "call__person", "call__team", "call__rota", "address__person", "address__team"
    ).defer("case__operation__body", "case__operation__arguments")
    newest = whole.in_bulk([row["newest"] for row in found])
    return [
        Untold(
            number=one.case.operation.number,
            whom=_whom_not(one.call, one.address, administers=administers, reader=reader),
            why=_OVER[one.ended_as],
            count=row["count"],
            at=one.ended_at,
        )
        for row in found
        for one in (newest[row["newest"]],)
        if one.case is not None and one.call is not None and one.ended_at is not None
    ]


def _whom_not(call: Call, address: NoticeAddress | None, *, administers: bool, reader: User) -> str:
    if address is None:
        return called(call)
    return f"{called(call)}: {whom(address, whole=administers or address.person_id == reader.pk)}"


def called(call: Call) -> str:
    """Say whom a call calls."""
    if call.kind == StepKind.WEBHOOK:
        return f"the webhook {call.webhook}"
    if call.team is not None:
        return f"the team {call.team.name}"
    person = "" if call.person is None else call.person.username
    return person if call.rota is None else f"{person}, on call in the rota {call.rota.name}"


def own(person: User) -> list[Place]:
    """Return the addresses of somebody that are in use."""
    return _places(NoticeAddress.objects.filter(person=person, ended_at=None).order_by("pk"))


def shared() -> list[Place]:
    """Return the addresses of teams and the webhooks that chains call, which are in use."""
    rows = NoticeAddress.objects.filter(person=None, ended_at=None).select_related("team")
    return _places(rows.order_by("team__name", "way", "to")[:MOST_PLACES])


def _places(rows: QuerySet[NoticeAddress]) -> list[Place]:
    whole = rows.select_related("confirmation__by")
    return [_place(one, one.notices.order_by("-begun_at").first()) for one in whole]


def _place(address: NoticeAddress, newest: Notice | None) -> Place:
    end = "" if newest is None else _END.get(newest.ended_as, "On its way")
    return Place(
        address=address,
        way=WAYS[address.way].sentence,
        newest=newest,
        end=end,
        confirmation=getattr(address, "confirmation", None),
    )
