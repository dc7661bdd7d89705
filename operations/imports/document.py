"""A record is read whole and strictly, or refused with the place and the rule; it is text from outside, never trusted.

Bytes are JSON, or lines of JSON. Nesting and size are bounded; a last line that was cut off is left out and told.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from operations.core.strict_json import Json, StrictJsonError, parse, pointer

LARGEST: Final = 50 * 1024 * 1024
DEEPEST: Final = 200


class ImportRefused(Exception):
    """A record that can't be read: `place` in it, `rule` (a slug) and the sentence of what would be right."""

    def __init__(self, place: str, rule: str, message: str) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place
        self.rule = rule
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A record as read: one value, or the values of its lines with their numbers. `left_out`: what was not read."""

    value: Json = None
    lines: tuple[tuple[int, Json], ...] = ()
    left_out: tuple[str, ...] = field(default=())


def read(content: bytes) -> Document:
    """Return the record, or raise `ImportRefused`."""
    if len(content) > LARGEST:
        raise ImportRefused("", "too_large", f"must not be larger than {LARGEST // 1024 // 1024} MiB")
    if not content.strip():
        raise ImportRefused("", "empty", "must not be empty")
    try:
        return Document(value=parse(content, deepest=DEEPEST))
    except StrictJsonError as error:
        if error.rule not in {"trailing_text", "syntax"} or b"\n" not in content.strip():
            raise ImportRefused(error.place, error.rule, error.message) from None
        return _lines(content, whole=error)


def _lines(content: bytes, *, whole: StrictJsonError) -> Document:
    """Return the values of the lines; what isn't lines of JSON from the first on is told as the fault of the whole."""
    found: list[tuple[int, Json]] = []
    texts = content.split(b"\n")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            found.append((number, parse(text, deepest=DEEPEST)))
        except StrictJsonError as error:
            if not found:
                raise ImportRefused(whole.place, whole.rule, whole.message) from None
            if number == len(texts) and error.rule == "syntax":
                return Document(lines=tuple(found), left_out=(f"line {number} is cut off",))
            raise ImportRefused(_in_line(number, error.place), error.rule, error.message) from None
    return Document(lines=tuple(found))


def _in_line(number: int, place: str) -> str:
    return f"line {number}" if not place or place.startswith("line ") else f"line {number} {place}"


def member(value: Json, *names: str) -> Json:
    """Return what stands below these names, None where nothing does."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(value: Json, *names: str) -> str | None:
    """Return the text below these names, None where there is none."""
    found = member(value, *names)
    return found if isinstance(found, str) else None


def items(value: Json, *names: str) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the objects of the list below these names, each with its index."""
    found = member(value, *names)
    for index, one in enumerate(found if isinstance(found, list) else []):
        if isinstance(one, dict):
            yield index, one


def place(*parts: str | int) -> str:
    """Return the JSON pointer of these parts."""
    return pointer(parts)
