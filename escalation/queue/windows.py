"""A window that ended is no longer a time to act before; the sweep takes it out of the rows, a few at a time."""

from datetime import datetime

from django.db.models import F, Value
from django.db.models.functions import Coalesce

from escalation.models import Waiting
from escalation.queue.groups import NEVER


def end_windows(*, now: datetime, most: int) -> int:
    """Take up to `most` windows that ended out of the queue's rows; return how many there were. Twice changes nothing.

    Until then `asking` reads them off the clock, so that nothing on the screen waits for this.
    """
    ended = Waiting.objects.filter(window_until__lte=now)
    some = ended.order_by("window_until").values("pk")[:most]
    return ended.filter(pk__in=list(some.values_list("pk", flat=True))).update(
        act_before=Coalesce(F("deadline"), Value(NEVER)), window_until=None
    )
