"""What is due for one program is claimed by one worker; of an operation, nothing before what came before it is over.

Whoever claims holds the lock of the subscription, so that two workers can't claim one event, nor more at once than a
program is sent. A claim is a lease: a worker that dies leaves it to lapse, and the event is sent again under the same id.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest

from escalation.models import OutboxDue, OutboxEvent, OutboxTry, Subscription
from escalation.models.outbox import End, Over
from escalation.outbox.composing import composed, message_id
from escalation.outbox.pacing import LONGEST_WAIT, RESTS_AFTER

logger: Final = logging.getLogger(__name__)

LEASED_FOR: Final = timedelta(seconds=150)  # longer than Celery lets a task go on
AT_ONCE: Final = 4  # messages on their way to one program
DIED: Final = "The desk went down while it was being sent."


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One event that is this worker's alone to send: under which id, what, where, signed with which keys (names)."""

    event: int
    subscription: int
    lease: UUID
    nth: UUID
    id: str
    body: str = field(repr=False)
    address: str
    keys: tuple[str, ...]


def claim(*, now: datetime, most: int) -> list[Claimed]:
    """Claim up to `most` events for the program that waits longest; none where nothing is due that may be sent."""
    with transaction.atomic():
        for pk in _waiting(now):
            found = Subscription.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
            subscription = found.filter(_may_be_told(now), pk=pk).first()
            claimed = [] if subscription is None else _claimed(subscription, now=now, most=most)
            if claimed:
                return claimed
    return []


def _may_be_told(now: datetime) -> Q:
    going = Q(ended_at=None, paused_at=None, gone_at=None)
    return going & (Q(rests_until=None) | Q(rests_until__lte=now))


def _ready(now: datetime) -> "QuerySet[OutboxDue]":
    """Return what is due and nobody's, and the first of its operation; what a person had sent again holds nothing up."""
    before = OutboxDue.objects.filter(
        subscription=OuterRef("subscription"), operation=OuterRef("operation"), event__lt=OuterRef("event"), again=False
    )
    free = Q(lease=None) | Q(leased_until__lte=now)
    return OutboxDue.objects.filter(free, ~Exists(before), at__lte=now)


def _waiting(now: datetime) -> list[int]:
    first = OutboxDue.objects.filter(subscription=OuterRef("pk")).order_by("at").values("at")[:1]
    ready = _ready(now).filter(subscription=OuterRef("pk"))
    rows = Subscription.objects.filter(_may_be_told(now), Exists(ready)).annotate(first=Subquery(first))
    return list(rows.order_by("first", "pk").values_list("pk", flat=True))


def _claimed(subscription: Subscription, *, now: datetime, most: int) -> list[Claimed]:
    under_way = OutboxDue.objects.filter(subscription=subscription, leased_until__gt=now).count()
    room = min(most, (1 if subscription.failures >= RESTS_AFTER else AT_ONCE) - under_way)
    if room <= 0:
        return []
    keys = tuple(subscription.keys.filter(ended_at=None).order_by("-made_at", "-pk").values_list("name", flat=True))
    rows = _ready(now).filter(subscription=subscription).select_for_update(skip_locked=True, of=("self",))
    found = rows.select_related("event").order_by("at", "event")[:room]
    return [one for due in found if (one := _begun(due, subscription, keys=keys, now=now)) is not None]


def _begun(due: OutboxDue, subscription: Subscription, *, keys: Sequence[str], now: datetime) -> Claimed | None:
    """Write that this is about to be sent; what can't be put into words keeps nothing else from being told."""
    event = due.event
    if not event.body and not _written(event, due, now=now):
        return None
    lease, nth = uuid4(), uuid4()
    attempts: Any = OutboxTry.objects.filter(event=event, ended_at=None)
    attempts.update(ended_at=Greatest(F("begun_at"), now), ended_as=End.NO_ANSWER, detail=DIED)
    OutboxTry.objects.create(id=nth, event=event, nth=event.tries + 1, begun_at=now)
    OutboxEvent.objects.filter(pk=event.pk).update(tries=event.tries + 1, body=event.body)
    OutboxDue.objects.filter(pk=due.pk).update(lease=lease, leased_until=now + LEASED_FOR, tries=due.tries + 1)
    return Claimed(
        event=event.pk,
        subscription=subscription.pk,
        lease=lease,
        nth=nth,
        id=message_id(event.key),
        body=event.body,
        address=subscription.address,
        keys=tuple(keys),
    )


def _written(event: OutboxEvent, due: OutboxDue, *, now: datetime) -> bool:
    """Give an event its document; say whether there is one. What is of no use by now was never an event to anybody."""
    try:
        with transaction.atomic():
            event.body = composed(event, now=now) or ""
    except Exception:
        logger.exception("event %s could not be put into words", event.pk)
        OutboxDue.objects.filter(pk=due.pk).update(at=now + LONGEST_WAIT)
        return False
    if not event.body:
        due.delete()
        event.delete()
    return bool(event.body)


def end(events: Sequence[int], *, as_: Over, now: datetime) -> None:
    """Write what became of these events; they are due no more."""
    OutboxDue.objects.filter(event__in=events).delete()
    OutboxEvent.objects.filter(pk__in=events).update(ended_at=now, ended_as=as_)
