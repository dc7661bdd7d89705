"""The counting classes: every kind of thing that can be learnt, and which worlds honestly allow it.

A `Saying` is one observation reduced to what counts of it. `admits` names the mask of the worlds in which the recipient
(or the client) can honestly say this at its date; None where it settles nothing, so that every world admits it.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

STRANGER: Final = "a9"
UNTIL_FAR: Final = 10_000.0
CHANNELS: Final[dict[str, dict[str, Any]]] = {
    "ledger": {"authority": "history", "reads": "strong"},
    "copy": {"authority": "history", "reads": "eventual"},
    "webhook": {"authority": "history", "reads": "unordered", "pollable": False},
    "list": {"authority": "current", "reads": "strong"},
    "index": {"authority": "derived", "reads": "strong", "positive_is_conclusive": True},
    "search": {"authority": "derived", "reads": "strong"},
    "gateway": {"authority": "transport", "reads": "strong"},
    "client": {"authority": "client", "reads": "strong"},
    "note": {"authority": "none", "reads": "strong"},
}


class Saying(NamedTuple):
    """One class of observations. `number`: which attempt on record it speaks of (from 0), None: of none of them."""

    code: str
    channel: str
    says: str
    admits: str | None
    number: int | None = None
    attempt: str | None = None
    covers_copies: bool = False
    until: str | None = None
    correlation: str = "operation"
    authentic: bool = True

    @property
    def reports(self) -> bool:
        """Whether it reports activity or the effect: `pending`, `accepted` or `applied`, and counts."""
        return self.admits in ("applied", "active", "received")

    @property
    def names(self) -> str | None:
        """The attempt that a counting answer of the recipient names."""
        return self.attempt if self.admits not in (None, "unsent") else None

    @property
    def statement(self) -> str | None:
        """What it states of the retained identity, if anything that counts."""
        return self.until if self.says == "protection_until" else ("lost" if self.says == "protection_lost" else None)


APPLIED = Saying("applied", "webhook", "applied", "applied")
NOTHING = Saying("nothing", "note", "applied", None)
GENERAL: Final = (
    NOTHING,
    APPLIED,
    Saying("closed", "webhook", "closed", "closed"),
    Saying("absent", "ledger", "absent", "absent"),
    Saying("pending", "ledger", "pending", "active"),
    Saying("pending*", "webhook", "pending", "received"),
    Saying("accepted", "ledger", "accepted", "active"),
    Saying("accepted*", "webhook", "accepted", "received"),
    Saying("names a9", "webhook", "indeterminate", "stranger", attempt=STRANGER),
    Saying("kept", "ledger", "protection_until", "anything", until="far"),
    Saying("kept briefly", "ledger", "protection_until", "anything", until="near"),
    Saying("lost", "ledger", "protection_lost", "anything"),
)


def of_attempt(number: int) -> tuple[Saying, ...]:
    """Return the sayings that speak of attempt `number` (from 0)."""
    name = f"a{number + 1}"
    return (
        Saying(f"refused {name}", "webhook", "attempt_refused", "refused", number, name, covers_copies=True),
        Saying(f"names {name}", "webhook", "indeterminate", "left", number, name),
        Saying(f"unsent {name}", "client", "not_sent", "unsent", number, name, correlation="weak"),
    )


def sayings(attempts: int) -> tuple[Saying, ...]:
    """Return the counting classes of an operation with this many attempts, one that doesn't count first."""
    return GENERAL + tuple([saying for number in range(attempts) for saying in of_attempt(number)])


_MASK_OF: Final = {
    "applied": "applied",
    "closed": "closed",
    "absent": "absent",
    "pending": "active",
    "accepted": "active",
    "attempt_refused": "refused",
    "indeterminate": "left",
    "not_sent": "unsent",
    "protection_until": "anything",
    "protection_lost": "anything",
}
_WHO_MAY_SAY: Final = {
    "ledger": set(_MASK_OF) - {"not_sent"},
    "copy": set(_MASK_OF) - {"not_sent", "absent"},
    "webhook": set(_MASK_OF) - {"not_sent", "absent"},
    "list": set(_MASK_OF) - {"not_sent", "absent"},
    "index": {"applied"},
    "client": {"not_sent"},
}


def cells() -> Iterator[Saying]:
    """Return an observation for every cell of "channel authority | claims that count", and those that fail otherwise.

    Who may say what is written down here once more, from semantics.md, not taken from the core.
    """
    for channel, nature in CHANNELS.items():
        for says, mask in _MASK_OF.items():
            counts = says in _WHO_MAY_SAY.get(channel, ())
            admits = "received" if counts and mask == "active" and nature.get("reads") != "strong" else mask
            yield _cell(f"{channel}: {says}", channel, says, admits if counts else None)
    for says, mask in _MASK_OF.items():
        channel = "client" if says == "not_sent" else "ledger"
        yield _cell(f"mismatch: {says}", channel, says, None, correlation="mismatch")
        yield _cell(f"forged: {says}", channel, says, None, authentic=False)
        yield _cell(f"elsewhere: {says}", "somebody", says, None)
        if channel == "ledger":
            yield _cell(f"arguments: {says}", channel, says, None, correlation="arguments")
            yield _cell(f"weak: {says}", channel, says, None, correlation="weak")
        else:
            yield _cell(f"arguments: {says}", channel, says, mask, correlation="arguments")
    yield _cell("refused, copies not covered", "webhook", "attempt_refused", "left", covers_copies=False)
    yield Saying("kept, no end stated", "ledger", "protection_until", None)
    yield Saying("unknown claim", "ledger", "done", None)


def _cell(code: str, channel: str, says: str, admits: str | None, **given: Any) -> Saying:
    attempt = ("a1", 0) if says in ("attempt_refused", "indeterminate", "not_sent") else (None, None)
    return Saying(
        code,
        channel,
        says,
        admits,
        attempt[1],
        attempt[0],
        given.pop("covers_copies", says == "attempt_refused"),
        "far" if says == "protection_until" else None,
        **given,
    )
