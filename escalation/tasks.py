"""What the worker does for the people's ring."""

import logging
from importlib import import_module
from pathlib import Path
from typing import Final

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from escalation.cases import owing
from escalation.cases.calling import call
from escalation.cases.reviewing import review
from escalation.cases.waking import wake
from escalation.notify.claiming import Rules
from escalation.notify.sweeping import tell
from escalation.outbox import telling
from escalation.outbox.finishing import MOST_ENDED, forget
from escalation.overview.summing import sweep as sum_up
from escalation.queue import end_windows
from operations.auditing import exporting

_log = logging.getLogger(__name__)

# Cases woken in one task; what is left is woken by the next, which is asked for at once.
WOKEN: Final = 500
# Days summed in one task; likewise.
SUMMED: Final = 10
# Cases called for in one task; likewise.
CALLED: Final = 500


@shared_task
def forget_ended_sessions() -> None:
    """Ended sessions are gone from the database; running ones are untouched."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


@shared_task
def wake_cases() -> None:
    """What was put off comes back in time, as do risks and results owed; ended windows go; a lost message changes nothing."""
    now = timezone.now()  # noqa: TID251  # tasks read the clock
    if WOKEN in [sweep(now=now, most=WOKEN) for sweep in (wake, review, owing.call, end_windows)]:
        wake_cases.delay()


@shared_task
def sum_days() -> None:
    """Days that are over are summed for the overview; a message that is lost, or comes twice, changes nothing."""
    if sum_up(now=timezone.now(), most=SUMMED) == SUMMED:  # noqa: TID251  # likewise
        sum_days.delay()


@shared_task
def call_chains() -> None:
    """The step that is due of every open case's chain is called; a message that is lost, or comes twice, changes nothing."""
    if call(now=timezone.now(), most=CALLED) == CALLED:  # noqa: TID251  # tasks read the clock
        call_chains.delay()


# Acknowledged before it runs: a notice that was begun is never sent again by a message that comes twice.
@shared_task(acks_late=False, reject_on_worker_lost=False, max_retries=0)
def tell_people() -> None:
    """What is due is told to whoever it is for; a message that is lost, or comes twice, changes nothing."""
    tell(clock=timezone.now, rules=Rules(**settings.NOTICES))  # noqa: TID251  # tasks read the clock


# Acknowledged before it runs, like all that sends: a worker that dies leaves its leases to lapse, which the next sweep finds.
@shared_task(acks_late=False, reject_on_worker_lost=False, max_retries=0)
def tell_programs() -> None:
    """What is due is told to programs; a message that is lost, or comes twice, changes nothing."""
    telling.tell(clock=timezone.now)  # noqa: TID251  # tasks read the clock


@shared_task
def forget_told() -> None:
    """What programs were told long ago is removed; what is still to be told is not."""
    if forget(before=timezone.now() - settings.OUTBOX_KEPT) == MOST_ENDED:  # noqa: TID251  # likewise
        forget_told.delay()


@shared_task(soft_time_limit=3_000, time_limit=3_300, acks_late=False, reject_on_worker_lost=False)
def export_checkpoint() -> None:
    """Once a day (UTC) the heads of every chain are exported; a message that is lost is made good within the hour."""
    now = timezone.now()  # noqa: TID251  # tasks read the clock
    if not settings.CHECKPOINTS:
        _log.warning(
            "UNRESOLVED_CHECKPOINTS names no folder: nothing off this host could show that records were removed."
        )
    elif exporting.is_due(now=now):
        exporting.export(Path(settings.CHECKPOINTS), now=now)
