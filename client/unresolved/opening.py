"""A journal's file is opened so that what is committed is on the disk, whoever else opens it or is forked meanwhile."""

import os
import sqlite3
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

BUSY: Final = 10.0  # seconds that another process may take with its write

_made: Final["weakref.WeakSet[SetDown]"] = weakref.WeakSet()
_set_down: Final["list[SetDown]"] = []
_left: Final[list[sqlite3.Connection]] = []
_making, _creating = threading.Lock(), threading.Lock()


class SetDown(Protocol):
    """What lets go of its file before a fork."""

    def set_down(self) -> None:
        """Let go of the file, and keep every thread from opening it until `take_up`."""

    def take_up(self) -> None:
        """Let it be opened again."""


def opened(path: Path) -> sqlite3.Connection:
    """Return a connection to this file, which is made where it is not there, for its owner alone.

    Raises sqlite3.Error and OSError.
    """
    with _creating, suppress(FileExistsError):  # alone: closing it would drop the locks that others here have on it
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY)
    connection.row_factory = sqlite3.Row
    _log_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite itself waits for nobody who has the file open just then."""
    last = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(0.01)
        else:
            return


def leave(connection: sqlite3.Connection) -> None:
    """Keep a connection of a parent process from being closed here, which would drop this process's own locks."""
    _left.append(connection)


def set_down_at_forks(journal: SetDown) -> None:
    """Have a journal let go of its file whenever this process forks."""
    with _making:
        _made.add(journal)


def _before() -> None:
    _making.acquire()
    for journal in sorted(_made, key=id):
        journal.set_down()
        _set_down.append(journal)


def _after() -> None:
    while _set_down:
        _set_down.pop().take_up()
    if _making.locked():
        _making.release()


# A child that inherits an open file takes its parent's locks for its own: its parent would then take the log away beneath
# it, and what it commits would be lost (sqlite.org/howtocorrupt.html, 2.6). So nobody forks with a journal open.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
