"""A contract's YAML has one reading: what two readers could understand differently is refused, with its line.

Only maps, lists and plain values are taken. Anchors, aliases, tags, merge keys, several documents and duplicate keys
are refused, and so are the words that YAML 1.1 and 1.2 read differently (`yes`, `on`, `010`, `1:30`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from operations.core.strict_json import PlainJson, pointer

LONGEST: Final = 256 * 1024
DEEPEST: Final = 24

_WORDS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None}
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]{0,15})\.[0-9]{1,15}")
# Read as a truth value, nothing or a number by one version of YAML or the other.
_AMBIGUOUS: Final = re.compile(
    r"(?i:y|n|yes|no|on|off|true|false|null|~)"
    r"|[-+]?(0[0-9_]+|0[xob][0-9a-f_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)"
    r"|[-+]?(\.?[0-9][0-9_]*\.?[0-9_]*([eE][-+]?[0-9]+)?|\.(inf|Inf|INF)|\.(nan|NaN|NAN))"
)


class YamlRefused(ValueError):
    """A text that is not one plain YAML document; `line` counts from 1, `rule` is a slug."""

    def __init__(self, line: int, rule: str, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.rule = rule
        self.message = message


@dataclass(frozen=True, slots=True)
class Written:
    """The value of a YAML text, and the line in which each part of it begins, by JSON pointer."""

    value: PlainJson
    lines: Mapping[str, int]

    def line(self, place: str) -> int:
        """Return the line of this place, or of the nearest place around it that was written."""
        while place and place not in self.lines:
            place = place.rpartition("/")[0]
        return self.lines.get(place, 1)


def read(text: str) -> Written:
    """Return what the text says; raises YamlRefused."""
    if len(text) > LONGEST:
        raise YamlRefused(1, "too_long", f"must not be longer than {LONGEST} characters")
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise YamlRefused(line, "syntax", f"is not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise YamlRefused(1, "syntax", f"is not YAML: {error}") from None
    return builder.written()


_Scope: TypeAlias = dict[str, PlainJson] | list[PlainJson]


@dataclass(slots=True)
class _Open:
    """A map or list that is not closed yet; `key` is where its next value goes, None where a map awaits a key."""

    place: str
    scope: _Scope
    key: str | int | None

    @property
    def awaits_key(self) -> bool:
        return self.key is None


@dataclass(slots=True)
class _Builder:
    """Puts the events of a text together."""

    open: list[_Open] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    values: list[PlainJson] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        """Take the next event; raises YamlRefused."""
        line = _line(event)
        if isinstance(event, yaml.NodeEvent):
            _refuse_sharing(event, line)
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.MappingStartEvent):
            self._begin({}, line)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._begin([], line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        if self.open and self.open[-1].awaits_key:
            self._name(event.value, line)
        else:
            self._put(_value(event, line), line)

    def _name(self, name: str, line: int) -> None:
        if name == "<<":
            raise YamlRefused(line, "merge", "merge keys are not taken: write the members out")
        if name in self.open[-1].scope:
            raise YamlRefused(line, "duplicate_key", f"{name!r} stands twice in one map")
        self.open[-1].key = name

    def _begin(self, scope: _Scope, line: int) -> None:
        if self.open and self.open[-1].awaits_key:
            raise YamlRefused(line, "key", "a key is text")
        if len(self.open) == DEEPEST:
            raise YamlRefused(line, "too_deep", f"must not nest deeper than {DEEPEST} maps and lists")
        place = self._put(scope, line)
        self.open.append(_Open(place, scope, None if isinstance(scope, dict) else 0))

    def _put(self, value: PlainJson, line: int) -> str:
        """Put a value in its place and return the place."""
        if not self.open:
            self.values.append(value)
            self.lines[""] = line
            return ""
        around = self.open[-1]
        place = around.place + pointer([0 if around.key is None else around.key])
        self.lines[place] = line
        if isinstance(around.scope, dict):
            around.scope[str(around.key)] = value
            around.key = None
        else:
            around.scope.append(value)
            around.key = len(around.scope)
        return place

    def written(self) -> Written:
        """Return the one value that was written."""
        if len(self.values) != 1:
            raise YamlRefused(1, "one_document", "must be one document")
        return Written(self.values[0], self.lines)


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


def _refuse_sharing(event: yaml.NodeEvent, line: int) -> None:
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise YamlRefused(line, "anchor", "anchors and aliases are not taken: write the value out")
    if getattr(event, "tag", None) is not None:
        raise YamlRefused(line, "tag", "tags are not taken")


def _value(event: yaml.ScalarEvent, line: int) -> PlainJson:
    text: str = event.value
    if event.style is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    if not text:
        raise YamlRefused(line, "empty", "nothing is written here: write null, or quotes for empty text")
    if _AMBIGUOUS.fullmatch(text):
        raise YamlRefused(line, "ambiguous", f"{text} is read differently by different readers: quote it if it is text")
    return text
