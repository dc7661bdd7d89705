"""The recipient that is asked, in a process of its own, so that it doesn't share the interpreter of who asks."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.benchmarks.asking.servers import ROOT


class Recipient:
    """A running recipient at `url`."""

    def __init__(self, state: str, wait: float) -> None:
        command = [sys.executable, "-m", "tests.recipients.counting", state, str(wait)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.url = self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def counted(self) -> dict[str, Any]:
        """How many asks it saw, about how many keys, and how many at once at most."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        found: dict[str, Any] = json.loads(self._line())
        return found

    def end(self) -> None:
        """It is gone."""
        self._process.terminate()
        self._process.wait(10)


@contextmanager
def recipient(*, state: str = "pending", wait: float = 0.0) -> Iterator[Recipient]:
    """Keep one open for a block; it answers after `wait` seconds."""
    found = Recipient(state, wait)
    try:
        yield found
    finally:
        found.end()
