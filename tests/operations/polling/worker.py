"""`python -m tests.operations.polling.worker AHEAD`: one worker of its own process that polls until nothing is due.

Its clock runs AHEAD seconds before this machine's, so that a test need not wait for a lease to lapse.
"""

import os
import sys
from datetime import UTC, datetime, timedelta

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")

import django

django.setup()

from operations.polling import poll  # noqa: E402  # after the settings, which Django's modules read

if __name__ == "__main__":
    ahead = timedelta(seconds=float(sys.argv[1]))
    while poll(clock=lambda: datetime.now(UTC) + ahead, most=200).asks:
        pass
