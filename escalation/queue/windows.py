"""A window that ended is no longer a time to act before; the sweep takes it out of the rows, a few at a time."""

from datetime import datetime

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce

from escalation.models import Waiting
from escalation.queue.groups import NEVER


def end_windows(*, now: datetime, most: int) -> int:
    """Take up to `most` windows that ended out of the queue's rows; return how many there were. Twice changes nothing.

    Until then `asking` reads them off the clock, so that nothing on the screen waits for this.
    """
    with transaction.atomic():
        # What is locked is left to the next sweep: whoever waits while holding rows could be waited for.
        ended = Waiting.objects.filter(window_until__lte=now).order_by("window_until")
        some = list(ended.select_for_update(skip_locked=True).values_list("pk", flat=True)[:most])
        later = Coalesce(F("deadline"), Value(NEVER))
        return Waiting.objects.filter(pk__in=some).update(act_before=later, window_until=None)
