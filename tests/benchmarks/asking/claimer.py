"""`python -m tests.benchmarks.asking.claimer`: a worker that only claims, as told line by line: MOST TOTAL -> seconds."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tests.benchmarks.asking.servers import ROOT


def claimed(*, most: int, total: int) -> float:
    """Claim `most` at a time until `total` are held, giving the places back as a task does; the seconds it took."""
    from uuid import uuid4

    from operations.recording.claiming import claim
    from operations.recording.pacing import give_back

    held, began = 0, time.perf_counter()
    while held < total:
        found = claim(uuid4(), now=datetime.now(UTC), within=20, leased_for=3_600, most=most)
        give_back(found.lease.hex, [allowed.recipient_id for allowed, _ in found.turns], until=found.until)
        held += found.size
    return time.perf_counter() - began


@contextmanager
def claimers(number: int) -> Iterator[list["subprocess.Popen[str]"]]:
    """So many of them, ready."""
    words = [sys.executable, "-m", "tests.benchmarks.asking.claimer"]
    found = [
        subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for _ in range(number)
    ]
    try:
        for one in found:
            assert one.stdout is not None
            one.stdout.readline()
        yield found
    finally:
        for one in found:
            one.terminate()
            one.wait(10)


def together(workers: list["subprocess.Popen[str]"], *, most: int, total: int) -> float:
    """All of them claim at the same time; operations a second."""
    for one in workers:
        assert one.stdin is not None
        one.stdin.write(f"{most} {total // len(workers)}\n")
    slowest = max(float(one.stdout.readline()) for one in workers if one.stdout is not None)
    return total / slowest


if __name__ == "__main__":
    import django

    django.setup()
    print("ready", flush=True)
    for line in sys.stdin:
        most, total = line.split()
        print(claimed(most=int(most), total=int(total)), flush=True)
