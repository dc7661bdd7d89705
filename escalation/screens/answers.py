"""The three questions, each answered in one word with its own glyph: the same words on every screen.

The words are those of screens.md, Words on the screen. A glyph's name is that of its symbol in static/icons.svg; `field`
gives the colour of the question, `tone` overrules it where there is a reason to look.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from escalation.screens.sight import Sight
from escalation.screens.times import clock
from operations import reading
from operations.core.prose import can_still_happen, happened
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, Situation, Standing

SOON: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question and its answer."""

    field: str
    question: str
    glyph: str
    word: str
    tone: str = ""


_HAPPENED_GLYPH: Final = {
    Evidence.APPLIED: "applied",
    Evidence.PENDING: "pending",
    Evidence.UNKNOWN: "unknown",
    Evidence.NOT_APPLIED: "absent",
}
_STILL_GLYPH: Final = {
    Finality.SETTLED: "gate",
    Finality.EXCLUDED: "barred",
    Finality.POSSIBLE: "moving",
    Finality.UNESTABLISHED: "mayact",
}


def did_it_happen(sight: Sight) -> Answer:
    """Return the answer to "Did it happen?"."""
    standing = sight.standing
    question = "Did it happen?"
    if standing.conflict is not None:
        return Answer("known", question, "conflict", happened(standing), "stop")
    if standing.duplicate_effect:
        return Answer("known", question, "conflict", f"Yes, {len(standing.effect_refs)} times", "stop")
    if standing.finality is Finality.EXCLUDED:
        return Answer("known", question, "closed", happened(standing))
    word = happened(standing)
    if standing.evidence is Evidence.APPLIED and not sight.recorded:
        word = "Yes, not in our books"
    return Answer("known", question, _HAPPENED_GLYPH[standing.evidence], word)


def could_it_still_happen(sight: Sight) -> Answer:
    """Return the answer to "Could it still happen?"."""
    word = can_still_happen(sight.standing)
    if sight.standing.conflict is not None:
        word = "We don't know"
    return Answer("act", "Could it still happen?", _STILL_GLYPH[sight.standing.finality], word)


def nothing_left_to_send(standing: Standing) -> bool:
    """Whether the question of sending again has no object: it happened, or it was closed."""
    return standing.situation in (Situation.APPLIED, Situation.CLOSED)


def is_it_safe_to_send_again(sight: Sight) -> Answer:
    """Return the answer to "Safe to send again?"; its end carries its day."""
    return safe_to_send_again(sight.standing, now=sight.now)


def safe_to_send_again(standing: Standing, *, now: datetime) -> Answer:
    """Return that answer of one standing."""
    question = "Safe to send again?"
    if standing.conflict is not None:
        # The recipient's promise is as doubtful as its statements; the core refuses to send on it.
        return Answer("guard", question, "noshield", "Not in a contradiction", "stop")
    if nothing_left_to_send(standing):
        return Answer("guard", question, "unneeded", "Not needed")
    if standing.protection is Protection.ABSENT:
        return Answer("guard", question, "noshield", "No")
    if standing.protection is not Protection.ACTIVE:
        return Answer("guard", question, "shielddash", "We don't know")
    until = reading.moment(standing.protection_until)
    if until is None:
        return Answer("guard", question, "shield", "Yes")
    tone = "warn" if until - now <= SOON else ""
    return Answer("guard", question, "shield", f"Yes, until {clock(until, now=now)}", tone)


def answers(sight: Sight) -> tuple[Answer, Answer, Answer]:
    """Return the three answers, in the order of the columns."""
    return did_it_happen(sight), could_it_still_happen(sight), is_it_safe_to_send_again(sight)
