"""Which rows beside the chains are covered by a checkpoint, and column by column what of them never changes.

It is read off the models, so that a table that is added is covered without a word: what the app role may not update
(`app_may`) never changes. `kept_once` names groups of columns that are empty first, and set together once. `kept` narrows
the first kind where the app role may update whole rows; `uncovered` says in a sentence why no row of a table is covered.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.db import models as django_models

from operations.auditing.walking import chained

Model = type[django_models.Model]
OURS: Final = ("escalation", "operations")
# When a row says that it was written, the first of these that it has.
_WRITTEN: Final = (
    "created_at",
    "recorded_at",
    "received_at",
    "given_at",
    "set_at",
    "proposed_at",
    "decided_at",
    "begun_at",
    "ran_at",
    "made_at",
    "opened_at",
    "since",
    "at",
    "date_joined",
)
_UPDATE: Final = "UPDATE ("


@dataclass(frozen=True, slots=True)
class Kept:
    """One table that is covered: the columns that never change, and the groups that are set once (attribute names)."""

    model: Model
    always: tuple[str, ...]
    once: tuple[tuple[str, ...], ...]
    written: str | None

    @property
    def name(self) -> str:
        """The table's name in a checkpoint."""
        return self.model._meta.label_lower  # noqa: SLF001  # public in all but name


def _columns(model: Model) -> dict[str, str]:
    """Return a table's attributes by column."""
    return {str(field.column): field.attname for field in model._meta.concrete_fields}  # noqa: SLF001  # likewise


def _updated(model: Model) -> set[str] | None:
    """Return the columns that the app role may update, None where it may update all of them."""
    rights: Iterable[str] = getattr(model, "app_may", ())
    if "UPDATE" in rights:
        return None
    listed = [right.removeprefix(_UPDATE).rstrip(")") for right in rights if right.startswith(_UPDATE)]
    return {column.strip() for columns in listed for column in columns.split(",")}


def _attributes(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """Return fields by their names as the attributes that hold their values."""
    return tuple([model._meta.get_field(name).attname for name in names])  # type: ignore[union-attr]  # noqa: SLF001  # likewise


def _kept(model: Model) -> Kept:
    columns, updated = _columns(model), _updated(model)
    stated: tuple[str, ...] | None = getattr(model, "kept", None)
    free = set() if updated is None else set(columns.values()) - {columns[one] for one in updated}
    always = tuple([one for one in columns.values() if one in free]) if stated is None else _attributes(model, stated)
    groups: tuple[tuple[str, ...], ...] = getattr(model, "kept_once", ())
    return Kept(
        model=model,
        always=always,
        once=tuple([_attributes(model, group) for group in groups]),
        written=next((name for name in _WRITTEN if name in always), None),
    )


def why_uncovered(model: Model) -> str | None:
    """Return None, or the sentence that says why a checkpoint covers no row of this table."""
    if model._meta.app_label not in OURS:  # noqa: SLF001  # likewise
        return "It is no table of ours: nothing that is decided or concluded stands in it."
    stated: str | None = getattr(model, "uncovered", None)
    return stated


@cache
def kept() -> tuple[Kept, ...]:
    """Return every table whose rows a checkpoint lists beside the chains, in the order of their names."""
    models = [one for one in apps.get_models(include_auto_created=True) if one not in chained()]
    found = [_kept(one) for one in models if one._meta.managed and why_uncovered(one) is None]  # noqa: SLF001  # likewise
    return tuple(sorted(found, key=lambda one: one.name))


def values(row: Any, names: Iterable[str]) -> dict[str, object]:
    """Return these columns of a row by their attributes."""
    return {name: getattr(row, name) for name in names}
