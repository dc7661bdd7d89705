"""What a single value of a fact must be; what it can't be raises `FactError`, which names the field and the rule."""

from enum import StrEnum
from typing import Final

# Beyond this a float no longer tells two seconds apart, so the order of events could not be trusted.
LATEST: Final = 2.0**53


class FactError(ValueError):
    """A value that no fact can have: `field` says where, `rule` which rule, `message` what would be right."""

    def __init__(self, field_name: str, rule: str, message: str) -> None:
        super().__init__(f"{field_name}: {message}")
        self.field = field_name
        self.rule = rule
        self.message = message

    def below(self, place: str) -> "FactError":
        """Return the same error with its field named from further out: `at` in `events[3]` is `events[3].at`."""
        inner = self.field
        glue = "" if not inner or inner.startswith("[") else "."
        return FactError(f"{place}{glue}{inner}", self.rule, self.message)


def require_time(name: str, value: object) -> None:
    kind = type(value)
    if kind is not int and kind is not float:
        raise FactError(name, "number", "must be a number of seconds")
    if not -LATEST <= value <= LATEST:  # type: ignore[operator]  # a number by the check above; NaN fails this too
        raise FactError(name, "finite", "must be a finite number of seconds within 2**53 of zero")


def require_interval(name: str, value: object) -> None:
    require_time(name, value)
    if value < 0:  # type: ignore[operator]  # a number by the line above
        raise FactError(name, "not_negative", "must not be negative")


def require_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise FactError(name, "text", "must be text")


def require_flag(name: str, value: object) -> None:
    if value is not True and value is not False:
        raise FactError(name, "flag", "must be true or false")


def require_word(name: str, value: object, words: type[StrEnum]) -> None:
    if type(value) is not words:
        raise FactError(name, "one_of", f"must be one of {', '.join(words)}")
