"""A run as a page: what was played, what was wrong, and what the oracle said of planted bugs."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

MOST: Final = 50  # sentences of what was wrong that the page repeats


def page(told: Mapping[str, Any]) -> str:
    """Return the page of a run, from its JSON."""
    return "\n".join([*_lines(told), ""])


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    figures = told["figures"]
    yield "# A simulated week, as it was run"
    yield ""
    yield f"Written by `python -m tests.week --operations {figures['operations']} --days {told['days']:g} --calm {told['calm']:g} --seed {told['seed']}`,"
    yield f"which played it in {told['seconds']} s. What is played and what is checked: [week.md](week.md)."
    yield ""
    wrong = told["wrong"]
    yield f"**{len(wrong)} wrong.**" if wrong else "**Nothing was wrong.**"
    yield from [f"* {one}" for one in wrong[:MOST]]
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield from [f"| {name} | {_cell(value)} |" for name, value in figures.items()]
    if told["planted"]:
        yield ""
        yield "| planted bug | found in so many sentences | the first |"
        yield "|---|---|---|"
        yield from [f"| {bug} | {one['found']} | {one['first']} |" for bug, one in told["planted"].items()]


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict):
        return ", ".join([f"{name.replace('_', ' ')} {count:,}" for name, count in value.items()])
    return str(value)
