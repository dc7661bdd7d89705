"""The file of a checkpoint: the head of every chain at one moment, in an order and with a digest that anybody can check.

It is text, a line each. The first line is a JSON object: what it is, its sequence, when it was taken, and the digest of
the checkpoint before it. Then one line an operation in the order of their ids: id, number, links, revision, head (SHA-256),
and a mark of each link from the bound request on (the first four bytes of its digest; dots where there was none), so
that the one row that was changed can be named. Then one line a row of what stands beside the chains (tables.py): the
word "row", its table, its key, the SHA-256 of what never changes in it, and that of each group of columns that is set
once, or a dash. The last line is the SHA-256 of every byte before it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

FORMAT: Final = 2
ENDING: Final = ".checkpoint"
MARK_BYTES: Final = 4
NO_MARK: Final = "." * 2 * MARK_BYTES
_ROW: Final = "row "
_LAST: Final = "sha256 "


class Unreadable(Exception):
    """The file is no whole checkpoint; the message says which file, and why."""


def mark(digest: bytes) -> str:
    """Return the short mark of a link's digest: it finds a row; what proves is the head."""
    return digest[:MARK_BYTES].hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One chain as a checkpoint has it: `marks[i]` is that of the link at position i."""

    operation: UUID
    number: int
    links: int
    revision: int
    head: bytes
    marks: tuple[str, ...]

    def line(self) -> str:
        """Return it as the file has it."""
        return (
            f"{self.operation.hex} {self.number} {self.links} {self.revision} {self.head.hex()} {''.join(self.marks)}\n"
        )


def _entry(line: str) -> Entry:
    operation, number, links, revision, head, marks = line.split()
    width = 2 * MARK_BYTES
    return Entry(
        operation=UUID(operation),
        number=int(number),
        links=int(links),
        revision=int(revision),
        head=bytes.fromhex(head),
        marks=tuple([marks[at : at + width] for at in range(0, len(marks), width)]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRow:
    """One row beside the chains as a checkpoint has it; `once` has None for each group that was not set yet."""

    table: str
    key: str
    always: bytes
    once: tuple[bytes | None, ...]

    def line(self) -> str:
        """Return it as the file has it."""
        groups = "".join([f" {'-' if one is None else one.hex()}" for one in self.once])
        return f"{_ROW}{self.table} {self.key} {self.always.hex()}{groups}\n"


def _row(line: str) -> KeptRow:
    _, table, key, always, *once = line.split()
    return KeptRow(
        table=table,
        key=key,
        always=bytes.fromhex(always),
        once=tuple([None if one == "-" else bytes.fromhex(one) for one in once]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A checkpoint's file that is whole; its entries are read when they are asked for."""

    path: Path
    sequence: int
    taken_at: datetime
    previous: bytes | None
    digest: bytes

    @property
    def when(self) -> str:
        """Which checkpoint, in words."""
        return f"checkpoint {self.sequence} of {self.taken_at:%Y-%m-%d %H:%M} UTC"

    @property
    def said(self) -> str:
        """The same at the beginning of a sentence."""
        return f"C{self.when[1:]}"

    def rows(self) -> Iterator[KeptRow]:
        """Yield every row beside the chains that it holds, in the order of tables and keys; raises `Unreadable`."""
        before = ("", "")
        with self.path.open(encoding="ascii") as lines:
            for line in lines:
                if not line.startswith(_ROW):
                    continue
                row = _read_row(line, path=self.path)
                if (row.table, row.key) <= before:
                    raise Unreadable(f"{self.path}: its rows are not in order.")
                before = row.table, row.key
                yield row

    def entries(self) -> Iterator[Entry]:
        """Yield every chain that it holds, in the order of the ids; raises `Unreadable`."""
        before = -1
        with self.path.open(encoding="ascii") as lines:
            next(lines)
            for line in lines:
                if line.startswith((_ROW, _LAST)):
                    return
                entry = _read(line, path=self.path)
                if entry.operation.int <= before:
                    raise Unreadable(f"{self.path}: its operations are not in order.")
                before = entry.operation.int
                yield entry


def _read(line: str, *, path: Path) -> Entry:
    try:
        entry = _entry(line)
    except ValueError as error:
        raise Unreadable(f"{path}: a line is none of a checkpoint: {line[:60]!r}.") from error
    if len(entry.marks) != entry.links:
        raise Unreadable(f"{path}: operation {entry.number} does not have a mark a link.")
    return entry


def _read_row(line: str, *, path: Path) -> KeptRow:
    try:
        return _row(line)
    except ValueError as error:
        raise Unreadable(f"{path}: a line is none of a checkpoint: {line[:60]!r}.") from error


def header(*, sequence: int, taken_at: datetime, previous: bytes | None) -> str:
    """Return the first line."""
    said = {
        "checkpoint": "unresolved",
        "format": FORMAT,
        "sequence": sequence,
        "taken_at": taken_at.isoformat(),
        "previous": None if previous is None else previous.hex(),
    }
    return json.dumps(said) + "\n"


def opened(path: Path) -> Exported:
    """Return the checkpoint in a file once its last line is the digest of all the others; raises `Unreadable`."""
    try:
        first, stated, digest = _digested(path)
        said: dict[str, Any] = json.loads(first)
        if said["checkpoint"] != "unresolved" or said["format"] != FORMAT:
            raise Unreadable(f"{path}: it is no checkpoint of a format that is known here.")
        if stated != f"sha256 {digest.hex()}\n":
            raise Unreadable(
                f"{path}: its last line is not the digest of what stands before; it was changed or cut off."
            )
        previous = said["previous"]
        return Exported(
            path=path,
            sequence=int(said["sequence"]),
            taken_at=datetime.fromisoformat(said["taken_at"]),
            previous=None if previous is None else bytes.fromhex(previous),
            digest=digest,
        )
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path}: it is no checkpoint.") from error


def _digested(path: Path) -> tuple[str, str, bytes]:
    """Return the first line, the last, and the digest of all before the last."""
    digest, first, last = sha256(), b"", b""
    with path.open("rb") as lines:
        for line in lines:
            first = first or line
            digest.update(last)
            last = line
    return first.decode("ascii"), last.decode("ascii"), digest.digest()
