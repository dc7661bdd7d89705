"""What went between client and server, a line each, as the desk's importer reads it; the client's side of the proxy."""

import json
import os
import threading
from collections.abc import Callable
from enum import StrEnum


class Way(StrEnum):
    """Which way a message went."""

    TO_SERVER = "client->server"
    TO_CLIENT = "server->client"


class WireLog:
    """A file that is only added to, readable by its owner alone. It is no journal: where it can't be written, it says so.

    Nothing is held up by it, because what is guarded is on record elsewhere.
    """

    def __init__(self, path: str | None, *, clock: Callable[[], float], complain: Callable[[str], None]) -> None:
        self._clock, self._complain, self._lock = clock, complain, threading.Lock()
        self._file: int | None = None
        if path is not None:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, way: Way, raw: bytes) -> None:
        """Add one message that is JSON, as it stands."""
        if self._file is None:
            return
        line = b'{"t": %s, "dir": %s, "msg": %s}\n' % (
            f"{self._clock():.3f}".encode(),
            json.dumps(way).encode(),
            raw.strip(),
        )
        with self._lock:
            try:
                os.write(self._file, line)
            except OSError as error:
                self._complain(f"the wire log can't be written: {error}")
