"""A contract's text as a form, with every fault at its place, and the form's answers as the contract's text again."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from escalation.contract_forms.answers import (
    GONE,
    NoAnswer,
    Nothing,
    Sent,
    Told,
    answered,
    as_it_would_be_sent,
    sent,
    shown,
)
from escalation.contract_forms.fields import STATED, Field, Kind, Rows
from escalation.contract_forms.interview import SECTIONS
from escalation.contract_forms.yaml_writer import rewritten
from operations.contracts.loading import ContractRefused, Refused, document_of
from operations.contracts.yaml_text import YamlRefused, read
from operations.core.strict_json import PlainJson, pointer, pointer_parts

MOST_ROWS: Final = 300
TYPED_FIRST: Final = "Choose an answer; what you typed below it is kept."


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


def _at(value: PlainJson | Nothing, place: str) -> PlainJson | Nothing:
    for part in pointer_parts(place):
        if not isinstance(value, dict) or part not in value:
            return GONE
        value = value[part]
    return value


def _put(document: dict[str, Any], place: str, value: PlainJson | Nothing) -> None:
    """Write a value at its place; GONE takes it away, with the members around it that are left empty."""
    *way, last = pointer_parts(place)
    around: list[dict[str, Any]] = [document]
    for part in way:
        inner = around[-1].get(part)
        if not isinstance(inner, dict):
            if isinstance(value, Nothing):
                return
            inner = around[-1][part] = {}
        around.append(inner)
    if not isinstance(value, Nothing):
        around[-1][last] = value
        return
    around[-1].pop(last, None)
    for outer, inner, part in reversed(list(zip(around, around[1:], way, strict=False))):
        if not inner:
            outer.pop(part)


@dataclass(slots=True)
class _Writing:
    """What was sent, being written into a document."""

    post: Sent
    problems: dict[str, str] = field(default_factory=dict)

    def fields(self, document: dict[str, Any], asked: Sequence[Field], prefix: str = "") -> None:
        """Write the answers to these questions; members of what a word answers are left out."""
        closed: list[str] = []
        for one in asked:
            told = sent(one, prefix + one.place, self.post)
            inside = any(one.place.startswith(f"{place}/") for place in closed)
            if told is None or inside or told == as_it_would_be_sent(one, _at(document, one.place)):
                if told is not None and one.kind is Kind.EITHER and told.token != STATED:
                    self._nothing_typed(one, asked, prefix, told)
                    closed.append(one.place)
                continue
            if one.kind is Kind.EITHER:
                self._either(document, one, asked, prefix, told, closed)
            else:
                self._one(document, one, prefix, told)

    def _one(self, document: dict[str, Any], one: Field, prefix: str, told: Told) -> None:
        try:
            _put(document, one.place, answered(one, told))
        except NoAnswer as wrong:
            self.problems[prefix + one.place] = str(wrong)

    def _either(
        self, document: dict[str, Any], one: Field, asked: Sequence[Field], prefix: str, told: Told, closed: list[str]
    ) -> None:
        if told.token != STATED:
            self._one(document, one, prefix, told)
            self._nothing_typed(one, asked, prefix, told)
            closed.append(one.place)
        elif not isinstance(_at(document, one.place), dict):
            _put(document, one.place, GONE)

    def _nothing_typed(self, one: Field, asked: Sequence[Field], prefix: str, told: Told) -> None:
        """What was typed below a question that nobody answered is not thrown away in silence."""
        below = [
            sent(other, prefix + other.place, self.post) for other in asked if other.place.startswith(f"{one.place}/")
        ]
        if not told.token and any(other is not None and other != Told() for other in below):
            self.problems[prefix + one.place] = TYPED_FIRST

    def rows(self, document: dict[str, Any], about: Rows) -> None:
        """Write the members of a map in the order in which they were sent; a form that didn't ask for them keeps them."""
        if f"{about.place}:count" not in self.post:
            return
        held = _at(document, about.place)
        before: dict[str, Any] = held if isinstance(held, dict) else {}
        after: dict[str, Any] = {}
        for index in range(_count(self.post, about)):
            prefix = f"{about.place}:{index}"
            key = _key(self.post, prefix)
            row = copy.deepcopy(before.get(self.post.get(f"{prefix}:was", ""), {}))
            if self.post.get(f"{prefix}:gone") or not isinstance(row, dict):
                continue
            self.fields(row, about.fields, prefix)
            if not key and not row:
                continue
            if not key or key in after:
                self.problems[f"{prefix}:name"] = "Give it a name." if not key else f"{key} stands here twice."
            after[key] = row
        if after or before:
            _put(document, about.place, after or GONE)


def _count(post: Sent, about: Rows) -> int:
    text = post.get(f"{about.place}:count", "0")
    return min(int(text), MOST_ROWS) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def _key(post: Sent, prefix: str) -> str:
    return " ".join(post.get(f"{prefix}:name", "").split())


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
        after, writing = copy.deepcopy(before), _Writing(post)
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
        told = shown(one, _at(value, one.place))
        typed = None if self._post is None else sent(one, name, self._post)
        return Question(
            field=one,
            name=name,
            told=told if typed is None else typed,
            faults=self._about(place),
            problem=self._problems.get(name, ""),
        )

    def _rows(self, about: Rows, value: dict[str, Any]) -> Iterator[Row]:
        held = _at(value, about.place)
        members: dict[str, Any] = held if isinstance(held, dict) else {}
        names = list(members)
        count = len(names) + 1 if self._post is None else max(_count(self._post, about), 1)
        for index in range(count):
            prefix = f"{about.place}:{index}"
            was = names[index] if self._post is None and index < len(names) else ""
            key = was
            if self._post is not None:
                was, key = self._post.get(f"{prefix}:was", ""), _key(self._post, prefix)
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
                held = _at(dict(value), part.place)
                for name in held if isinstance(held, dict) else ():
                    place = part.place + pointer([name])
                    yield place
                    yield from [place + one.place for one in part.fields]


def _homes(faults: Sequence[Refused], places: Sequence[str]) -> list[str | None]:
    """Return the place at which each fault is shown: its own, the nearest around it, the first below it, or None."""
    known = set(places)
    return [_home(fault.fault.place, places, known) for fault in faults]


def _home(at: str, places: Sequence[str], known: set[str]) -> str | None:
    for own in (at, f"{at}/is"):
        if own in known:
            return own
    around = max((place for place in places if at.startswith(f"{place}/")), key=len, default=None)
    return around or next((place for place in places if at and place.startswith(f"{at}/")), None)
