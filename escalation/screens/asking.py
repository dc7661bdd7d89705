"""How a recipient can be asked about one operation: what is sent, what the last answer said, why not now."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from escalation.screens.seen import Seen, observations
from escalation.screens.sight import Sight
from operations import asking
from operations.core.facts import Authority

COVERS: Final = {
    Authority.HISTORY: "Its own record of what happened.",
    Authority.CURRENT: "Only what exists there now; something that is gone is not shown.",
    Authority.DERIVED: "A copy that may lag behind; what it lacks proves nothing.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One channel: `sends` is the question as it goes out, empty where it can't be put (`locked` says why).

    `name` and `more` are what the contract says about it; `best` marks the one that is advised.
    """

    channel: str
    name: str
    more: str
    best: bool
    covers: str
    sends: str
    last: Seen | None
    locked: str | None
    until: datetime | None

    @property
    def open(self) -> bool:
        """Whether it may be asked now."""
        return self.locked is None and self.until is None


def ways(sight: Sight) -> tuple[Way, ...]:
    """Return the channels that the desk can ask by what it knows already, in the contract's order."""
    seen, _ = observations(sight)
    return tuple([_way(sight, channel, seen) for channel in asking.askable(sight.document)])


def finders(sight: Sight) -> tuple[tuple[str, str], ...]:
    """Return the channels that find a receipt by the recipient's own reference: (channel, what it is)."""
    return tuple([(name, sight.document.channels[name].about) for name in asking.findable(sight.document)])


def _in_two(about: str) -> tuple[str, str]:
    """Return the first sentence, or its first half, and the rest."""
    found = re.match(r"(.+?)(?:[;.] |\.?$)(.*)", about, re.DOTALL)
    if found is None:
        return about, ""
    rest = found[2].strip()
    return found[1], rest[:1].upper() + rest[1:]


def _way(sight: Sight, name: str, seen: list[Seen]) -> Way:
    channel = sight.document.channels[name]
    sends, locked = "", None
    called, more = _in_two(channel.about)
    try:
        question = asking.prepared(sight.read, name)
        sends = f"{question.ask.method} {question.ask.target}"
    except asking.CannotAsk as error:
        locked = str(error)
    return Way(
        channel=name,
        name=called,
        more=more,
        best=name in [step.channel for step in sight.steps],
        covers=COVERS.get(channel.authority, "Nothing that settles anything."),
        sends=sends,
        last=next((one for one in seen if one.observation.channel == name), None),
        locked=locked,
        until=asking.paced_until(sight.read, name, now=sight.now),
    )


def learnt(sight: Sight, observation: UUID) -> str:
    """Return in a sentence or two what an answer said."""
    seen, _ = observations(sight)
    found = next((one for one in seen if one.observation.id == observation), None)
    if found is None:
        return "The answer is kept."
    settles = "" if found.settles else f" {found.why}"
    return f"{sight.operation.recipient.name} answered ({found.observation.channel}): {found.says}.{settles}"
