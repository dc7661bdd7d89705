"""What servers say of their own tools: words of strangers, which fill in a form and decide nothing (docs/imports.md)."""

from collections.abc import Iterator
from typing import Final

from operations.core.strict_json import Json
from operations.imports.document import Document, items, member, text_at

_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint")
READS: Final = "readOnlyHint: true"


def hints_of(record: Document) -> dict[str, str]:
    """Return the hints of the tools that a log of lines lists, by the tool's name."""
    return {name: hint for _, line in record.lines for name, hint in _of(line) if hint}


def _of(line: Json) -> Iterator[tuple[str, str]]:
    for _, tool in items(line, "msg", "result", "tools"):
        name, said = text_at(tool, "name"), tool.get("annotations")
        if name is not None and isinstance(said, dict):
            yield name, ", ".join([f"{hint}: {str(said[hint]).lower()}" for hint in _HINTS if _is_flag(said, hint)])


def _is_flag(said: dict[str, Json], hint: str) -> bool:
    return isinstance(member(said, hint), bool)
