"""When a rule speaks, as a form: all or any of some conditions, each a place, a comparison and a value.

What is nested deeper is shown and sent as YAML. A form's answer holds a condition a line, its three parts with tabs
between them. Values are typed as in the text: a number, true, false, or words, which quotes keep from being either.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from escalation.contract_forms.told import GONE, NoAnswer, Nothing, Sent, Told
from escalation.contract_forms.yaml_writer import written
from operations.contracts.matching import MOST, OPERATORS
from operations.contracts.yaml_text import YamlRefused, read
from operations.core.strict_json import PlainJson

ALL, ANY, YAML = "all", "any", "yaml"
BLANK: Final = 2
JOINED: Final = ((ALL, "All of these hold"), (ANY, "Any of these holds"))
LABELS: Final = {
    "equals": "is",
    "in": "is one of",
    "exists": "is there",
    "absent": "is not there",
    "at_least": "is at least",
    "at_most": "is at most",
    "prefix": "begins with",
    "equals_argument": "is the bound argument",
    "equals_identity": "is the request number",
}
_ALONE: Final = frozenset({"exists", "absent", "equals_identity"})
_WORDS: Final = frozenset({"prefix", "equals_argument"})
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?")
_ITEM: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,"]*)\s*(?:,|$)')


class Line(NamedTuple):
    """One condition as it is typed."""

    at: str
    operator: str
    value: str


def lines_of(told: Told) -> list[Line]:
    """Return the conditions of an answer."""
    if told.token == YAML or not told.text:
        return []
    return [Line(*one.split("\t")) for one in told.text.split("\n")]


def shown(value: PlainJson) -> Told:
    """Return conditions as the form shows them; as YAML where they are nested or no form could have written them."""
    flat = _flat(value)
    if flat is None:
        return Told(YAML, written(value).strip())
    token, conditions = flat
    return Told(token, _text([_line(one) for one in conditions]))


def _text(lines: list[Line]) -> str:
    return "\n".join(["\t".join(one) for one in lines])


def _flat(value: PlainJson) -> tuple[str, list[dict[str, PlainJson]]] | None:
    if not isinstance(value, dict):
        return None
    token = next((name for name in (ALL, ANY) if set(value) == {name}), None)
    held = [value] if token is None else value[token]
    if not isinstance(held, list) or not 1 <= len(held) <= MOST:
        return None
    conditions = [one for one in held if isinstance(one, dict) and _is_flat(one)]
    return (token or ALL, conditions) if len(conditions) == len(held) else None


def _is_flat(one: dict[str, PlainJson]) -> bool:
    """Say whether a condition comes back from the form as it stands."""
    operators = [name for name in one if name in OPERATORS]
    if len(operators) != 1 or set(one) != {"at", operators[0]} or not isinstance(one["at"], str):
        return False
    line = _line(one)
    if any(mark in part for part in line for mark in "\t\n\r\0") or line != Line(
        *[" ".join(part.split()) for part in line]
    ):
        return False
    try:
        return _condition(line) == one and type(_condition(line)[operators[0]]) is type(one[operators[0]])
    except NoAnswer:
        return False


def _line(one: dict[str, PlainJson]) -> Line:
    operator = next(name for name in one if name != "at")
    return Line(str(one["at"]), operator, _value_text(operator, one[operator]))


def _value_text(operator: str, value: PlainJson) -> str:
    if operator in _ALONE:
        return ""
    if operator in _WORDS:
        return str(value)
    return ", ".join([_scalar_text(one) for one in value]) if isinstance(value, list) else _scalar_text(value)


def _scalar_text(value: PlainJson) -> str:
    if isinstance(value, str) and value and not set(value) & set(',"') and value == value.strip():
        return value if _scalar(value) == value else json.dumps(value)
    return json.dumps(value, ensure_ascii=False)


def _scalar(text: str) -> PlainJson:
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            raise NoAnswer(f"Close the quotes: {text}") from None
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text


def _items(text: str) -> Iterator[PlainJson]:
    at = 0
    while at < len(text):
        found = _ITEM.match(text, at)
        if found is None:
            raise NoAnswer(f"Write the values with commas between them: {text}")
        if found[1].strip():
            yield _scalar(found[1].strip())
        at = found.end()


def _condition(line: Line) -> dict[str, PlainJson]:
    if not line.at or line.operator not in OPERATORS:
        raise NoAnswer("Each condition names a place and a comparison.")
    if (line.operator in _ALONE) == bool(line.value):
        what = "takes no value" if line.value else "needs a value"
        raise NoAnswer(f"“{LABELS[line.operator]}” {what}.")
    return {"at": line.at, line.operator: _value(line)}


def _value(line: Line) -> PlainJson:
    if line.operator in _ALONE:
        return True
    if line.operator in _WORDS:
        return line.value
    return list(_items(line.value)) if line.operator == "in" else _scalar(line.value)


def answered(told: Told) -> PlainJson | Nothing:
    """Return the conditions that were sent as the document holds them, GONE for none; raises `NoAnswer`."""
    if told.token == YAML:
        return from_yaml(told.text)
    conditions: list[PlainJson] = [_condition(line) for line in lines_of(told)]
    if not conditions:
        return GONE
    return conditions[0] if len(conditions) == 1 else {ANY if told.token == ANY else ALL: conditions}


def from_yaml(text: str) -> PlainJson | Nothing:
    """Return what a text of its own says as YAML, GONE for none; raises `NoAnswer`."""
    if not text:
        return GONE
    try:
        return read(text).value
    except YamlRefused as refused:
        raise NoAnswer(f"It can't be read as YAML: {refused}") from None


def sent(name: str, post: Sent) -> Told:
    """Return the conditions that were sent under this name; lines in which nothing was typed are left out."""
    token = post[name]
    if token == YAML:
        return Told(YAML, post.get(f"{name}#yaml", "").replace("\r\n", "\n").replace("\0", "").strip())
    found = []
    for index in range(MOST + BLANK):
        line = Line(*[" ".join(post.get(f"{name}#{index}:{part}", "").split()) for part in Line._fields])
        if any(line):
            found.append(line)
    return Told(token, _text(found))
