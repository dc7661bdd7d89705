"""Every chain is walked in the order of the operations' ids, at one moment, in memory that does not grow with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from heapq import merge
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.db import connection, transaction
from django.db import models as django_models

from operations import models
from operations.models.chain import NOTHING_BEFORE, link
from operations.record.rows import WRITTEN
from operations.recording.pen import first_digest, row_of

AT_ONCE: Final = 100  # rows of one table that are held at a time; a payload has up to 1 MiB
_CHAINED: Final = frozenset({"operation", "position", "digest"})


@dataclass(frozen=True, slots=True)
class Link:
    """One row of a chain behind the first: where it says that it stands, and the digest that it carries."""

    row: Any

    @property
    def kind(self) -> str:
        """The kind of row, as the chain sees it."""
        return str(self.row._meta.model_name)  # noqa: SLF001  # public in all but name

    @property
    def position(self) -> int:
        """Where it says that it stands."""
        return int(self.row.position)

    @property
    def digest(self) -> bytes:
        """The digest that it carries."""
        return bytes(self.row.digest)

    @property
    def written_at(self) -> datetime | None:
        """When it says that it was written; None for a kind that does not say."""
        name, _ = WRITTEN.get(self.kind, ("", ""))
        return getattr(self.row, name, None)

    def after(self, previous: bytes, *, position: int | None = None) -> bytes:
        """Return the digest that it would have behind `previous`, at its own position or at another."""
        said = row_of(self.row)
        return link(previous, said if position is None else {**said, "position": position})


@dataclass(frozen=True, slots=True)
class Chain:
    """One operation as it is on record: its row (None where it is gone) and the links that name it, by position."""

    id: UUID
    row: models.Operation | None
    behind: tuple[Link, ...]

    @property
    def first(self) -> bytes:
        """The digest of the first link, computed from the bound request; nothing else holds it."""
        return NOTHING_BEFORE if self.row is None else first_digest(self.row)


@cache
def chained() -> tuple[type[django_models.Model], ...]:
    """Return the model of every kind of row that is a link of an operation's chain."""
    found = apps.get_app_config("operations").get_models()
    return tuple([model for model in found if {field.name for field in model._meta.fields} >= _CHAINED])  # noqa: SLF001  # likewise


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read in here is as it stands at one moment; inside of a transaction, as that one sees it."""
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _links(model: type[Any], *, whole: bool) -> Iterator[Link]:
    rows = model.objects.order_by("operation_id", "position")
    if not whole:
        rows = rows.only("operation_id", "position", "digest")
    for row in rows.iterator(chunk_size=AT_ONCE):
        yield Link(row)


def _place(found: Link) -> tuple[int, int, str]:
    return found.row.operation_id.int, found.position, found.kind


def _by_operation(*, whole: bool) -> Iterator[tuple[UUID, tuple[Link, ...]]]:
    streams = [_links(model, whole=whole) for model in chained()]
    for operation, links in groupby(merge(*streams, key=_place), key=lambda found: found.row.operation_id):
        yield operation, tuple(links)


def walk(*, whole: bool = True) -> Iterator[Chain]:
    """Yield every chain in the order of the ids, also of operations whose own row is gone; within `one_moment`.

    Not `whole`, the links carry only place and digest, and can't be checked.
    """
    rows = models.Operation.objects.order_by("id").iterator(chunk_size=AT_ONCE)
    behind = _by_operation(whole=whole)
    row, links = next(rows, None), next(behind, None)
    while row is not None or links is not None:
        if row is not None and (links is None or row.id.int <= links[0].int):
            own = links is not None and links[0] == row.id
            yield Chain(row.id, row, links[1] if links is not None and own else ())
            row, links = next(rows, None), next(behind, None) if own else links
        elif links is not None:
            yield Chain(links[0], None, links[1])
            links = next(behind, None)
