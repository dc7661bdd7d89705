"""The peers as processes beside the open desk, on its database; ended when the benchmark ends."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

from tests.benchmarks.peers import ROOT

THREADS = 8
WITHIN = 30.0  # seconds


@contextmanager
def _process(words: Sequence[str], **pipes: Any) -> Iterator["subprocess.Popen[str]"]:
    env = os.environ | {"DATABASE_POOL_SIZE": str(THREADS), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, env=env, text=True, **pipes)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def drf(port: int) -> Iterator[int]:
    """Django REST framework listens on `port`."""
    listen = ["--host=127.0.0.1", f"--port={port}", f"--blocking-threads={THREADS}", "--workers=1", "--no-ws"]
    served = "tests.benchmarks.peers.drf:application"
    with _process(["granian", "--interface=wsgi", "--log-level=error", *listen, served]) as web:
        last = time.monotonic() + WITHIN
        while not _answers(port):
            if web.poll() is not None or time.monotonic() > last:
                raise RuntimeError("the peer on Django REST framework does not answer; it said why above")
            time.sleep(0.1)
        yield port


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        connection.getresponse()
    except OSError:
        return False
    finally:
        connection.close()
    return True


class Workflows:
    """DBOS in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, items: Sequence[dict[str, Any]]) -> float:
        """Run one workflow for each and return the seconds that took."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(items) + "\n")
        self._process.stdin.flush()
        return float(self.line())

    def line(self) -> str:
        """The next line that it says."""
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        if not said:
            raise RuntimeError("the peer on DBOS has ended; it said why above")
        return said.strip()


@contextmanager
def workflows(url: str) -> Iterator[Workflows]:
    """DBOS runs workflows on the database at `url`, whose owner it is, in a schema of its own."""
    words = ["tests.benchmarks.peers.dbos_workflows", url, str(THREADS)]
    with _process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        found = Workflows(process)
        while found.line() != "ready":
            pass
        yield found
