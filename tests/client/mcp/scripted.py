"""The proxy's two ends in a test's own hands: what a client says and hears, and what a server hears and says."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from unresolved import Desk, Journal, Mode, Recorder
from unresolved.proxy.naming import Naming, Rule
from unresolved.proxy.relaying import Relay, lines
from unresolved.proxy.wire_log import WireLog

WAIT = 30  # seconds; a bound, not a delay


@dataclass(slots=True)
class End:
    """One end: lines are said as bytes or as a message, and heard one by one."""

    file: int
    lines: "SimpleQueue[bytes]" = field(default_factory=SimpleQueue)

    def say(self, message: dict[str, Any] | bytes) -> bytes:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        os.write(self.file, raw)
        return raw

    def hear(self) -> bytes:
        return self.lines.get(timeout=WAIT)

    def message(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.hear())
        return told


class Pipes:
    """What stands for the server's process: its input and output are a test's, and it ends as soon as it is asked to."""

    def __init__(self) -> None:
        self.heard, up = os.pipe()
        down, self.says = os.pipe()
        self.stdin, self.stdout = os.fdopen(up, "wb", buffering=0), os.fdopen(down, "rb", buffering=0)
        self._is_over = False

    def end(self) -> None:
        """End its output."""
        if not self._is_over:
            self._is_over = True
            os.close(self.says)

    terminate = kill = end

    def wait(self, _: float | None = None) -> int:
        self.end()
        return 0


@dataclass(slots=True)
class Between:
    """A relay under way."""

    client: End
    server: End
    pipes: Pipes
    thread: threading.Thread
    recorder: Recorder
    wire: Path
    passed: "SimpleQueue[str]" = field(default_factory=SimpleQueue)

    def end_server(self) -> None:
        self.pipes.end()

    def over(self) -> None:
        """Wait until the relay ended."""
        self.thread.join(WAIT)
        assert not self.thread.is_alive()


def _listen(source: int, end: End) -> None:
    for line in lines(source):
        end.lines.put(line)


def call(number: object, order: str = "order-1", **more: Any) -> dict[str, Any]:
    """A guarded call."""
    params = {"name": "issue", "arguments": {"order": order}, **more}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def result(number: object, **more: Any) -> dict[str, Any]:
    """An answer to it."""
    return {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "done"}], **more}}


@contextmanager
def between(
    folder: Path,
    desk: Desk,
    *,
    mode: Mode = Mode.LOCAL,
    patience: float | None = None,
    recorder: type[Recorder] = Recorder,
) -> Iterator[Between]:
    """Keep a relay for a block; the tool `issue` is guarded."""
    pipes, source, sink = Pipes(), os.pipe(), os.pipe()
    client, server = End(source[1]), End(pipes.says)
    made = recorder(journal=Journal(folder / "ops.db"), desk=desk, mode=mode)
    relay = Relay(
        pipes,  # type: ignore[arg-type]  # as much of a process as is used
        Naming(rules={"issue": Rule(recipient="tickets", intent="/order")}),
        made,
        log=WireLog(str(folder / "wire.jsonl"), clock=lambda: 1.0, complain=print),
        client=(source[0], sink[1]),
        patience=patience,
    )
    readers = [(sink[0], client), (pipes.heard, server)]
    listeners = [threading.Thread(target=_listen, args=pair, daemon=True) for pair in readers]
    for one in listeners:
        one.start()
    thread = threading.Thread(target=relay.run, daemon=True)
    thread.start()
    found = Between(client, server, pipes, thread, made, folder / "wire.jsonl")
    try:
        yield found
    finally:
        os.close(source[1])  # as a client that goes
        found.over()
        os.close(sink[1])
        for reader in listeners:
            reader.join(WAIT)
        for file in (source[0], sink[0], pipes.heard):
            os.close(file)
        pipes.stdout.close()
        made.journal.close()
