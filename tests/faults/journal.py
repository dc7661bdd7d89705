"""Trials are written down one by one as they end: a run that is cut leaves its counts, and the next one goes on from them."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.faults.breaking import Trial
from tests.faults.points import ROOT

_BROKEN_OFF: Final = ("operations", "escalation", "tests/faults")


class OtherCode(Exception):
    """The journal is of other code, of which its counts say nothing about this."""


@cache
def version() -> str:
    """Return a digest of the code that is broken off and of what breaks it off."""
    found = sha256()
    for path in sorted(path for place in _BROKEN_OFF for path in (ROOT / place).rglob("*.py")):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


@dataclass(frozen=True, slots=True)
class Journal:
    """A file: a line that says of which code and seed it is, and a line a trial. Several processes add to it at once."""

    path: Path

    def open(self, *, seed: int) -> int:
        """Begin it, or go on with it; return how many trials are in it. Raises `OtherCode`."""
        head = json.dumps({"version": version(), "seed": seed})
        lines = self._lines() or [head]
        if lines[0] != head:
            raise OtherCode(f"{self.path} is of other code or of another seed: remove it, or name another file.")
        self.path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return len(lines) - 1

    def read(self, most: int) -> list[Trial]:
        """Return its first trials."""
        return [Trial(**json.loads(line)) for line in self._lines()[1 : most + 1]]

    def add(self, trials: Iterable[Trial]) -> None:
        """Write down what has just ended."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in trials))

    def _lines(self) -> list[str]:
        """A line that was cut is none."""
        if not self.path.exists():
            return []
        return self.path.read_text(encoding="utf-8").split("\n")[:-1]
