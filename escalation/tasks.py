"""What the worker does for the people's ring."""

import logging
from importlib import import_module
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from operations.auditing import exporting

_log = logging.getLogger(__name__)


@shared_task
def forget_ended_sessions() -> None:
    """Ended sessions are gone from the database; running ones are untouched."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


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
