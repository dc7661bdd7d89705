"""A checkpoint's row is added once its file is whole; it is never changed."""

from operations import models


def keep(row: models.Checkpoint) -> models.Checkpoint:
    """Insert it, in the caller's transaction, which ends once the file is on disk."""
    row.save(force_insert=True)
    return row
