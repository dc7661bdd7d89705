"""A collection desk in a process of its own, which can be killed and started again on the same journal."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.recipients.client import WAIT
from tests.recipients.collection_desk.opening import Opened

ROOT: Final = Path(__file__).parents[2]


class DeskProcess:
    """One started process; `opened` says where its desk is."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "tests.recipients.collection_desk", *arguments]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the desk said nothing before it ended"
        self.opened = Opened(**json.loads(line))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal and return its exit status."""
        self._process.send_signal(number)
        status = self._process.wait(WAIT)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return status


@contextmanager
def desk_process(*arguments: str) -> Iterator[DeskProcess]:
    """Keep a desk's process for a block; it may be ended inside."""
    process = DeskProcess(*arguments)
    try:
        yield process
    finally:
        if process._process.poll() is None:
            process.end()
