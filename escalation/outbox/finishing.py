"""What came of one message is written down: over, tried again, or given up; and how its program fares.

Every answer but 2xx means that it was not taken (Standard Webhooks, "Failed delivery"), and the message is sent again
under the same id; 410 says that the program wants no more of them. A redirect is not followed and is no 2xx.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from escalation.models import OutboxDue, OutboxEvent, OutboxTry, Subscription, SubscriptionChange
from escalation.models.outbox import TEST, End, Over
from escalation.models.subscription import SubscriptionAct
from escalation.notify.outcome import asked_to_wait
from escalation.notify.plain import one_line
from escalation.outbox.claiming import Claimed, end
from escalation.outbox.pacing import GIVEN_UP_AFTER, RESTS_AFTER, next_try, rests_until
from operations.posting import Posted, Wire

MOST_ENDED: Final = 1_000
LONGEST_SAID: Final = 300
GONE: Final = 410
# Text that looks like a signing key, or like one of our signatures, is not kept, whoever writes it to us.
_SECRET: Final = re.compile(r"whsec_[A-Za-z0-9+/=_-]*|v1a?,[A-Za-z0-9+/=]{20,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one try ended, and why in a sentence; `said` is the beginning of the answer, as one line."""

    end: End
    detail: str
    status: int | None = None
    said: str = ""
    wait: timedelta | None = None

    @property
    def gone(self) -> bool:
        """Whether the program wants to be told nothing more."""
        return self.status == GONE


def read(posted: Posted, *, now: datetime) -> Outcome:
    """Return what an answer, or its absence, says of a message."""
    if posted.status is None:
        ended = End.NOT_SENT if posted.wire is Wire.NOT_SENT else End.NO_ANSWER
        return Outcome(end=ended, detail=posted.detail[:300])
    taken = 200 <= posted.status < 300
    leads = " It leads elsewhere, which is not followed." if 300 <= posted.status < 400 else ""
    return Outcome(
        end=End.TAKEN if taken else End.REFUSED,
        detail=f"It answered {posted.status}.{leads}",
        status=posted.status,
        said=one_line(_SECRET.sub("…", posted.body.decode("utf-8", "replace")), most=LONGEST_SAID),
        wait=None if taken else asked_to_wait(posted.retry_after, now=now),
    )


def finish(claimed: Claimed, outcome: Outcome, *, now: datetime, jitter: Callable[[], float]) -> None:
    """Write down how a try ended and what becomes of its event; nothing of it where the lease is another's by now."""
    with transaction.atomic():
        subscription = Subscription.objects.select_for_update(no_key=True).get(pk=claimed.subscription)
        _note(claimed, outcome, now=now)
        due = OutboxDue.objects.select_related("event").filter(event=claimed.event, lease=claimed.lease).first()
        if due is None:
            return
        if outcome.end is End.TAKEN:
            end([due.pk], as_=Over.TAKEN, now=now)
            _fares_well(subscription, now=now)
        else:
            _again_or_over(due, outcome, now=now, jitter=jitter())
            _fares_badly(subscription, outcome, now=now)


def _note(claimed: Claimed, outcome: Outcome, *, now: datetime) -> None:
    row = OutboxTry.objects.filter(pk=claimed.nth, ended_at=None).first()
    if row is not None:
        OutboxTry.objects.filter(pk=row.pk).update(
            ended_at=max(now, row.begun_at),
            ended_as=outcome.end,
            status=outcome.status,
            detail=outcome.detail,
            said=outcome.said,
        )


def _again_or_over(due: OutboxDue, outcome: Outcome, *, now: datetime, jitter: float) -> None:
    """A test is tried once: what came of that is what was asked."""
    again = next_try(tries=due.tries, since=due.since, now=now, jitter=jitter, wait=outcome.wait)
    if again is None or due.event.kind == TEST:
        end([due.pk], as_=Over.GIVEN_UP, now=now)
    else:
        OutboxDue.objects.filter(pk=due.pk).update(at=again, lease=None, leased_until=None)


def _fares_well(subscription: Subscription, *, now: datetime) -> None:
    """What waited for a program that was left alone is told at once, rather than when each would be tried again."""
    if not subscription.failures or subscription.ended_at is not None:
        return
    Subscription.objects.filter(pk=subscription.pk).update(failures=0, failing_since=None, rests_until=None)
    if subscription.failures >= RESTS_AFTER:
        OutboxDue.objects.filter(subscription=subscription, lease=None, at__gt=now).update(at=now)


def _fares_badly(subscription: Subscription, outcome: Outcome, *, now: datetime) -> None:
    if subscription.ended_at is not None or subscription.gone_at is not None:
        return
    failures = subscription.failures + 1
    Subscription.objects.filter(pk=subscription.pk).update(
        failures=failures,
        failing_since=subscription.failing_since or now,
        rests_until=rests_until(failures=failures, now=now),
        gone_at=now if outcome.gone else None,
    )
    if outcome.gone:
        stop(subscription, now=now)
        said = "It answered 410: it wants to be told nothing more."
        SubscriptionChange.objects.create(act=SubscriptionAct.GONE, subscription=subscription, said=said, at=now)


def stop(subscription: Subscription, *, now: datetime) -> None:
    """End all that is still to be told to a program."""
    waiting = list(OutboxDue.objects.filter(subscription=subscription).values_list("event", flat=True))
    end(waiting, as_=Over.STOPPED, now=now)


def give_up(*, now: datetime) -> int:
    """Give up what waited too long for a program that is paused, or that failed all the while; return how much."""
    since = now - GIVEN_UP_AFTER
    old = OutboxDue.objects.filter(since__lte=since, lease=None)
    idle = old.filter(subscription__paused_at__isnull=False) | old.filter(subscription__failing_since__lte=since)
    events = list(idle.values_list("event", flat=True)[:MOST_ENDED])
    with transaction.atomic():
        held = OutboxDue.objects.select_for_update(skip_locked=True).filter(event__in=events, lease=None)
        end(list(held.values_list("event", flat=True)), as_=Over.GIVEN_UP, now=now)
    return len(events)


def forget(*, before: datetime) -> int:
    """Remove events that were over before a time, with their tries; return how many there were."""
    over = OutboxEvent.objects.filter(ended_at__lt=before, due=None).order_by("ended_at")
    events = list(over.values_list("pk", flat=True)[:MOST_ENDED])
    with transaction.atomic():
        OutboxTry.objects.filter(event__in=events).delete()
        return OutboxEvent.objects.filter(pk__in=events, due=None).delete()[0]
