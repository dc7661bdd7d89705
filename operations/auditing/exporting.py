"""A checkpoint is written beside the others, never over one, and is on disk before the desk says that it exists."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain as one_after_another
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from operations import models
from operations.auditing.checkpoint import ENDING, NO_MARK, Entry, header, mark
from operations.auditing.keeping import rows
from operations.auditing.walking import Chain, one_moment, walk
from operations.recording.checkpointing import keep


class NotExported(Exception):
    """The folder took no file; nothing was written, and the desk has no row of it."""


@dataclass
class _Counted:
    operations: int = 0
    links: int = 0


def marks(chain: Chain, *, links: int) -> tuple[str, ...]:
    """Return the marks of the first `links` links as they stand; dots where no row stands at a position."""
    found = {link.position: mark(link.digest) for link in reversed(chain.behind) if 0 < link.position < links}
    first = NO_MARK if chain.row is None else mark(chain.first)
    return (first, *[found.get(at, NO_MARK) for at in range(1, links)])


def _entries(counted: _Counted) -> Iterator[str]:
    for chain in walk(whole=False):
        row = chain.row
        if row is None:
            continue  # its rows name an operation that is gone; verify_audit says so
        counted.operations += 1
        counted.links += row.links
        yield Entry(
            operation=row.id,
            number=row.number,
            links=row.links,
            revision=row.revision,
            head=bytes(row.head),
            marks=marks(chain, links=row.links),
        ).line()


def _rows() -> Iterator[str]:
    return (standing.row.line() for standing in rows())


def export(folder: Path, *, now: datetime) -> models.Checkpoint:
    """Write the checkpoint of this moment into a folder, and the row that names it; raises `NotExported`.

    Whatever is committed later is in the next one. Two at once: one of them is refused by the database.
    """
    with one_moment(), TemporaryFile() as spool:
        newest = models.Checkpoint.objects.order_by("-sequence").first()
        sequence = 1 if newest is None else newest.sequence + 1
        previous = None if newest is None else bytes(newest.digest)
        counted, digest = _Counted(), sha256()
        first = header(sequence=sequence, taken_at=now, previous=previous)
        for line in one_after_another([first], _entries(counted), _rows()):
            digest.update(line.encode("ascii"))
            spool.write(line.encode("ascii"))
        spool.write(f"sha256 {digest.hexdigest()}\n".encode("ascii"))
        name = f"unresolved-{sequence:06d}-{now.astimezone(UTC):%Y-%m-%d}-{digest.hexdigest()[:12]}{ENDING}"
        row = keep(
            models.Checkpoint(
                sequence=sequence,
                taken_at=now,
                digest=digest.digest(),
                previous=previous,
                operations=counted.operations,
                links=counted.links,
                name=name,
            )
        )
        _put(spool, folder / name)
        return row


def _put(spool: IO[bytes], path: Path) -> None:
    """Copy a whole file to a name that is not taken, and have it on disk."""
    spool.seek(0)
    try:
        with path.open("xb") as file:
            shutil.copyfileobj(spool, file)
            file.flush()
            os.fsync(file.fileno())
        path.chmod(0o444)
        _sync_folder(path.parent)
    except OSError as error:
        raise NotExported(f"{path}: {error.strerror}.") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some mounts can't sync a folder; the file itself is synced
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_due(*, now: datetime) -> bool:
    """Whether no checkpoint was taken yet on this day (UTC)."""
    newest = models.Checkpoint.objects.order_by("-sequence").values_list("taken_at", flat=True).first()
    return newest is None or newest.astimezone(UTC).date() < now.astimezone(UTC).date()
