"""What the agent lives through, one parcel a story: every state that an operation can be in comes up (test_demo.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

KEPT, UNKEPT = "collection-desk", "collection-desk-without-keys"
# The same desk, as the contract of its closing request names it.
CLOSING: Final = "collection-desk-closing"
TERMS: Final[Mapping[str, Mapping[str, Any]]] = {
    KEPT: {"keeps_for": 86_400, "after": "runs_as_new"},
    UNKEPT: {"mechanism": "none"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One parcel: what becomes of its request, and what the recipient says when the desk asks.

    `told`: what the recipient does with the request. `says`: what its record claims, whatever is true; `away`: how often
    it turns the desk away first. `waits`: the agent waits for the reply, which comes only once the desk has asked.
    `event`: the recipient tells of it by a signed event. `closes`: the agent has the operation closed at the recipient. `twice`: the recipient forgets the request number,
    and the agent waits for somebody to grant it another attempt, and sends once more. `ends`: the agent waits for somebody to
    have it closed, and sends the request that closes it. `sealed`: all that was sent is on record.
    """

    parcel: str
    about: str
    recipient: str = KEPT
    told: Mapping[str, Any] = field(default_factory=dict)
    says: str | None = None
    away: int = 0
    waits: bool = False
    closes: bool = False
    event: bool = False
    twice: bool = False
    ends: bool = False
    sealed: bool = True
    reachable: bool = True


FOR_LONG: Final = 50
STORIES: Final = (
    Story(
        parcel="Cedar", about="the reply was lost, and the record can't be read", told={"reply": "lost"}, away=FOR_LONG
    ),
    Story(parcel="Oak", about="the request was lost", told={"request": "lost"}),
    Story(parcel="Birch", about="a ticket was issued, and everybody knows"),
    Story(parcel="Elm", about="accepted for later", told={"handling": "accept"}),
    Story(parcel="Ash", about="refused, copies too", told={"handling": "refuse"}),
    Story(parcel="Yew", about="nobody listens: nothing was sent", reachable=False),
    Story(parcel="Rowan", about="an error after the ticket was issued", told={"handling": "fail_after"}),
    Story(parcel="Alder", about="still in work", told={"work": "held"}),
    Story(parcel="Lime", about="issued, and others may have sent too", told={"reply": "lost"}, sealed=False),
    Story(parcel="Pine", about="the reply was lost where nothing protects", recipient=UNKEPT, told={"reply": "lost"}),
    Story(
        parcel="Fir",
        about="the reply was lost, and an event told of the ticket",
        told={"reply": "lost"},
        away=FOR_LONG,
        event=True,
    ),
    Story(parcel="Hazel", about="lost, then closed at the desk", told={"request": "lost"}, closes=True),
    Story(
        parcel="Spruce",
        about="the number was forgotten: two tickets, once the agent is let repeat it",
        told={"reply": "lost"},
        twice=True,
        away=3,
    ),
    Story(
        parcel="Juniper",
        about="accepted for later, and closed once the agent is let send that",
        told={"handling": "accept"},
        ends=True,
    ),
    Story(
        parcel="Maple",
        about="the record says closed, the reply brings a ticket",
        told={"reply": "held"},
        says="closed",
        waits=True,
    ),
    Story(
        parcel="Willow",
        about="the reply brings a ticket that the record lacks",
        told={"reply": "held"},
        says="absent",
        waits=True,
    ),
    Story(
        parcel="Larch",
        about="accepted after the record said closed",
        told={"request": "held", "handling": "accept"},
        says="closed",
        waits=True,
    ),
    Story(
        parcel="Beech",
        about="under way though refused",
        told={"handling": "refuse", "reply": "held"},
        says="pending",
        waits=True,
    ),
    Story(
        parcel="Poplar",
        about="issued though refused",
        told={"handling": "refuse", "reply": "held"},
        says="issued",
        waits=True,
    ),
)
