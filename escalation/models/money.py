"""An amount of one currency, as rows hold it and as people read it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

DIGITS: Final = 18
PLACES: Final = 4
CURRENCY: Final = r"^[A-Z]{3}$"


@dataclass(frozen=True, slots=True)
class Money:
    """An amount and the three letters of its currency (ISO 4217); amounts of two currencies are never compared."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        """As people read it: "EUR 1,250", "EUR 1,250.50"."""
        whole = self.amount == self.amount.to_integral_value()
        shown = f"{self.amount:,.0f}" if whole else f"{self.amount.normalize():,f}"
        cents = len(shown.rpartition(".")[2]) if not whole else 0
        return f"{self.currency} {shown}{'0' if cents == 1 else ''}"
