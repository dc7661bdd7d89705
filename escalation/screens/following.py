"""What could follow: one row a history that is still possible, one column an action, the most effects in each cell."""

from dataclasses import dataclass
from typing import Final

from escalation.screens.sight import Sight
from escalation.screens.times import clock
from operations import reading
from operations.core.consequences import MOST, Effects, consequences
from operations.core.protection import Protection

# semantics.md, Permitted actions: what the table is safe under, to be shown with it.
ASSUMPTIONS: Final = (
    "A single send acts at most once.",
    "While a request number is protected, all its copies together act at most once.",
    "Every copy of an attempt sent under protection arrives before it ends; copies of others may arrive at any time.",
    "One action is taken, then everything is inferred again.",
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The most effects: `level` picks the look (0, 1, 2, unknown), `said` is the cell read aloud."""

    shown: str
    level: str
    said: str


@dataclass(frozen=True, slots=True)
class Follows:
    """The table; every row is a sentence and as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def _cell(effects: Effects | None) -> Cell:
    if effects is None:
        return Cell("-", "none", "does not apply")
    if isinstance(effects, str):
        return Cell("?", "unknown", "not known: nothing that the recipient says bounds it")
    if effects >= MOST:
        return Cell("2", "2", "two or more")
    return Cell(str(effects), str(effects), "none" if effects == 0 else "one")


def follows(sight: Sight) -> Follows:
    """Return the table of what could follow at this moment."""
    standing = sight.standing
    found = consequences(sight.read.facts, standing.weighed.now)
    windowed = any(one.repeat_after_window is not None for one in found)
    until = reading.moment(standing.protection_until)
    end = "the end of protection" if until is None else clock(until, now=sight.now)
    repeat = f"Repeat, until {end}" if windowed and standing.protection is Protection.ACTIVE else "Repeat, same request"
    columns = ["Stop here", repeat, *([f"Repeat, after {end}"] if windowed else []), "New request, or another desk"]
    rows = []
    for one in found:
        later = [one.repeat_after_window] if windowed else []
        cells = tuple([_cell(effects) for effects in (one.stop, one.repeat, *later, one.propose_new)])
        rows.append((one.history.sentence, cells))
    return Follows(tuple(columns), tuple(rows))
