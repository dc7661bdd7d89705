"""`python -m tests.benchmarks.queueing.answering`: asks for the page of each line and says the seconds it took.

By Django's test client, as a superuser who may read everything: session and rights are part of each page.
"""

import re
import sys
import time
from typing import Any, Final

# A row of the queue, or of the admin.
_ROWS: Final = re.compile(rb'data-row-of=|name="_selected_action"')


def client() -> Any:
    """A test client of somebody who may read everything; Django is set up."""
    from django.test import Client

    from escalation.models import User

    found = Client(headers={"host": "localhost"})
    found.force_login(User.objects.filter(username="bench").first() or User.objects.create_superuser("bench"))
    return found


def seconds(asking: Any, path: str) -> float:
    """Seconds of one page, which must be one and must have rows."""
    started = time.perf_counter()
    answer = asking.get(path)
    took = time.perf_counter() - started
    if answer.status_code != 200 or not _ROWS.search(answer.content):
        raise RuntimeError(f"no page with rows came of {path}: {answer.status_code}")
    return took


def main() -> None:
    """Answer until nothing more is asked."""
    import django

    django.setup()
    asking = client()
    for line in sys.stdin:
        print(seconds(asking, line.rstrip("\n")), flush=True)


if __name__ == "__main__":
    main()
