"""One desk: its servers, its processes, and what happens when one of them dies."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from escalation.env import app_url, data_folder, database_is_given, run_folder
from escalation.running import child as children
from escalation.running.child import Child, Command
from escalation.running.refused import CannotStart, Stopped

FIRST_PAUSE, LONGEST_PAUSE, FORGIVEN_AFTER = 0.5, 30.0, 60.0  # seconds
EVERY_SECONDS = 0.1


@dataclass(slots=True)
class Kept:
    """A command that is kept running: its process now, and the pause before the next one if that dies."""

    command: Command
    child: Child | None
    started: float
    pause: float = FIRST_PAUSE
    due: float | None = None


@dataclass(slots=True)
class Supervisor:
    """Starts commands in order, starts again what dies, and stops all in the opposite order."""

    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    kept: list[Kept] = field(default_factory=list)
    asked_to_stop: threading.Event = field(default_factory=threading.Event)

    def going(self) -> bool:
        """False once the desk was asked to stop, or a kept process ended while the desk was coming up."""
        return not self.asked_to_stop.is_set() and all(kept.child and kept.child.ended() is None for kept in self.kept)

    def keep(self, command: Command) -> None:
        """`command` runs, and is started again whenever it ends."""
        self.kept.append(Kept(command=command, child=self._start(command), started=self.clock()))

    def run_once(self, command: Command) -> str:
        """`command` has run to its end; what it said. Raises `CannotStart` with its last words if it failed."""
        log = _log_of(command)
        log.unlink(missing_ok=True)
        process = self._start(command)
        try:
            while (status := process.ended()) is None:
                if self.asked_to_stop.wait(EVERY_SECONDS):
                    raise Stopped
        finally:
            children.stop(process, run_folder=run_folder())
        said = log.read_text(encoding="utf-8", errors="replace").strip()
        if status != 0:
            reason = (said.splitlines() or ["it gave no reason"])[-1]
            raise CannotStart(f"The step {command.name} failed ({reason}): all that it said is in {log}.")
        log.unlink()  # it may hold a sign-in link, and a step that went well is of no more interest
        return said

    def must(self, answered: bool, *, name: str) -> None:  # noqa: FBT001 - reads as a sentence where it is called
        """Raise `Stopped` or `CannotStart` unless what was waited for has `answered`."""
        if self.asked_to_stop.is_set():
            raise Stopped
        if not answered:
            log = data_folder() / "log" / f"{name}.log"
            raise CannotStart(f"{name} did not come up ({_last_line(log)}): the whole of what it said is in {log}.")

    def watch(self) -> None:
        """Start again what dies, until the desk is asked to stop."""
        while not self.asked_to_stop.wait(EVERY_SECONDS):
            for kept in self.kept:
                self._look_after(kept)

    def _look_after(self, kept: Kept) -> None:
        now = self.clock()
        if kept.child is not None and (status := kept.child.ended()) is not None:
            children.forget(kept.child, run_folder=run_folder())
            kept.pause = FIRST_PAUSE if now - kept.started > FORGIVEN_AFTER else kept.pause
            kept.child, kept.due = None, now + kept.pause
            self.say(f"{kept.command.name} ended ({_how(status)}); it starts again in {kept.pause:g} s.")
            kept.pause = min(2 * kept.pause, LONGEST_PAUSE)
        if kept.due is not None and now >= kept.due:
            kept.child, kept.started, kept.due = self._start(kept.command), now, None

    def stop(self) -> None:
        """Everything has ended, the last started first; what does not end in its time is killed, and that is said."""
        while self.kept:
            kept = self.kept.pop()
            if kept.child is not None and not children.stop(kept.child, run_folder=run_folder()):
                self.say(f"{kept.command.name} did not end within {kept.command.stop_within:g} s and was killed.")

    def _start(self, command: Command) -> Child:
        return children.start(command, run_folder=run_folder(), log_folder=data_folder() / "log")


def _log_of(command: Command) -> Path:
    return data_folder() / "log" / f"{command.name}.log"


def _last_line(path: Path) -> str:
    try:
        return (path.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["it said nothing"])[-1]
    except OSError:
        return "it said nothing"


def _how(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"


@contextmanager
def signals_to(event: threading.Event) -> Iterator[None]:
    """While this is open, SIGTERM, SIGINT and SIGHUP set `event` and do nothing else."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        event.set()

    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def python_command(
    name: str, *words: str, role: str = "app", within: float = 10.0, more: Mapping[str, str] | None = None
) -> Command:
    """A command of this installation's Python, as the owner or the app role of the database.

    A process that serves is not given the owner's address.
    """
    env = {"DJANGO_SETTINGS_MODULE": "escalation.settings", "PYTHONUNBUFFERED": "1"}
    env |= {"UNRESOLVED_VAR": str(data_folder()), "UNRESOLVED_ROLE": role, **(more or {})}
    without = frozenset[str]()
    if role == "app" and database_is_given():
        without = frozenset({"DATABASE_URL", "DATABASE_URL_FILE"})
        env["DATABASE_APP_URL"] = app_url()
    return Command(name=name, words=[sys.executable, *words], env=env, without=without, stop_within=within)
