"""What a form asks: where in the document an answer stands, and what may be answered. Nothing is chosen beforehand.

"Not documented" is an answer like any other, and always one that has to be chosen.
"""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from operations.core.strict_json import PlainJson


class Kind(StrEnum):
    """How an answer is given.

    `either`: a word, or members that stand below (`STATED`). `interval`: seconds, or a word. `names`: a list with
    commas; the word none is the empty list. `conditions`: when a rule speaks (conditions.py). `yaml`: as in the text.
    """

    LINE = "line"
    TEXT = "text"
    NUMBER = "number"
    NAMES = "names"
    CHOICE = "choice"
    EITHER = "either"
    INTERVAL = "interval"
    CONDITIONS = "conditions"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer: what is sent, what is read, and what it is in the document."""

    token: str
    label: str
    value: PlainJson


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One question. `place` is the JSON pointer of its answer, below its row's for a field of a row.

    `source`: it names a source. `minor`: it belongs to the question before it.
    """

    place: str
    label: str
    kind: Kind = Kind.LINE
    options: tuple[Option, ...] = ()
    about: str = ""
    source: bool = False
    minor: bool = False

    def below(self, place: str) -> "Field":
        """Return the same question in a row that stands at this place."""
        return replace(self, place=place + self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Questions that are asked for each member of a map; `name` is what the member's own name is called."""

    place: str
    title: str
    one: str
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question of the interview with the terms that answer it."""

    slug: str
    title: str
    about: str
    parts: tuple[Field | Rows, ...]


STATED: Final = "stated"
SECONDS: Final = "seconds"
NOT_DOCUMENTED: Final = "not documented"


def words(*told: tuple[PlainJson, str]) -> tuple[Option, ...]:
    """Return options whose values are words of the document, truth values or nothing."""
    return tuple([Option(_token(value), label, value) for value, label in told])


def _token(value: PlainJson) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def line(place: str, label: str, about: str = "") -> Field:
    """Return a question that one line answers."""
    return Field(place=place, label=label, about=about)


def text(place: str, label: str, about: str = "") -> Field:
    """Return a question that sentences answer."""
    return Field(place=place, label=label, kind=Kind.TEXT, about=about)


def number(place: str, label: str, about: str = "") -> Field:
    """Return a question that a number answers."""
    return Field(place=place, label=label, kind=Kind.NUMBER, about=about)


def names(place: str, label: str, about: str = "") -> Field:
    """Return a question that a list answers."""
    return Field(place=place, label=label, kind=Kind.NAMES, about=about)


def choice(place: str, label: str, *told: tuple[PlainJson, str], about: str = "") -> Field:
    """Return a question with these answers."""
    return Field(place=place, label=label, kind=Kind.CHOICE, options=words(*told), about=about)


def source(place: str, label: str = "Source") -> Field:
    """Return the question where it was read."""
    return Field(place=place, label=label, source=True, minor=True)


def note(place: str) -> Field:
    """Return the question what is remarked on a promise."""
    return Field(place=place, label="Note", minor=True)


def term(place: str, label: str, *told: tuple[PlainJson, str], about: str = "") -> tuple[Field, ...]:
    """Return the questions for a promise: what it is, and the source that makes it."""
    return (choice(f"{place}/is", label, *told, about=about), source(f"{place}/source"), note(f"{place}/note"))


def interval(place: str, label: str, *told: tuple[PlainJson, str], about: str = "") -> tuple[Field, ...]:
    """Return the questions for a promise that is a number of seconds or a word."""
    options = (Option(SECONDS, "For this many seconds:", None), *words(*told))
    asked = Field(place=f"{place}/is", label=label, kind=Kind.INTERVAL, options=options, about=about)
    return (asked, source(f"{place}/source"), note(f"{place}/note"))


def either(place: str, label: str, *told: tuple[PlainJson, str], stated: str, about: str = "") -> Field:
    """Return a question that a word answers, or the members that are asked for after it."""
    options = (*words(*told), Option(STATED, stated, None))
    return Field(place=place, label=label, kind=Kind.EITHER, options=options, about=about)
