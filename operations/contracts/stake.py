"""What is at stake by a request, where the contract says which of its arguments name it; nothing is guessed.

What is not told exactly is not told at all: whoever asks takes it for unknown, never for small.
"""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from operations.contracts.asked import bound_of
from operations.contracts.document import Document
from operations.contracts.places import MISSING, Found, Gap, as_text
from operations.core.representation import Representation

_LETTERS: Final = re.compile(r"[A-Za-z]{3}")
# Beyond this no amount is believed; columns hold eighteen digits, four of them after the point.
_MOST: Final = Decimal(10) ** 14


def _text(found: Found) -> str | None:
    return None if isinstance(found, Gap) else as_text(found)


def _amount(text: str | None) -> Decimal | None:
    try:
        amount = Decimal(text or "")
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount < _MOST else None


def stake_of(document: Document, request: Representation) -> tuple[Decimal, str] | None:
    """Return amount and currency (three capital letters) that a request is about, None where they can't be told.

    An amount is rounded up to four places, so that it is never told too small.
    """
    stated = document.effect.stake
    if stated is None:
        return None
    found = {name: argument.value for name, argument in bound_of(document, request).arguments.items()}
    amount = _amount(_text(found.get(stated.amount, MISSING)))
    currency = _text(found.get(stated.currency, MISSING))
    if amount is None or currency is None or _LETTERS.fullmatch(currency) is None:
        return None
    parts = 1 if stated.parts is None else stated.parts.get(currency.upper())
    if parts is None:
        return None
    return (amount / parts).quantize(Decimal("0.0001"), rounding="ROUND_CEILING"), currency.upper()
