"""What was sent is written into the document: only what was asked, and only where it differs from what stood there."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from escalation.contract_forms.answers import answered, as_it_would_be_sent, sent
from escalation.contract_forms.fields import STATED, Field, Kind, Rows
from escalation.contract_forms.told import GONE, NoAnswer, Nothing, Sent, Told
from operations.core.strict_json import PlainJson, pointer_parts

MOST_ROWS: Final = 300
TYPED_FIRST: Final = "Choose an answer; what you typed below it is kept."


def at(value: PlainJson | Nothing, place: str) -> PlainJson | Nothing:
    """Return what stands at a place of the document, GONE where nothing does."""
    for part in pointer_parts(place):
        if not isinstance(value, dict) or part not in value:
            return GONE
        value = value[part]
    return value


def put(document: dict[str, Any], place: str, value: PlainJson | Nothing) -> None:
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
class Writing:
    """What was sent, being written into a document."""

    post: Sent
    problems: dict[str, str] = field(default_factory=dict)

    def fields(self, document: dict[str, Any], asked: Sequence[Field], prefix: str = "") -> None:
        """Write the answers to these questions; members of what a word answers are left out."""
        closed: list[str] = []
        for one in asked:
            told = sent(one, prefix + one.place, self.post)
            inside = any(one.place.startswith(f"{place}/") for place in closed)
            if told is None or inside or told == as_it_would_be_sent(one, at(document, one.place)):
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
            put(document, one.place, answered(one, told))
        except NoAnswer as wrong:
            self.problems[prefix + one.place] = str(wrong)

    def _either(
        self, document: dict[str, Any], one: Field, asked: Sequence[Field], prefix: str, told: Told, closed: list[str]
    ) -> None:
        if told.token != STATED:
            self._one(document, one, prefix, told)
            self._nothing_typed(one, asked, prefix, told)
            closed.append(one.place)
        elif not isinstance(at(document, one.place), dict):
            put(document, one.place, GONE)

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
        held = at(document, about.place)
        before: dict[str, Any] = held if isinstance(held, dict) else {}
        after: dict[str, Any] = {}
        for index in range(count_sent(self.post, about)):
            prefix = f"{about.place}:{index}"
            key = key_sent(self.post, prefix)
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
            put(document, about.place, after or GONE)


def count_sent(post: Sent, about: Rows) -> int:
    """Return how many rows of a map were sent."""
    text = post.get(f"{about.place}:count", "0")
    return min(int(text), MOST_ROWS) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def key_sent(post: Sent, prefix: str) -> str:
    """Return the name that was sent for a row."""
    return " ".join(post.get(f"{prefix}:name", "").split())
