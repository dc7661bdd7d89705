"""Commands on disk before they are carried out: what a killed desk had begun, the next one finds done."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Journal:
    """One JSON object a line. A last line that a crash cut short was never carried out and is removed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        whole = self._whole()
        self._file = path.open("ab")
        self._file.truncate(whole)

    def _whole(self) -> int:
        """How many bytes end with a line's end."""
        if not self._path.exists():
            return 0
        return self._path.read_bytes().rfind(b"\n") + 1

    def read(self) -> Iterator[dict[str, Any]]:
        """Every command that was written, oldest first."""
        with self._path.open("rb") as lines:
            for line in lines:
                yield json.loads(line)

    def write(self, command: dict[str, Any]) -> None:
        """Add a command; it is on disk when this returns."""
        self._file.write(json.dumps(command).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write no more."""
        self._file.close()
