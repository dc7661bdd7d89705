"""The desk's README names every door, term, instruction and word of control."""

from dataclasses import fields
from pathlib import Path

import pytest

from tests.recipients import collection_desk
from tests.recipients.collection_desk import control, front, programme, record, terms

README = (Path(collection_desk.__file__).parent / "README.md").read_text()


def routes(table) -> set[str]:
    """The start of each path that can be named in one piece."""
    return {f"/{path[0]}" for _, path in table}


@pytest.mark.parametrize("path", sorted(routes(front.DOORS) | routes(control.ROUTES)))
def test_every_path_is_named(path):
    assert f" {path}" in README


@pytest.mark.parametrize("field", [*fields(terms.Terms), *fields(programme.Instruction)], ids=lambda one: one.name)
def test_every_field_is_named(field):
    assert f"`{field.name}`" in README


@pytest.mark.parametrize(
    "word", sorted({word for table in (terms.WORDS, programme.WORDS) for words in table.values() for word in words})
)
def test_every_word_is_named(word):
    assert word in README


def test_every_state_is_named():
    states = [state for state in programme.WORDS["says"] if f"| `{state}`" not in README]
    assert states == []
    assert record.record_of([]).state in programme.WORDS["says"]
