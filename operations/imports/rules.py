"""A rule that people write sorts outputs of an application's own words; it adds a class and never takes one away.

A pattern is text in which `*` stands for anything; the whole output has to fit it, capitals apart. There are no regular
expressions in it: its parts are looked for one after the other, each once, so that no pattern takes long over any text
(docs/imports.md, Rules of your own).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from operations.imports.call import Call
from operations.imports.outputs import ERROR_FLAG, Output, Ruled
from operations.imports.words import OutputClass

LONGEST: Final = 200
FEWEST: Final = 4  # characters beside the stars
MOST_STARS: Final = 10
LONGEST_TEXT: Final = 20_000
# An answer of this desk is what it says; a rule can say nothing else of an output.
MAY_SAY: Final = (OutputClass.INCONCLUSIVE, OutputClass.NOT_ATTEMPTED, OutputClass.CLAIMS_RESULT)


class PatternRefused(ValueError):
    """A pattern breaks one of the rules for patterns; says which, and what would be right."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule as it holds: its number and version, the tool that it is for ("" for every one), its pattern and class."""

    number: int
    version: int
    tool: str
    pattern: str
    says: OutputClass

    def __str__(self) -> str:
        return f"rule {self.number}, version {self.version}"


def checked(pattern: str) -> str:
    """Return a pattern that may be used; raises `PatternRefused`."""
    if len(pattern) > LONGEST:
        raise PatternRefused("too_long", f"A pattern has {LONGEST} characters at most.")
    if not pattern.isprintable():
        raise PatternRefused("not_printable", "A pattern is one line of characters that can be seen.")
    if len(pattern.replace("*", "").replace(" ", "")) < FEWEST:
        raise PatternRefused("too_short", f"A pattern has {FEWEST} characters or more beside stars and blanks.")
    if pattern.count("*") > MOST_STARS or "**" in pattern:
        raise PatternRefused("stars", f"A pattern has {MOST_STARS} stars at most, none beside another.")
    return pattern


def fits(pattern: str, text: str) -> bool:
    """Say whether the whole text fits a pattern; time grows with the text alone. A longer text than can be read fits none."""
    if len(text) > LONGEST_TEXT:
        return False
    first, *rest = pattern.casefold().split("*")
    folded = text.strip().casefold()
    if not rest:
        return folded == first
    *between, last = rest
    end = len(folded) - len(last)
    if not folded.startswith(first) or not folded.endswith(last) or end < len(first):
        return False
    return _in_order(between, folded, start=len(first), end=end)


def _in_order(parts: Iterable[str], text: str, *, start: int, end: int) -> bool:
    for part in parts:
        found = text.find(part, start, end)
        if found < 0:
            return False
        start = found + len(part)
    return True


def ruled(output: Output, *, tool: str | None, rules: Sequence[Rule]) -> Output:
    """Return an output with what the first rule that fits adds: one for its tool before one for every tool.

    A runtime's exact sentence and an answer of this desk stay what they are, and no rule makes a result of a runtime's own
    error flag.
    """
    if output.kind in (OutputClass.ENVELOPE, OutputClass.NOT_ATTEMPTED):
        return output
    mine = [rule for rule in rules if rule.tool in ("", tool or "")]
    for rule in sorted(mine, key=lambda rule: (not rule.tool, rule.number)):
        if fits(rule.pattern, output.text) and not _lifts_a_flag(output, rule):
            return replace(output, ruled=Ruled(kind=rule.says, by=str(rule), pattern=rule.pattern))
    return output


def _lifts_a_flag(output: Output, rule: Rule) -> bool:
    return output.matched == ERROR_FLAG and rule.says is OutputClass.CLAIMS_RESULT


def apply(calls: Iterable[Call], rules: Sequence[Rule]) -> None:
    """Add to every output of these calls what the rules say of it."""
    if not rules:
        return
    for call in calls:
        call.outputs = [ruled(output, tool=call.name, rules=rules) for output in call.outputs]
