"""Every line is answered in its place: a scenario with its answer, a bad line with the field and the rule it breaks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from operations.core.facts import FactError
from operations.core.scenario import read_scenario
from operations.core.standing import Standing, infer
from operations.core.strict_json import StrictJsonError, is_index, parse, pointer_parts

# A worked case wraps its scenario; the other keys are for the reader.
_WORKED_CASE = frozenset({"name", "why", "scenario", "expect"})


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no scenario: `line` counts from 1, `field` is the place in it ("" for the whole line)."""

    line: int
    field: str
    rule: str
    message: str

    def as_answer(self) -> dict[str, object]:
        """Return the error in the shape that stands in for an answer."""
        return {"line": self.line, "error": {"field": self.field, "rule": self.rule, "message": self.message}}


@dataclass(frozen=True, slots=True)
class Assessed:
    """A line that was a scenario: its number, the name a worked case gives it, and its standing."""

    line: int
    name: str | None
    standing: Standing


def _named(raw: object) -> tuple[str | None, str, object]:
    """Return the name of a worked case, where its scenario stands in the line, and the scenario."""
    if isinstance(raw, dict) and "scenario" in raw and _WORKED_CASE.issuperset(raw):
        name = raw.get("name")
        return (name if isinstance(name, str) else None), "scenario", raw["scenario"]
    return None, "", raw


def _field(place: str) -> str:
    """Return a JSON pointer in the notation in which fields are named; any other place as it is."""
    if not place.startswith("/"):
        return place
    parts = [f"[{part}]" if is_index(part) else f".{part}" for part in pointer_parts(place)]
    return "".join(parts).removeprefix(".")


def _assess(number: int, line: bytes | str) -> Assessed | BadLine:
    place = ""
    try:
        name, place, raw = _named(parse(line, numbers="values"))
        facts, now = read_scenario(raw)
    except StrictJsonError as error:
        return BadLine(number, _field(error.place), error.rule, error.message)
    except FactError as error:
        found = error.below(place) if place else error
        return BadLine(number, found.field, found.rule, found.message)
    return Assessed(number, name, infer(facts, now=now))


def assess(lines: Iterable[bytes | str]) -> Iterator[Assessed | BadLine]:
    """Yield one result a line, in order and as soon as the line is read; a bad line doesn't stop the rest."""
    for number, line in enumerate(lines, start=1):
        yield _assess(number, line.rstrip("\r\n") if isinstance(line, str) else line.rstrip(b"\r\n"))
