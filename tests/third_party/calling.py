"""A program with the real library, run in the environment of its recipient and told what to do line by line."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from tests.third_party.installed import environment, python

CALLERS: Final = Path(__file__).parent / "callers"


@dataclass(frozen=True, slots=True)
class Caller:
    """A running program; `log` has what it said beside its answers."""

    to: IO[str]
    of: IO[str]
    log: Path

    def answer(self) -> dict[str, Any]:
        """What it answers next."""
        line = self.of.readline()
        if not line:
            raise RuntimeError(f"the caller has ended: {self.log.read_text()[-2000:]}")
        found: dict[str, Any] = json.loads(line)
        return found

    def call(self, **told: Any) -> dict[str, Any]:
        """Have it do this, and return what its library made of it: `result`, or `error` and `message`."""
        self.to.write(json.dumps(told) + "\n")
        self.to.flush()
        return self.answer()

    def must(self, **told: Any) -> Any:
        """The result of what has to succeed."""
        said = self.call(**told)
        if "error" in said:
            raise RuntimeError(f"{said['error']}: {said['message']}")
        return said["result"]


@contextmanager
def caller(name: str, program: str, *words: str, log: Path) -> Iterator[Caller]:
    """Run a program of `callers` until the block ends."""
    with log.open("w") as said:
        process = subprocess.Popen(
            [str(python(name)), str(CALLERS / f"{program}.py"), *words],
            env=environment(), cwd=log.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True,
        )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Caller(process.stdin, process.stdout, log)
    finally:
        process.terminate()
        process.communicate()
