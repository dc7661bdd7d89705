"""The rules by which answers are read, as a form: one at a time, and their order, which decides who speaks.

It is written into the same text as the interview (form.py), and what the loader refuses stands at its question.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from escalation.contract_forms.answers import sent, shown
from escalation.contract_forms.fields import Field
from escalation.contract_forms.form import ContractForm, FormRefused, Question, home_of
from escalation.contract_forms.members import rule_fields
from escalation.contract_forms.told import Sent
from escalation.contract_forms.writing import Writing, at
from escalation.contract_forms.yaml_writer import rewritten
from operations.contracts.loading import Refused

READINGS: Final = "readings"
Move = Literal["up", "down", "gone"]


class NoSuchRule(LookupError):
    """The draft has no rule there, or none that a form can be made of."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One rule in the order: what it is called, of which channel, what it says, and how much of it has to be mended."""

    index: int
    name: str
    channel: str
    says: str
    wrong: int


def _held(document: Mapping[str, Any] | None) -> list[Any]:
    held = (document or {}).get(READINGS)
    return held if isinstance(held, list) else []


def _word(rule: Any, name: str) -> str:
    value = rule.get(name) if isinstance(rule, dict) else None
    return value if isinstance(value, str) else ""


def listed(form: ContractForm) -> Iterator[Listed]:
    """Yield the rules of a text in their order."""
    for index, rule in enumerate(_held(form.value)):
        place = f"/{READINGS}/{index}"
        wrong = sum(one.fault.place == place or one.fault.place.startswith(f"{place}/") for one in form.faults)
        yield Listed(index, _word(rule, "rule"), _word(rule, "channel"), _word(rule, "says"), wrong)


def moved(form: ContractForm, index: int, move: Move) -> str:
    """Return the text with one rule earlier, later or gone; raises `NoSuchRule`. An end of the list moves nowhere."""
    rules = list(_held(form.value))
    if not 0 <= index < len(rules):
        raise NoSuchRule(str(index))
    rule = rules.pop(index)
    if move != "gone":
        rules.insert(max(index - 1, 0) if move == "up" else index + 1, rule)
    return _with(form, rules)


def _with(form: ContractForm, rules: list[Any]) -> str:
    after = {**(form.value or {}), READINGS: rules}
    if not rules:
        del after[READINGS]
    return form.text if after == form.value else rewritten(form.text, after)


class RuleForm:
    """One rule of a text; `index` is its place in the order, one behind the last for a new one. Raises `NoSuchRule`."""

    def __init__(
        self, text: str, index: int, *, post: Sent | None = None, problems: Mapping[str, str] | None = None
    ) -> None:
        self.form = ContractForm(text)
        self.index = index
        self._post = post
        self._problems = problems or {}
        rules = _held(self.form.value)
        self.rule: dict[str, Any] = rules[index] if 0 <= index < len(rules) else {}
        if self.form.value is None or not 0 <= index <= len(rules) or not isinstance(self.rule, dict):
            raise NoSuchRule(str(index))
        self.is_new = index == len(rules)

    @property
    def name(self) -> str:
        """What the rule is called; empty for a new one."""
        return _word(self.rule, "rule")

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """What is asked: the channels are those of the text."""
        channels = (self.form.value or {}).get("channels")
        return rule_fields([str(name) for name in channels] if isinstance(channels, dict) else [])

    @cached_property
    def _homes(self) -> list[tuple[str | None, Refused]]:
        place = f"/{READINGS}/{self.index}"
        places = [place, *[place + one.place for one in self.fields]]
        about = [one for one in self.form.faults if one.fault.place == place or one.fault.place.startswith(f"{place}/")]
        return [(home_of(one.fault.place, places, set(places)), one) for one in about]

    def _about(self, place: str) -> tuple[Refused, ...]:
        return tuple([one for home, one in self._homes if home == f"/{READINGS}/{self.index}{place}"])

    def faults(self) -> tuple[Refused, ...]:
        """Return the faults of the rule that no question is about."""
        return self._about("")

    def questions(self) -> tuple[Question, ...]:
        """Return what is asked, with what stands there or was typed, and each fault at its question."""
        return tuple([self._question(one) for one in self.fields])

    def _question(self, one: Field) -> Question:
        typed = None if self._post is None else sent(one, one.place, self._post)
        return Question(
            field=one,
            name=one.place,
            told=shown(one, at(self.rule, one.place)) if typed is None else typed,
            faults=self._about(one.place),
            problem=self._problems.get(one.place, ""),
        )

    def written(self, post: Sent) -> str:
        """Return the text with the rule as it was sent; raises `FormRefused` with what can't be written."""
        after, writing = copy.deepcopy(self.rule), Writing(post)
        writing.fields(after, self.fields)
        if writing.problems:
            raise FormRefused(writing.problems)
        rules = list(_held(self.form.value))
        rules[self.index : self.index + 1] = [after] if after else []
        return _with(self.form, rules)
