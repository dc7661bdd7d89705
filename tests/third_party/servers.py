"""The recipients as processes of their own, each on a port of its own; ended when the block ends."""

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.third_party.installed import environment, python

WITHIN: Final = 60.0  # seconds until it listens


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Say whether somebody accepts connections there."""
    with socket.socket() as trying:
        trying.settimeout(1)
        return trying.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(name: str, words: Sequence[str], *, port: int, log: Path) -> Iterator[int]:
    """Run `python WORDS` in the environment of this recipient until the block ends; yields the port it listens on."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            [str(python(name)), *words],
            env=environment(),
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        last = time.monotonic() + WITHIN
        while not listens(port):
            if process.poll() is not None or time.monotonic() > last:
                raise RuntimeError(f"{name} does not listen: {log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def localstripe(log: Path) -> Iterator[int]:
    """A localstripe without refunds."""
    port = free_port()
    words = ["-m", "localstripe", "--port", str(port), "--from-scratch"]
    with running("localstripe", words, port=port, log=log) as found:
        yield found


@contextmanager
def moto(log: Path) -> Iterator[int]:
    """A moto server without buckets, queues and instances."""
    port = free_port()
    with running("moto", ["-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port=port, log=log) as found:
        yield found


@contextmanager
def mockworld(log: Path) -> Iterator[int]:
    """mockworld's payments as an MCP server over HTTP that invents no errors."""
    port = free_port()
    options = ["--transport", "http", "--port", str(port), "--seed", "7", "--faults", "none"]
    words = ["-c", "from mockworld.cli import main; main()", "run", "mock:payments", *options]
    with running("mockworld", words, port=port, log=log) as found:
        yield found
