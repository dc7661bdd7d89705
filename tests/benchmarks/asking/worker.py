"""A Celery worker as the desk runs it, which knows the peer's task too."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from escalation.celery import app
from tests.benchmarks.asking.servers import ROOT

__all__ = ["app", "worker"]


app.conf.imports = [*app.conf.imports, "tests.benchmarks.asking.one_each"]


@contextmanager
def worker(*, processes: int) -> Iterator[None]:
    """A worker is ready for messages."""
    words = [sys.executable, "-m", "celery", "--app", "tests.benchmarks.asking.worker", "worker"]
    words += [f"--concurrency={processes}", "--loglevel=ERROR", "--without-gossip", "--without-mingle"]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        last = time.monotonic() + 60
        while not app.control.ping(timeout=0.5):
            assert time.monotonic() < last, "the worker did not start"
        yield
    finally:
        process.terminate()
        process.wait(60)
