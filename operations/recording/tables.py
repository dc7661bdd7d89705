"""How a row goes to its table: columns, types and values, worked out once a model instead of once a row."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from django.db import connection
from django.db import models as django_models
from django.db.models import DEFERRED

Row = TypeVar("Row", bound=django_models.Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as rows are inserted into it; `names` are quoted, `types` are PostgreSQL's, `read` gives a row's values.

    Text has no length among the types: a value that is too long is refused as it is written, never cut off.
    """

    name: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    json_at: tuple[int, ...]
    read: Callable[[django_models.Model], tuple[Any, ...]]

    def values(self, row: django_models.Model) -> list[Any]:
        """Return the values of one row as parameters of a statement, which takes JSON as its text."""
        found = list(self.read(row))
        for place in self.json_at:
            found[place] = json.dumps(found[place])
        return found

    @property
    def columns(self) -> str:
        """The columns as a statement lists them."""
        return ", ".join(self.names)

    @property
    def places(self) -> str:
        """A place for each value, as a statement lists them."""
        return ", ".join(["%s"] * len(self.names))


@cache
def table_of(model: type[django_models.Model], *but: str) -> Table:
    """Return the table of a model, without the columns that the database fills by itself."""
    fields = [field for field in model._meta.concrete_fields if field.name not in but]  # noqa: SLF001  # public in all but name
    types = [re.sub(r"\(\d+\)", "", str(field.db_type(connection))) for field in fields]
    quoted = connection.ops.quote_name
    return Table(
        name=quoted(model._meta.db_table),  # noqa: SLF001  # likewise
        names=tuple([quoted(str(field.column)) for field in fields]),
        types=tuple(types),
        json_at=tuple([place for place, kind in enumerate(types) if kind == "jsonb"]),
        read=attrgetter(*[field.attname for field in fields]),
    )


@cache
def _blank(model: type[django_models.Model]) -> tuple[tuple[str, Callable[[], Any]], ...]:
    """Return each column's attribute with what makes its value where none is given."""
    return tuple([(field.attname, _default(field)) for field in model._meta.concrete_fields])  # noqa: SLF001  # likewise


def _default(field: "django_models.Field[Any, Any]") -> Callable[[], Any]:
    if field.has_db_default():
        return lambda: DEFERRED
    return field.get_default


def made(model: type[Row], values: Mapping[str, Any]) -> Row:
    """Return a row of these values by attribute, with Django's defaults elsewhere.

    In the order of the columns Django makes a row several times faster than by keyword.
    """
    return model(*[values[name] if name in values else default() for name, default in _blank(model)])
