"""Whatever control says in JSON becomes a value with exactly the fields it has, or is refused by field."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from tests.recipients.collection_desk.values import DeskError

Value = TypeVar("Value")


def made(kind: type[Value], given: Mapping[str, Any]) -> Value:
    """Make `kind`, a dataclass, from `given`; raises DeskError naming a field that it hasn't got."""
    unknown = set(given) - {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if unknown:
        raise DeskError(f"Unknown field: {', '.join(sorted(unknown))}.")
    return kind(**given)


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a value that isn't one of the words allowed for this field."""
    if value not in allowed:
        raise DeskError(f"{name} must be one of {', '.join(allowed)}.")


def is_seconds(value: object) -> bool:
    """Whether it is a number of seconds, zero or more."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def is_count(value: object) -> bool:
    """Whether it is a whole number, zero or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
