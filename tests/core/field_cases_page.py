"""docs/field-cases.md is what the core says of every field report: `python -m tests.core.field_cases_page` prints it."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.core.field_cases import (
    FACETS,
    FINALITY,
    FORBIDDEN,
    PERMITTED,
    FieldCase,
    answered,
    differing,
    field_cases,
    rests_on_record,
)

_INTRODUCTION: Final = """# Field cases

Made by `python -m tests.core.field_cases_page`: every report of tests/data/cases.jsonl, put to the core with what was
visible when somebody had to decide. How each was read is in tests/data/field_scenarios.yaml, by hand; terms that a report
does not state stay undocumented. A facet agrees where ours is what the report expects. The tests
(tests/core/test_field_cases.py) hold every case to exactly the differences listed here.
"""


def _line(text: str) -> str:
    return " ".join(text.split())


def _paths(terms: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for key, value in terms.items():
        path = f"{above}.{key}" if above else key
        if isinstance(value, dict):
            yield from _paths(value, path)
        else:
            shown = value if isinstance(value, str) else json.dumps(value)
            yield f"`{path}: {shown}`"


def _figures(fields: list[FieldCase]) -> Iterator[str]:
    differences = [differing(field, field.scenario()) for field in fields]
    total, differs = len(fields) * len(FACETS), sum(map(len, differences))
    whole = sum(1 for found in differences if not found)
    yield f"{len(fields)} cases, {total} facets: {total - differs} agree, {differs} don't. {whole} cases agree in every facet."
    yield ""
    yield "| facet | agrees | differs in |"
    yield "|---|---|---|"
    for facet in FACETS:
        names = [field.name for field, found in zip(fields, differences, strict=True) if facet in found]
        yield f"| {facet} | {len(fields) - len(names)} of {len(fields)} | {', '.join(names)} |"


def _words() -> Iterator[str]:
    yield "| the report's word | ours |"
    yield "|---|---|"
    yield "| effect, protection, conflict | evidence, protection, conflict, word for word |"
    for word, ours in FINALITY.items():
        yield f"| finality {word} | {' or '.join([f'`{one}`' for one in ours])} |"
    for heading, words in (("permitted", PERMITTED), ("forbidden", FORBIDDEN)):
        for word, ours_is in words.items():
            yield f"| {heading} {word} | {ours_is.ours} |"
    yield "| forbidden, in every case | no `repeat` and no `propose_new` that the report does not permit |"


def _says(field: FieldCase) -> str:
    found = answered(field.scenario())
    reason = f" ({found['protection_reason']})" if found["protection_reason"] else ""
    conflict = f"; conflict: {found['conflict_kind']}" if found["conflict"] else ""
    return (
        f"{found['evidence']}, {found['finality']}; protection {found['protection']}{reason}{conflict}; "
        f"permitted: {', '.join(found['permitted'])}"
    )


def _why(field: FieldCase) -> str:
    parts = [f"**{facet}**: {_line(field.disagrees[facet])}" for facet in FACETS if facet in field.disagrees]
    would = field.reading.get("would_agree")
    if would:
        terms, facets = ", ".join(_paths(would["with"])), ", ".join(would["facets"])
        parts.append(f"With {terms} stated, this would agree: {facets}.")
        parts += [f"Then **{facet}** would differ: {_line(why)}" for facet, why in would.get("adds", {}).items()]
    if "accepts" in field.reading:
        accepts = field.reading["accepts"]
        parts.append(f"The report also accepts ours in {', '.join(accepts['facets'])}: {_line(accepts['because'])}")
    return "<br>".join(parts)


def _cases(fields: list[FieldCase]) -> Iterator[str]:
    yield "| case | category | the desk says | agrees | where not, why |"
    yield "|---|---|---|---|---|"
    for field in fields:
        agrees = len(FACETS) - len(differing(field, field.scenario()))
        yield (
            f"| {field.name}: {field.case['title']} | {field.case['category']} | {_says(field)} | "
            f"{agrees} of {len(FACETS)} | {_why(field)} |"
        )


def _record(fields: list[FieldCase]) -> Iterator[str]:
    yield "No report says that its writers had stopped. Agreement that is lost when the record is read as incomplete:"
    yield ""
    for field in fields:
        facets = rests_on_record(field)
        if facets:
            yield f"- {field.name}: {', '.join(facets)}"


def page() -> str:
    """Return docs/field-cases.md."""
    fields = field_cases()
    parts = [_INTRODUCTION, *_figures(fields), "", "## How the words were read", "", *_words(), "", "## The cases", ""]
    parts += [*_cases(fields), "", "## What rests on a complete record", "", *_record(fields)]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
