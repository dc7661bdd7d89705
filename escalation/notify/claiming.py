"""What is due at one address becomes one notice, durable before its first byte; two sweepers make one.

Whoever claims holds the lock of the address: what is due there is one worker's to sort. Before it is sent everything is
asked again: whether the case is open, whether the reader may read it, whether it is quiet there.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Min

from escalation.models import Notice, NoticeAddress, Telling
from escalation.models.notice import Kind, Over, Waits
from escalation.models.notice_address import WAYS, Way
from escalation.notify.composing import Occasion, composed, ends_at
from escalation.notify.grouping import grouped
from escalation.notify.message import Message
from escalation.notify.outcome import LONGEST_WAIT
from escalation.notify.quiet import sending
from escalation.notify.readers import Reader, reader_of

logger: Final = logging.getLogger(__name__)

LEASED_FOR: Final = timedelta(seconds=150)  # longer than Celery lets a task go on
MOST: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How notices are paced: one for more than `above` alike; two about one recipient `apart`; `ahead` to act in.

    `ahead_for`: at these recipients, by their keys, where it takes another time to act there.
    """

    above: int
    apart: timedelta
    ahead: timedelta
    ahead_for: Mapping[str, timedelta] = field(default_factory=dict)

    def ahead_at(self, recipient: str) -> timedelta:
        """Return how long it takes to act at a recipient, by its key."""
        return self.ahead_for.get(recipient, self.ahead)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One notice that is this worker's alone to send; without a message there was nothing to send at that address."""

    notice: UUID | None = None
    message: Message | None = None
    way: Way = Way.MAIL
    to: str = ""


@dataclass(slots=True, kw_only=True)
class _Sorting:
    """What is due at one address, sorted: what is over, what waits on, and what is told now."""

    address: NoticeAddress
    reader: Reader
    rules: Rules
    now: datetime
    anyway: set[int] = field(default_factory=set)

    def ready(self, due: Sequence[Telling]) -> list[Telling]:
        """Return what may be told now; what may not is ended or put off."""
        return [one for one in due if not self._over(one) and not self._waits(one)]

    def _over(self, one: Telling) -> bool:
        ended = self._why_over(one)
        if ended is None:
            return False
        ended = Over.MAY_HAVE_ARRIVED if one.again is not None else ended
        Telling.objects.filter(pk=one.pk).update(ended_as=ended, ended_at=self.now, due_at=None, waits_for="")
        return True

    def _why_over(self, one: Telling) -> Over | None:
        if self.address.ended_at is not None:
            return Over.NOT_NEEDED
        if one.kind == Kind.CONFIRM:
            return Over.NOT_NEEDED if self.address.is_confirmed else None
        if not self.address.is_confirmed:
            return Over.NOT_CONFIRMED
        if one.case is None:
            return None
        if one.kind == Kind.CALL and one.case.closed_at is not None:
            return Over.NOT_NEEDED
        return None if one.case.recipient_id in self.reader.reads else Over.MAY_NOT_READ

    def _waits(self, one: Telling) -> bool:
        if one.case is None:
            return False
        ends, ahead = ends_at(one.case.operation, now=self.now), self.rules.ahead_at(one.case.recipient.key)
        when = sending(self.reader.quiet, ends_at=ends, ahead=ahead, now=self.now)
        if when.anyway:
            self.anyway.add(one.pk)
        if when.at > self.now:
            self._put_off(one, until=when.at, waits_for=Waits.QUIET)
            return True
        presses = ends is not None and ends <= self.now + ahead + self.rules.apart
        return not presses and self._more_may_come(one)

    def _more_may_come(self, one: Telling) -> bool:
        """Put off what came right after a notice about the same recipient, so that what else comes is told with it."""
        if one.case is None or one.tries:
            return False
        before = Notice.objects.filter(
            address=self.address, recipient=one.case.recipient_id, begun_at__lt=one.made_at, kind=one.kind
        )
        last = before.order_by("-begun_at").values_list("begun_at", flat=True).first()
        if last is None or last + self.rules.apart <= self.now:
            return False
        self._put_off(one, until=last + self.rules.apart, waits_for=Waits.MORE)
        return True

    def _put_off(self, one: Telling, *, until: datetime, waits_for: Waits) -> None:
        Telling.objects.filter(pk=one.pk).update(due_at=until, waits_for=waits_for)


def claim(*, now: datetime, rules: Rules, without: Collection[Way] = ()) -> Claimed | None:
    """Claim the notice that has been due longest, but for those of some ways; None where nothing is due."""
    with transaction.atomic():
        address = _longest_due(now, without)
        if address is None:
            return None
        sorting = _Sorting(address=address, reader=reader_of(address), rules=rules, now=now)
        ready = sorting.ready(_due(address, now))
        groups = grouped(ready, alike=_alike, above=rules.above)
        group = groups[0] if groups else ()
        if ready and ready[0].again is not None:  # in the same words: all that it was about
            group = tuple([one for one in ready if one.again == ready[0].again])
        return _begun(sorting, group) if group else Claimed()


def _longest_due(now: datetime, without: Collection[Way]) -> NoticeAddress | None:
    due = Telling.objects.filter(due_at__lte=now, address__isnull=False)
    waiting = due.exclude(address__way__in=[way.value for way in without]).values("address")
    for row in waiting.annotate(since=Min("due_at")).order_by("since", "address"):
        found = NoticeAddress.objects.select_for_update(skip_locked=True, of=("self",)).filter(pk=row["address"])
        address = found.select_related("person", "team", "confirmation").first()
        if address is not None:
            return address
    return None


def _due(address: NoticeAddress, now: datetime) -> list[Telling]:
    rows = Telling.objects.select_for_update(of=("self",)).filter(address=address, due_at__lte=now)
    whole = rows.select_related(
        "address", "case__operation", "case__recipient", "case__owner", "call__team", "call__rota"
    )
    return list(whole.defer("case__operation__body", "case__operation__arguments").order_by("id")[:MOST])


def _alike(one: Telling) -> tuple[object, ...]:
    if one.again is not None:
        return ("again", one.again)
    return (one.kind, one.pk) if one.case is None else (one.kind, one.case.recipient_id)


def _begun(sorting: _Sorting, group: Sequence[Telling]) -> Claimed:
    """Write that this is about to be sent; what can't be put into words keeps nothing else from being told."""
    of, now = Telling.objects.filter(pk__in=[one.pk for one in group]), sorting.now
    again, pk = group[0].again, uuid4()
    anyway = any(one.pk in sorting.anyway for one in group)
    waited = any(one.waits_for == Waits.QUIET for one in group) and not anyway
    on = Occasion(id=again or pk, reader=sorting.reader, now=now, anyway=anyway, waited=waited, again=again is not None)
    try:
        with transaction.atomic():
            message = composed(group, on=on)
    except Exception:
        logger.exception("what is due at address %s could not be put into words", sorting.address.pk)
        of.update(due_at=now + LONGEST_WAIT, waits_for=Waits.AGAIN)
        return Claimed()
    notice = _row(pk, message, sorting=sorting, group=group, anyway=anyway)
    of.update(notice=notice, due_at=None, waits_for="", tries=group[0].tries + 1)
    return Claimed(notice=notice.pk, message=message, way=WAYS[sorting.address.way], to=sorting.address.to)


def _row(pk: UUID, message: Message, *, sorting: _Sorting, group: Sequence[Telling], anyway: bool) -> Notice:
    case = group[0].case
    return Notice.objects.create(
        id=pk,
        told=message.id,
        kind=message.kind,
        address=sorting.address,
        recipient_id=None if case is None else case.recipient_id,
        subject=message.subject[:300],
        count=message.count,
        anyway=anyway,
        begun_at=sorting.now,
        leased_until=sorting.now + LEASED_FOR,
    )
