"""What is due is told: claimed, written down as begun, sent once, and what came of it written down.

A worker that dies in between leaves a notice that was begun and never ended: it may have arrived, and nothing sends it
again but to a receiver who knows it by its id. With the broker, the worker or the mail server away nothing is lost: what
is due stands in PostgreSQL, and the first sweep afterwards finds it.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Case, DurationField, F, Q, Value, When

from escalation.models import Notice, Telling
from escalation.models.notice import End, Kind, Over, Waits
from escalation.models.notice_address import WAYS, Way
from escalation.notify import ways
from escalation.notify.claiming import Claimed, Rules, claim
from escalation.notify.gathering import gather
from escalation.notify.message import Message
from escalation.notify.outcome import Outcome, next_try

Clock = Callable[[], datetime]
Send = Callable[[Message, Way, str], Outcome]
# How long one sweep begins to send, in seconds: what it began then still ends well before Celery ends the task.
BEGINS_WITHIN: Final = 20.0
MOST_GATHERED: Final = 2_000
MOST_CLAIMED: Final = 500
_OVER: Final = {
    End.TAKEN: Over.TAKEN,
    End.NOT_SENT: Over.GIVEN_UP,
    End.REFUSED: Over.REFUSED,
    End.MAY_HAVE_ARRIVED: Over.MAY_HAVE_ARRIVED,
}
_DIED: Final = "The desk went down while it was being sent."


def tell(
    *, clock: Clock, rules: Rules, send: Send | None = None, monotonic: Callable[[], float] = time.monotonic
) -> int:
    """Tell what is due; return how many notices were sent. A message that is lost, or comes twice, changes nothing."""
    began, sent, down = monotonic(), 0, set[Way]()
    look(now=clock(), rules=rules)
    for _ in range(MOST_CLAIMED):
        claimed = claim(now=clock(), rules=rules, without=down) if monotonic() - began < BEGINS_WITHIN else None
        if claimed is None:
            break
        if claimed.notice is None or claimed.message is None:
            continue
        outcome = (send or _by(clock))(claimed.message, claimed.way, claimed.to)
        finish(claimed.notice, outcome, way=claimed.way, now=clock())
        sent += 1
        if outcome.outage:
            down.add(claimed.way)  # one server for all of them: the rest is tried with the next sweep
    return sent


def look(*, now: datetime, rules: Rules) -> None:
    """Find out what is due: calls that nobody was told of, what a dead worker left, what quiet hours may not hold back."""
    while gather(now=now, most=MOST_GATHERED) == MOST_GATHERED:
        pass
    _end_lapsed(now)
    _release(now, rules)


def _by(clock: Clock) -> Send:
    def send(message: Message, way: Way, to: str) -> Outcome:
        return ways.send(message, way=way, to=to, clock=clock)

    return send


def finish(notice: UUID, outcome: Outcome, *, way: Way, now: datetime) -> None:
    """Write down how a send ended, and what becomes of what it told; of one that has ended already, nothing."""
    with transaction.atomic():
        ended = Notice.objects.filter(pk=notice, ended_at=None).update(
            ended_at=now, ended_as=outcome.end, detail=outcome.detail[:300]
        )
        if not ended:
            return
        told = Telling.objects.filter(notice=notice, ended_as="", due_at=None)
        if outcome.end is End.MAY_HAVE_ARRIVED and way in ways.KNOWS_IDS:
            told.filter(again=None).update(again=F("notice_id"))
        again = _next(notice, outcome, way=way, now=now)
        if again is not None:
            told.update(due_at=again, waits_for=Waits.OUTAGE if outcome.outage else Waits.AGAIN)
            return
        _over(notice, outcome, now=now)
        if way is Way.MAIL and outcome.end is End.TAKEN:
            _server_is_back(now)


def _next(notice: UUID, outcome: Outcome, *, way: Way, now: datetime) -> datetime | None:
    """Return when the same is told again; None: it is over. A test is tried once: what came of that is what was asked."""
    may = outcome.end is End.NOT_SENT or (outcome.end is End.MAY_HAVE_ARRIVED and way in ways.KNOWS_IDS)
    told = Telling.objects.filter(notice=notice).exclude(kind=Kind.TEST)
    first = told.order_by("made_at").values_list("made_at", "tries").first()
    if not may or first is None:
        return None
    return next_try(tries=first[1], wait=outcome.wait, first_due=first[0], now=now)


def _over(notice: UUID, outcome: Outcome, *, now: datetime) -> None:
    told = Telling.objects.filter(notice=notice, ended_as="", due_at=None)
    if outcome.end is not End.TAKEN:  # an earlier send of the same may have arrived
        told.filter(again__isnull=False).update(ended_as=Over.MAY_HAVE_ARRIVED, ended_at=now)
    ended = _OVER[outcome.end]
    told.update(ended_as=ended, ended_at=now)


def _server_is_back(now: datetime) -> None:
    """Have all mail told at once that waited for the server, rather than when each would be tried again."""
    waiting = Telling.objects.filter(due_at__gt=now, waits_for=Waits.OUTAGE, address__way=Way.MAIL)
    waiting.update(due_at=now)


def _end_lapsed(now: datetime) -> None:
    lapsed = Notice.objects.filter(ended_at=None, leased_until__lte=now).select_related("address")
    for one in lapsed:
        finish(one.pk, Outcome(end=End.MAY_HAVE_ARRIVED, detail=_DIED), way=WAYS[one.address.way], now=now)


def _release(now: datetime, rules: Rules) -> None:
    """Have what waits for the end of quiet hours told now, where since then an end came before theirs."""
    others = [When(case__recipient__key=key, then=Value(ahead)) for key, ahead in rules.ahead_for.items()]
    ahead = Case(*others, default=Value(rules.ahead), output_field=DurationField())
    too_late = F("due_at") + ahead
    window = Q(
        case__operation__protection="active",
        case__operation__protection_until__gt=now,
        case__operation__protection_until__lte=too_late,
    )
    deadline = Q(case__operation__deadline__gt=now, case__operation__deadline__lte=too_late)
    held = Telling.objects.filter(window | deadline, due_at__gt=now, waits_for=Waits.QUIET, case__closed_at=None)
    Telling.objects.filter(pk__in=held.values("pk")).update(due_at=now)


__all__ = ["Claimed", "Rules", "claim", "finish", "look", "tell"]
