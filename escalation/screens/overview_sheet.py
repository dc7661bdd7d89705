"""One figure as people read it, and the words that all of them use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from escalation.screens.bars import Kind, Line, Picture, picture
from escalation.screens.times import exact, span

Cell: TypeAlias = str | int
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One figure: `means` defines it, `notes` say what of it is not known; `empty` stands where there is nothing.

    `legend` says what the pieces of the bars stand for, where
    they have several. The first cell of a row names it. Each line of the picture is a row of the table, and says its numbers.
    """

    key: str
    heading: str
    means: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lines: tuple[Line, ...]
    empty: str
    says: str = ""
    legend: tuple[tuple[Kind, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def picture(self) -> Picture | None:
        """The picture; None where there is nothing to draw."""
        return picture(self.heading, self.lines)


def length(of: timedelta) -> str:
    """Return a length that is a whole number of its greatest unit without the smaller one: "4 h", "1 d", "1 h 30 min"."""
    return span(of).removesuffix(" 00 min").removesuffix(" 0 h")


def share(part: float | None) -> str:
    """Return a part of one in per cent; "unknown" where nobody knows it."""
    return UNKNOWN if part is None else f"{part * 100:.0f} %"


def least(number: int, *, more: bool) -> str:
    """Return a number, as a least one where there are `more` than were counted."""
    return f"at least {number:,}" if more else f"{number:,}"


def numbers(lines: Sequence[tuple[str, int]], *, more: bool = False) -> tuple[Line, ...]:
    """Return bars of one piece, each with its number."""
    return tuple(
        [Line(label=label, says=least(number, more=more), pieces=(("one", number),)) for label, number in lines]
    )


def as_of(at: datetime | None) -> tuple[str, ...]:
    """Return the note that says since when days that are over are as they are; none where all was counted now."""
    return () if at is None else (f"Days that are over are as they were known at {exact(at)}.",)
