"""What an answer is compared with: the identity and the bound arguments of one operation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from hashlib import md5

from operations.contracts.places import Found, Gap, as_text
from operations.core.strict_json import NumberText


class Alike(StrEnum):
    """How an echoed argument is compared with what was sent; anything but `exact` is a statement of the recipient.

    `spelling`: the same characters, be it a number or text (a form carries 1000 as text). `number`: the same value,
    however it is written. `letters`: A to Z without regard to case. `md5`: the echo is the MD5 of the text that was sent,
    in hexadecimal; it tells a text from another by mistake, not from one that was made to look alike.
    """

    EXACT = "exact"
    SPELLING = "spelling"
    NUMBER = "number"
    LETTERS = "letters"
    MD5 = "md5"


def number(found: Found | float) -> Decimal | None:
    """Return a JSON number, or a number of the contract, by its exact value; None for everything else."""
    if isinstance(found, bool) or not isinstance(found, NumberText | int | float):
        return None
    try:
        return Decimal(str(found))
    except InvalidOperation:  # an exponent of more than 18 digits
        return None


def _same_number(one: Found, other: Found) -> bool:
    texts = as_text(one), as_text(other)
    try:
        values = [Decimal(text) for text in texts if text is not None]
    except InvalidOperation:
        return False
    return len(values) == 2 and all(value.is_finite() for value in values) and values[0] == values[1]


def _is_md5_of(sent: Found, echo: Found) -> bool:
    if not (isinstance(sent, str) and isinstance(echo, str)):
        return False
    return md5(sent.encode(), usedforsecurity=False).hexdigest() == echo.lower()


def alike(one: Found, other: Found, *, how: Alike) -> bool:
    """Say whether an echo is the value that was sent; what is not there is alike to nothing."""
    if isinstance(one, Gap) or isinstance(other, Gap):
        return False
    if how is Alike.MD5:
        return _is_md5_of(one, other)
    if one == other:
        return True
    spelt = as_text(one), as_text(other)
    if None in spelt or how is Alike.EXACT:
        return False
    if how is Alike.NUMBER:
        return _same_number(one, other)
    if how is Alike.LETTERS:
        return all(isinstance(side, str) and side.isascii() for side in (one, other)) and (
            str(one).lower() == str(other).lower()
        )
    return spelt[0] == spelt[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One bound argument as the stored request carries it, MISSING where it doesn't."""

    value: Found
    how: Alike = Alike.EXACT

    def is_echoed_by(self, found: Found) -> bool:
        """Say whether this is the argument's value, by the way in which the contract compares it."""
        return alike(self.value, found, how=self.how)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """An operation's identity and its bound arguments by name."""

    identity: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
