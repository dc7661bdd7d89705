"""`python -m tests.operations.sender ATTEMPT STEP`: a worker of its own process that is killed, by itself, after a step.

After `claimed`, `resolved`, `connected`, `written`, `ended` or `recorded`; `none` lets it come to its end.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from uuid import UUID

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")

import django

django.setup()

from operations import dispatch  # noqa: E402  # after the settings, which Django's modules read

if __name__ == "__main__":

    def step(taken: str) -> None:
        if taken == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)

    dispatch.send(UUID(sys.argv[1]), by=f"process {os.getpid()}", clock=lambda: datetime.now(UTC), step=step)
