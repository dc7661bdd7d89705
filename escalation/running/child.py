"""Processes that a desk starts: each is on record before it runs, so that a later start can end what a killed one left."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from escalation.env import ROOT

# Start times are read from the same clock of the same kernel; they differ by rounding only.
SAME_START = 0.05
LOG_LIMIT = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start and how to end it. `account` is the (uid, gid) it runs as, where that is not this user."""

    name: str
    words: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    account: tuple[int, int] | None = None
    folder: Path = ROOT
    stop_signal: signal.Signals = signal.SIGTERM
    stop_within: float = 10.0


@dataclass(slots=True, kw_only=True)
class Child:
    """A started command."""

    command: Command
    process: subprocess.Popen[bytes]

    def ended(self) -> int | None:
        """Its exit status (negative: the signal that ended it), or None while it runs."""
        return self.process.poll()


def start(command: Command, *, run_folder: Path, log_folder: Path) -> Child:
    """`command` runs in a session of its own, and was on record before its first instruction.

    A terminal's Ctrl-C therefore reaches the desk alone, which ends its children in order.
    """
    record = os.open(run_folder / f"{command.name}.pid", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    uid, gid = command.account or (None, None)
    with _log(log_folder / f"{command.name}.log") as log:
        try:
            process = subprocess.Popen(
                command.words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=command.folder,
                env={**{key: value for key, value in os.environ.items() if key not in command.without}, **command.env},
                user=uid,
                group=gid,
                extra_groups=[] if command.account else None,
                start_new_session=True,
                preexec_fn=_recorder(record),
            )
        finally:
            os.close(record)
    return Child(command=command, process=process)


def _recorder(record: int) -> Callable[[], None]:
    def write() -> None:
        me = psutil.Process()
        os.write(record, json.dumps({"pid": me.pid, "started": me.create_time()}).encode())

    return write


def _log(path: Path) -> "contextlib.AbstractContextManager[int]":
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_suffix(".old.log"))
    return _opened(path)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        yield log
    finally:
        os.close(log)


def stop(child: Child, *, run_folder: Path) -> bool:
    """`child` and everything in its session has ended; True if it did so by itself within the command's time."""
    if child.ended() is None:
        child.process.send_signal(child.command.stop_signal)
    try:
        child.process.wait(child.command.stop_within)
        orderly = True
    except subprocess.TimeoutExpired:
        orderly = False
    forget(child, run_folder=run_folder)
    return orderly


def forget(child: Child, *, run_folder: Path) -> None:
    """Nothing of `child`'s session is alive, and it is off the record."""
    # The session's number can't be given to anything else while a member of it lives.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, signal.SIGKILL)
    child.process.wait()
    (run_folder / f"{child.command.name}.pid").unlink(missing_ok=True)


def end_left_behind(name: str, *, run_folder: Path, stop_signal: signal.Signals, within: float = 10.0) -> bool:
    """What the record `name` points at has ended, with its session; True if anything had been left.

    A process counts only if its start time is the recorded one: a number that was given to a stranger is let alone.
    """
    record = run_folder / f"{name}.pid"
    try:
        noted = json.loads(record.read_text(encoding="utf-8"))
        members = left_behind(pid=int(noted["pid"]), started=float(noted["started"]))
    except (FileNotFoundError, ValueError, KeyError):
        members = []
    # The leader ends its own; what it leaves, or what had lost its leader, is killed.
    for member in members[:1]:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.send_signal(stop_signal)
    _wait(members[:1], within=within)
    for member in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    _wait(members, within=within)
    record.unlink(missing_ok=True)
    return bool(members)


def _wait(members: list[psutil.Process], *, within: float) -> None:
    """Until none runs, or time is out. One that has ended but was not collected by its new parent counts as ended."""
    last = time.monotonic() + within
    while any(_runs(member) for member in members) and time.monotonic() < last:
        time.sleep(0.02)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def left_behind(*, pid: int, started: float) -> list[psutil.Process]:
    """The process `pid` if it is the one that began at `started`, then the later members of its session."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            born = process.create_time()
            itself = process.pid == pid and abs(born - started) < SAME_START
            if itself or (process.pid != pid and os.getsid(process.pid) == pid and born >= started - SAME_START):
                found.append(process)
    # A stranger that was given the number leads a session of its own: then none of those found is ours.
    strange = psutil.pid_exists(pid) and all(process.pid != pid for process in found)
    return [] if strange else sorted(found, key=lambda process: process.pid != pid)
