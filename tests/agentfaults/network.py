"""The network between an agent, its desk and the recipient: a process of its own, which loses, cuts, holds or answers by itself.

One request a connection. What arrives at the recipient's side is looked at before it is handed on: at its first byte the
agent's journal is read, as anybody may read it.
"""

import json
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any, Final

from tests.agentfaults.relay import Relay

DESK: Final = "desk"
TICKETS: Final = "tickets"
# What may befall a request. At the recipient nothing may double it: that would be the network's attempt, and nobody's.
WAYS: Final = (
    "refused",  # nobody listens
    "request lost",
    "request lost in silence",  # no answer and no end, until whoever asked gives up
    "request cut",
    "request late",  # the connection breaks; what was asked arrives once all is over
    "slow",
    "answered 503",  # by something in between, which hands nothing on
    "answered 504",  # by something in between, after the work
    "reply lost",
    "reply cut",
)
TWICE: Final = "request doubled"
AT_WORK: Final = "killed at work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaking:
    """How a side breaks: `way`, for so many requests (None: until it is healed), how a connection ends, and a delay."""

    way: str
    times: int | None = 1
    ending: str = "closed"
    delay: float = 0.02
    victim: int = 0


class Network:
    """One process between all; `ports` is where each side is reached."""

    def __init__(self, targets: dict[str, int]) -> None:
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            Relay(theirs, targets).serve()
            os._exit(0)
        theirs.close()
        self._control = ours
        self._lines = ours.makefile("r", encoding="utf-8")
        self.ports: dict[str, int] = self._says("ports")

    def url(self, side: str) -> str:
        """Where an agent finds a side."""
        return f"http://127.0.0.1:{self.ports[side]}"

    def watch(self, journal: str) -> None:
        """Begin anew: nothing was seen, nothing is broken, and this is the journal to look at."""
        self._says("watch", journal=journal)

    def breaks(self, side: str, breaking: Breaking) -> None:
        """From now on a side breaks."""
        how = {name: getattr(breaking, name) for name in ("way", "times", "ending", "delay", "victim")}
        self._says("breaks", side=side, **how)

    def heal(self) -> None:
        """From now on all is well; what is late is late still."""
        self._says("heal")

    def release(self) -> None:
        """What was late arrives now."""
        self._says("release")

    def quiet(self) -> None:
        """Wait until nothing is under way any more; raises AssertionError where something is for too long."""
        assert self._says("quiet"), "the network does not come to rest"

    def seen(self, side: str) -> list[dict[str, Any]]:
        """What came to a side since `watch`, in order."""
        found: list[dict[str, Any]] = self._says("seen", side=side)
        return found

    def end(self) -> None:
        """It is gone."""
        self._lines.close()
        self._control.close()
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def _says(self, word: str, **more: Any) -> Any:
        self._control.sendall(json.dumps({"word": word, **more}).encode() + b"\n")
        line = self._lines.readline()
        assert line, "the network is gone"
        return json.loads(line)
