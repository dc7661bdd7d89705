"""The rows beside the chains as they stand: a digest of what never changes, and of each group that was set once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

from django.db.models import BinaryField, TextField
from django.db.models.functions import Cast, Collate

from operations.auditing.checkpoint import KeptRow
from operations.auditing.tables import Kept, kept, values
from operations.auditing.walking import AT_ONCE
from operations.models.chain import canonical

FILES_AT_ONCE: Final = 4  # an attachment has up to 10 MiB


@dataclass(frozen=True, slots=True)
class Standing:
    """One row as it stands now, and when it says that it was written (None: it does not say)."""

    row: KeptRow
    written_at: datetime | None


def _plain(value: object) -> object:
    return str(value.normalize()) if isinstance(value, Decimal) else value


def _digest(name: str, key: str, said: dict[str, object]) -> bytes:
    stated = {column: _plain(value) for column, value in said.items()}
    return sha256(canonical({"table": name, "key": key, "columns": stated})).digest()


def _once(table: Kept, row: Any, key: str) -> Iterator[bytes | None]:
    """Yield the digest of each group, None where nothing of what may be empty in it is set."""
    for group in table.once:
        said = values(row, group)
        may_be_empty = [name for name in group if table.model._meta.get_field(name).null]  # noqa: SLF001  # public in all but name
        is_set = any(said[name] is not None for name in may_be_empty)
        yield _digest(table.name, key, said) if is_set else None


def _standing(table: Kept, row: Any) -> Standing:
    key = str(row.pk)
    listed = KeptRow(
        table=table.name,
        key=key,
        always=_digest(table.name, key, values(row, table.always)),
        once=tuple(_once(table, row, key)),
    )
    return Standing(listed, None if table.written is None else getattr(row, table.written))


def _at_once(table: Kept) -> int:
    holds_files = any(isinstance(field, BinaryField) for field in table.model._meta.concrete_fields)  # noqa: SLF001  # likewise
    return FILES_AT_ONCE if holds_files else AT_ONCE


def rows() -> Iterator[Standing]:
    """Yield every row that a checkpoint covers, in the order of tables and keys; within `one_moment`."""
    for table in kept():
        ordered = table.model._default_manager.annotate(in_order=Collate(Cast("pk", TextField()), "C"))  # noqa: SLF001  # likewise
        for row in ordered.order_by("in_order").iterator(chunk_size=_at_once(table)):
            yield _standing(table, row)
