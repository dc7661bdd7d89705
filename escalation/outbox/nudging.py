"""After a change is committed, workers are told that there may be something to tell; a hint that is lost costs seconds."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from escalation.models import OutboxDue
from operations.recording.watching import Changed

log: Final = logging.getLogger(__name__)
TASK: Final = "escalation.tasks.tell_programs"
# A process gives one hint in so many seconds: what comes right after is found by the same sweep, or by the next.
APART: Final = 1.0


class Nudging:
    """Gives hints, and not too many. What goes wrong with one is logged: the change that it is about is committed."""

    def __init__(self) -> None:
        self._last = 0.0

    def watch(self, changed: Sequence[Changed], now: datetime) -> None:  # noqa: ARG002  # a watcher is given both
        """Have a hint given once the transaction is committed."""
        transaction.on_commit(self.hint, robust=True)

    def hint(self) -> None:
        """Give a hint where anything waits to be told."""
        if time.monotonic() - self._last < APART:
            return
        self._last = time.monotonic()
        if not OutboxDue.objects.exists():
            return
        try:
            current_app.send_task(TASK, expires=10, retry=False)
        except OperationalError as error:
            log.warning("what is to be told wasn't announced, the sweep will find it: %s", error)


_nudging: Final = Nudging()
watch: Final = _nudging.watch
nudge: Final = _nudging.hint
