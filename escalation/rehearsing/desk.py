"""What a rehearsal needs of a collection desk, whichever way it is reached: in memory or over the wire."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from operations.core.facts import Seconds

KEY: Final = "order-1"
OTHER: Final = f"{KEY}-other"
NEW: Final = f"{KEY}-new"
KEYS: Final = (KEY, OTHER, NEW)
PARCEL: Final = "Cedar"
PLACE: Final = "East"


class NoDesk(Exception):
    """There is no collection desk here to rehearse with; the message is the sentence."""


class UnknownTerm(ValueError):
    """The desk has no such term, or not with this value; the message says which would be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of one request: an answer, or how the connection ended without one (`timeout`, `reset`, `closed`)."""

    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    ended: str = ""


class Desk(Protocol):
    """One desk (tests/recipients/collection_desk): its two doors, its record, and what control can do with it.

    Accounts are `one` and `two`. Times are seconds on the desk's clock, intervals seconds. Passages are the desk's own
    names for requests that were sent.
    """

    def now(self) -> Seconds:
        """Return the desk's time, no finer than it writes it."""
        ...

    def advance(self, seconds: Seconds) -> None:
        """Move the desk's clock forward."""
        ...

    def tell(self, *, key: str, **instruction: Any) -> None:
        """Say what to do with the next request under this key."""
        ...

    def ask_for_ticket(self, key: str, *, account: str = "one") -> Heard:
        """Send one request for a ticket, once."""
        ...

    def close(self, key: str) -> None:
        """Ask for an operation to be ended."""
        ...

    def record(self, key: str) -> Heard:
        """Ask the strong record about one key."""
        ...

    def held(self, key: str) -> list[str]:
        """Return the passages of this key that are on their way or in work."""
        ...

    def release(self, passage: str) -> None:
        """Let what is held go on; its sender has given up and hears nothing."""
        ...

    def pending(self, key: str) -> list[str]:
        """Return the passages of this key that were accepted for later."""
        ...

    def finish(self, passage: str, *, handling: str) -> None:
        """End what was accepted for later: `issue` or `fail_before`."""
        ...

    def copy_all(self, key: str) -> None:
        """Let a late copy of every request of this key arrive."""
        ...

    def collect_all(self) -> None:
        """Hand every parcel over, so that no ticket exists any more."""
        ...

    def tickets(self, key: str) -> int:
        """Return how many tickets were issued for requests that carried this key."""
        ...
