"""A real desk for tests: `manage.py up` in a folder of its own, on a port of its own."""

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import psutil

from escalation.env import ROOT
from tests.servers import GIVEN

NAMES = ("postgres", "valkey", "worker", "dispatch", "beat", "web")


def free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(met: Callable[[], bool], *, within: float = 90.0) -> bool:
    """Whether `met` became true in time."""
    last = time.monotonic() + within
    while time.monotonic() < last:
        if met():
            return True
        time.sleep(0.1)
    return False


class Desk:
    """One run of `manage.py up`."""

    started: ClassVar[list["Desk"]] = []

    def __init__(self, folder: Path, *, port: int | None = None, **environment: str) -> None:
        self.folder, self.port = folder, port or free_port()
        own = {
            key: value
            for key, value in os.environ.items()
            if key not in {*GIVEN, "UNRESOLVED_ROLE", "PYTHONUNBUFFERED"}
        }
        self.environment = {**own, "UNRESOLVED_VAR": str(folder), **environment}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", f"--port={self.port}"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(self)
        self.said = ""
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:  # ends when nothing of the desk writes to it any more
            for line in lines:
                self._lines.put(line)

    def heard(self, words: str, *, within: float = 120.0) -> bool:
        """Whether the desk said `words` in time, or before."""

        def listen() -> bool:
            while not self._lines.empty():
                self.said += self._lines.get()
            return words in self.said

        return until(lambda: listen() or (self.process.poll() is not None and self._lines.empty()), within=within) and (
            listen()
        )

    def opened(self) -> "Desk":
        """This desk, once it is open."""
        assert self.heard("is open at"), self.said
        return self

    @property
    def url(self) -> str:
        """Where it is open."""
        return f"http://127.0.0.1:{self.port}"

    def link(self) -> str:
        """The sign-in link that it printed."""
        assert self.heard("/sign-in/"), self.said
        found = re.search(r"(http://\S+/sign-in/\S+)", self.said)
        assert found is not None
        return found.group(1)

    def child(self, name: str) -> psutil.Process:
        """The process that is on record as `name`."""
        record = self.folder / "run" / f"{name}.pid"
        found: list[psutil.Process] = []

        def running() -> bool:
            """The record may not be there yet, and may still name a process that was killed a moment ago."""
            with suppress(FileNotFoundError, IndexError, psutil.NoSuchProcess):
                found.append(psutil.Process(int(re.findall(r"\d+", record.read_text())[0])))
            return bool(found)

        assert until(running), f"{name} is not on record, or has ended"
        return found[0]

    def children(self) -> dict[str, psutil.Process]:
        """Every process that it keeps."""
        return {name: self.child(name) for name in NAMES}

    def ended(self, *, within: float = 60.0) -> int:
        """Its exit status."""
        status = self.process.wait(within)
        self.heard("\0", within=1)
        return status

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.ended()


def running_in(folder: Path) -> list[str]:
    """What still runs on behalf of a desk in `folder`: whatever holds a file of it open, such as the log it writes to."""
    found = []
    for process in psutil.process_iter():
        try:
            files = [file.path for file in process.open_files()]
        except psutil.Error:
            continue
        if any(path.startswith(f"{folder}/") for path in files):
            found.append(f"{process.pid} {process.name()}")
    return found
