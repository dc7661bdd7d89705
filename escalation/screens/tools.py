"""Tools as people read them: how often they were called, what their server says of them, and what a person said."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.imports.hints import READS
from operations.reading import runs as reading

if TYPE_CHECKING:
    from operations.models import Tool

MOST: Final = 500
# What can be said of a tool: the words are the rows' own (operations/models/tool.py).
KINDS: Final[Mapping[str, str]] = reading.KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One tool: `hint` is its server's word, `said` what holds of it by a person's, None while nobody said anything."""

    name: str
    calls: int
    hint: str
    said: "Tool | None"

    @property
    def sentence(self) -> str:
        """What holds of it, as people read it."""
        return "" if self.said is None else KINDS[self.said.kind]

    @property
    def filled_in(self) -> str:
        """What the form is filled in with: what was said, else what a server's hint would make of it, else nothing."""
        if self.said is not None:
            return self.said.kind
        return "reads" if self.hint.startswith(READS) else ""


def lines(*, among: Collection[int] | None) -> list[Line]:
    """Return the tools that calls of these runs name, and those of which somebody said something."""
    said = {one.name: one for one in reading.tools_said()}
    seen = {one.tool: one for one in reading.tools_seen(among=among, limit=MOST)}
    names = [*seen, *[name for name in said if name not in seen]]
    return [
        Line(
            name=name,
            calls=seen[name].calls if name in seen else 0,
            hint=seen[name].hint if name in seen else "",
            said=said.get(name),
        )
        for name in names
    ]
