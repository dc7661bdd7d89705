"""When a case calls next: never while it is put off or somebody has seen it, and always some time while it is open."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from escalation.models import Case

# How long "seen" counts; then it is as if nobody had. Whoever takes a case has seen it.
SEEN_FOR: Final = timedelta(minutes=30)


def call_next(case: Case, *, at: datetime) -> None:
    """Let the next step be called at `at`, or once nobody has put it off or seen it any more; the row is not saved."""
    case.next_call_at = max([at, *[one for one in (case.snoozed_until, case.acknowledged_until) if one is not None]])


def call_owner_first(case: Case, *, at: datetime) -> None:
    """Let the call at `at` be the first of a round, in which whoever looks after the case comes before the chain."""
    if case.step:
        case.round, case.step = case.round + 1, 0
    call_next(case, at=at)


def look_now(*, now: datetime) -> None:
    """Let every case that found no chain look for one at once: somebody set one, or gave it an owner."""
    quiet = Q(acknowledged_until__gt=now) | Q(snoozed_until__gt=now)
    without = Case.objects.filter(closed_at=None, chain=None, owner=None, next_call_at__gt=now)
    without.exclude(quiet).update(next_call_at=now)
