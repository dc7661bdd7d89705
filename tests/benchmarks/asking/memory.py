"""`python -m tests.benchmarks.asking.memory`: one task in a process of its own; prints the most memory it held (bytes)."""

import resource
import subprocess
import sys
from datetime import UTC, datetime

from tests.benchmarks.asking.servers import ROOT


def most_held() -> float:
    """The most memory that one task held, in a fresh process."""
    words = [sys.executable, "-m", "tests.benchmarks.asking.memory"]
    found = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(found.stdout)


if __name__ == "__main__":
    import django

    django.setup()
    from operations.polling import poll

    assert poll(clock=lambda: datetime.now(UTC)).asks
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
