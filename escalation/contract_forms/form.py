"""A contract's text as a form, with every fault at its place, and the form's answers as the contract's text again."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from escalation.contract_forms.answers import sent, shown
from escalation.contract_forms.conditions import BLANK, JOINED, LABELS, Line, lines_of
from escalation.contract_forms.fields import Field, Rows
from escalation.contract_forms.interview import SECTIONS
from escalation.contract_forms.told import Sent, Told
from escalation.contract_forms.writing import Writing, at, count_sent, key_sent
from escalation.contract_forms.yaml_writer import rewritten
from operations.contracts.loading import ContractRefused, Refused, document_of
from operations.contracts.yaml_text import YamlRefused, read
from operations.core.strict_json import PlainJson, pointer


class FormRefused(ValueError):
    """What was sent can't be written; `problems` are sentences by the name of the input."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(f"{len(problems)} answers can't be written")
        self.problems = problems


def faults_of(text: str) -> tuple[Refused, ...]:
    """Return everything for which the loader refuses a text, in the order of the text; none if it doesn't."""
    try:
        document_of(text)
    except ContractRefused as refused:
        return refused.faults
    return ()


def _id(name: str) -> str:
    return "f" + name.replace("/", "-").replace(":", "-").replace("#", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as it is shown: `told` is what stands there, None where it is written in the text otherwise."""

    field: Field
    name: str
    told: Told | None
    faults: tuple[Refused, ...] = ()
    problem: str = ""

    @property
    def id(self) -> str:
        """The id of its input."""
        return _id(self.name)

    @property
    def joined(self) -> tuple[tuple[str, str], ...]:
        """The ways in which conditions hold together, each with its words."""
        return JOINED

    @property
    def operators(self) -> list[tuple[str, str]]:
        """The comparisons of a condition, each with its words."""
        return list(LABELS.items())

    @property
    def lines(self) -> list[Line]:
        """The conditions that are told, and room for more."""
        told = [] if self.told is None else lines_of(self.told)
        return [*told, *[Line("", "", "")] * BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One member of a map; `key` is its name, empty for one that is not there yet."""

    index: int
    prefix: str
    key: str
    was: str
    questions: tuple[Question, ...]
    faults: tuple[Refused, ...] = ()
    problem: str = ""

    @property
    def id(self) -> str:
        """The id of the input of its name."""
        return _id(f"{self.prefix}:name")

    @property
    def wrong(self) -> int:
        """How much of it has to be mended."""
        asked = sum(len(one.faults) + bool(one.problem) for one in self.questions)
        return asked + len(self.faults) + bool(self.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsShown:
    """The members of a map, and a place for one more."""

    about: Rows
    rows: tuple[Row, ...]
    faults: tuple[Refused, ...] = ()

    @property
    def count(self) -> int:
        """How many rows there are, the empty one included."""
        return len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionShown:
    """One question of the interview, its parts in order."""

    slug: str
    title: str
    about: str
    parts: tuple[Question | RowsShown, ...]


class ContractForm:
    """The interview over one text; `sent` is what a person typed, which is shown again where it could not be written."""

    def __init__(self, text: str, *, post: Sent | None = None, problems: Mapping[str, str] | None = None) -> None:
        self.text = text
        self._post = post
        self._problems = problems or {}

    @cached_property
    def faults(self) -> tuple[Refused, ...]:
        """Everything for which the loader refuses the text."""
        return faults_of(self.text)

    @cached_property
    def _homes(self) -> list[str | None]:
        return _homes(self.faults, list(_places(self.value or {})))

    @cached_property
    def value(self) -> dict[str, Any] | None:
        """The document as it is written, however faulty; None where it is no map, so that no form can be made of it."""
        if not self.text.strip():
            return {}
        try:
            found = read(self.text).value
        except YamlRefused:
            return None
        return found if isinstance(found, dict) else None

    def written(self, post: Sent) -> str:
        """Return the text with the answers that were sent; raises `FormRefused` with what can't be written."""
        before = self.value
        if before is None:
            raise FormRefused({"": "The text can't be read as a form."})
        after, writing = copy.deepcopy(before), Writing(post)
        for section in SECTIONS:
            asked = [part for part in section.parts if isinstance(part, Field)]
            writing.fields(after, asked)
            for part in section.parts:
                if isinstance(part, Rows):
                    writing.rows(after, part)
        if writing.problems:
            raise FormRefused(writing.problems)
        return self.text if after == before else rewritten(self.text, after)

    def sections(self) -> tuple[SectionShown, ...]:
        """Return the interview as it is shown, each fault at the question which it is about."""
        value = self.value or {}
        return tuple(
            [
                SectionShown(
                    slug=section.slug,
                    title=section.title,
                    about=section.about,
                    parts=tuple([self._part(part, value) for part in section.parts]),
                )
                for section in SECTIONS
            ]
        )

    def elsewhere(self) -> tuple[Refused, ...]:
        """Return the faults of what only the text holds."""
        return self._about(None)

    def _part(self, part: Field | Rows, value: dict[str, Any]) -> Question | RowsShown:
        if isinstance(part, Field):
            return self._question(part, value, place=part.place, name=part.place)
        rows = tuple(self._rows(part, value))
        return RowsShown(about=part, rows=rows, faults=self._about(part.place))

    def _question(self, one: Field, value: PlainJson, *, place: str, name: str) -> Question:
        told = shown(one, at(value, one.place))
        typed = None if self._post is None else sent(one, name, self._post)
        return Question(
            field=one,
            name=name,
            told=told if typed is None else typed,
            faults=self._about(place),
            problem=self._problems.get(name, ""),
        )

    def _rows(self, about: Rows, value: dict[str, Any]) -> Iterator[Row]:
        held = at(value, about.place)
        members: dict[str, Any] = held if isinstance(held, dict) else {}
        names = list(members)
        count = len(names) + 1 if self._post is None else max(count_sent(self._post, about), 1)
        for index in range(count):
            prefix = f"{about.place}:{index}"
            was = names[index] if self._post is None and index < len(names) else ""
            key = was
            if self._post is not None:
                was, key = self._post.get(f"{prefix}:was", ""), key_sent(self._post, prefix)
            row = members.get(was, {})
            place = about.place + pointer([was])
            asked = [self._question(one, row, place=place + one.place, name=prefix + one.place) for one in about.fields]
            yield Row(
                index=index,
                prefix=prefix,
                key=key,
                was=was,
                questions=tuple(asked),
                faults=self._about(place),
                problem=self._problems.get(f"{prefix}:name", ""),
            )

    def _about(self, place: str | None) -> tuple[Refused, ...]:
        return tuple([fault for fault, home in zip(self.faults, self._homes, strict=True) if home == place])


def _places(value: Mapping[str, PlainJson]) -> Iterator[str]:
    """Yield the places of all questions, and of the maps and members around those of rows."""
    for section in SECTIONS:
        for part in section.parts:
            yield part.place
            if isinstance(part, Rows):
                held = at(dict(value), part.place)
                for name in held if isinstance(held, dict) else ():
                    place = part.place + pointer([name])
                    yield place
                    yield from [place + one.place for one in part.fields]


def _homes(faults: Sequence[Refused], places: Sequence[str]) -> list[str | None]:
    """Return the place at which each fault is shown: its own, the nearest around it, the first below it, or None."""
    known = set(places)
    return [home_of(fault.fault.place, places, known) for fault in faults]


def home_of(at: str, places: Sequence[str], known: set[str]) -> str | None:
    """Return the one of these places at which a fault is shown; None where it is about none of them."""
    for own in (at, f"{at}/is"):
        if own in known:
            return own
    around = max((place for place in places if at.startswith(f"{place}/")), key=len, default=None)
    return around or next((place for place in places if at and place.startswith(f"{at}/")), None)
