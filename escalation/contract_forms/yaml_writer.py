"""A contract's value is written as YAML that the loader reads back as the same value.

What a person wrote by hand stays as it is, comments included, wherever a form didn't change the member it stands in.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import yaml

from operations.contracts.yaml_text import YamlRefused, read
from operations.core.strict_json import PlainJson

WIDTH: Final = 112
# Text that some reader of YAML takes for something else; it is quoted, and so is whatever doesn't begin with a letter.
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_MEMBER: Final = re.compile(r"^([a-z_]+):(?=\s|$)", re.MULTILINE)


class _Writer(yaml.SafeDumper):
    """Writes without anchors, and quotes what could be misread."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(writer: _Writer, text: str) -> yaml.ScalarNode:
    plain = text[:1].isalpha() and text.isascii() and text.lower() not in _WORDS
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


def _number(writer: _Writer, number: float) -> yaml.ScalarNode:
    text = format(Decimal(repr(number)), "f")
    return writer.represent_scalar("tag:yaml.org,2002:float", text if "." in text else f"{text}.0")


_Writer.add_representer(str, _text)
_Writer.add_representer(float, _number)


def written(value: PlainJson) -> str:
    """Return a value as YAML, its members in their order."""
    return yaml.dump(value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=WIDTH)


def _members(text: str) -> dict[str, str]:
    """Return the text of each member of the outermost map, from its name to the next, comments above it excluded."""
    starts = [(found.start(), found[1]) for found in _MEMBER.finditer(text)]
    ends = [start for start, _ in [*starts[1:], (len(text), "")]]
    return {name: text[start:end] for (start, name), end in zip(starts, ends, strict=False)}


def _trailing(text: str) -> str:
    """Return the blank and comment lines at the end of a member: they belong to what follows it."""
    kept: list[str] = []
    for line in reversed(text.splitlines(keepends=True)):
        if line.strip() and not line.startswith("#"):
            break
        kept.append(line)
    return "".join(reversed(kept))


def rewritten(text: str, value: Mapping[str, PlainJson]) -> str:
    """Return the text with another value: members that didn't change stand as they were written."""
    try:
        before = read(text).value
    except YamlRefused:
        before = None
    parts = _members(text)
    if not isinstance(before, dict) or set(parts) != set(before):
        return written(dict(value))
    whole = text[: text.index(next(iter(parts.values())))] if parts else text
    for name in [*[name for name in parts if name in value], *[name for name in value if name not in parts]]:
        if name not in parts:
            whole += ("" if whole.endswith("\n") or not whole else "\n") + written({name: value[name]})
        elif value[name] == before[name]:
            whole += parts[name]
        else:
            whole += written({name: value[name]}) + (_trailing(parts[name]) or "\n")
    return whole if _reads_as(whole, value) else written(dict(value))


def _reads_as(text: str, value: Mapping[str, PlainJson]) -> bool:
    try:
        return read(text).value == value
    except YamlRefused:
        return False
