"""Bars as a picture for people: a line a bar, its words above it, in SVG units, drawn by the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

# What a piece of a bar stands for; the words above the bar say the same.
Kind: TypeAlias = Literal["one", "two", "rest"]

WIDTH: Final = 360
ROW: Final = 32
_BAR: Final = 9
_TOP: Final = 14
_LETTERS: Final = 52  # that fit into a line beside each other
MOST_BARS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One bar as numbers: its `label`, what stands at its other end, and how much each piece of it is."""

    label: str
    says: str
    pieces: tuple[tuple[Kind, int], ...]

    @property
    def number(self) -> int:
        """How much all of it is."""
        return sum(number for _, number in self.pieces)


@dataclass(frozen=True, slots=True)
class Piece:
    """A rectangle of a bar."""

    kind: Kind
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: where its words stand (`words_y`) and where it does; `label` is `whole` cut to the line."""

    label: str
    whole: str
    says: str
    words_y: int
    bar_y: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole picture, with the sentence that says the same to those who don't see it; `more` bars are not drawn."""

    width: int
    height: int
    thick: int
    bars: tuple[Bar, ...]
    said: str
    more: int


def picture(heading: str, lines: Sequence[Line]) -> Picture | None:
    """Return the first lines as bars on one scale; None where there is nothing to draw."""
    most = max([line.number for line in lines], default=0)
    if most == 0:
        return None
    drawn = lines[:MOST_BARS]
    said = "; ".join([f"{line.label}: {line.says}" for line in drawn])
    bars = tuple([_bar(line, number, most) for number, line in enumerate(drawn)])
    return Picture(WIDTH, len(drawn) * ROW, _BAR, bars, f"{heading}. {said}.", len(lines) - len(drawn))


def _bar(line: Line, number: int, most: int) -> Bar:
    y = number * ROW
    room = max(_LETTERS - len(line.says), 12)
    label = line.label if len(line.label) <= room else f"{line.label[: room - 1].rstrip()}…"
    return Bar(label, line.label, line.says, y + _TOP, y + _TOP + 5, _pieces(line, most))


def _pieces(line: Line, most: int) -> tuple[Piece, ...]:
    x, found = 0.0, []
    for kind, number in line.pieces:
        width = WIDTH * number / most
        if number:
            found.append(Piece(kind, f"{x:.2f}", f"{max(width, 1.0):.2f}"))
        x += width
    return tuple(found)
