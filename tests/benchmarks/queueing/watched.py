"""A page of the queue over HTTP from the web that people use, while nobody else looks and while very many do."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.benchmarks.ingesting.desk import ROOT, Desk

BROWSERS: Final = 200
PAGES: Final = 40


def p95(desk: Desk, session: str) -> float:
    """Seconds that nineteen in twenty of some pages take at most, one after the other."""
    took = []
    connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=60)
    for _ in range(PAGES):
        started = time.perf_counter()
        connection.request("GET", "/", headers={"cookie": f"sessionid={session}"})
        answer = connection.getresponse()
        page = answer.read()
        took.append(time.perf_counter() - started)
        if answer.status != 200 or b"data-row" not in page:
            raise RuntimeError(f"no page of the queue came: {answer.status}")
    return sorted(took)[PAGES * 19 // 20]


@contextmanager
def looked_at(desk: Desk, session: str) -> Iterator[None]:
    """`BROWSERS` look at the queue meanwhile; what they asked is said on standard error."""
    words = (sys.executable, "-m", "tests.benchmarks.queueing.browsers", str(BROWSERS), f"http://127.0.0.1:{desk.port}")
    environment = {**os.environ, "UNRESOLVED_SESSION": session}
    process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if process.stdout.readline() != "looking\n":
        raise RuntimeError("nobody looks; it was said above why")
    try:
        yield
    finally:
        process.terminate()
        said = process.stdout.read()
        process.wait(30)
    sys.stderr.write(f"browsers: {said}")
    if json.loads(said)["failed"]:
        raise RuntimeError("some of those who looked got no answer")


def while_looked_at(desk: Desk, session: str) -> float:
    """The same seconds while they look."""
    with looked_at(desk, session):
        return p95(desk, session)
