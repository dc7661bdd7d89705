"""One safe thing is done about many operations, each on its own: what one of them refuses keeps no other waiting.

Safe: nothing is sent that changes anything, no fact changes, and nothing is decided. Whatever sends, risks or repairs is
done on the page of one operation.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from escalation.cases import minding
from escalation.cases.minding import CantBe, Minder, NoCase
from escalation.decisions.refused import NotAllowed, StaleView
from escalation.models import User
from escalation.policy import May, why_not
from escalation.queue import Chosen
from operations.core.worded import Worded
from operations.recording import hastening

logger: Final = logging.getLogger(__name__)


class End(Worded):
    """What became of one row."""

    DONE = "done", "Done"
    INELIGIBLE = "ineligible", "Not for this one"
    FAILED = "failed", "Not done"


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of one row, and the sentence that says why it did not become more."""

    chosen: Chosen
    end: End
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What was typed for all of them: until when (put off), to whom (handed over), and a note."""

    until: datetime | None = None
    to: User | None = None
    note: str = ""


def _take(chosen: Chosen, minder: Minder, _: Words) -> None:
    minding.take(chosen.operation, minder)


def _hand_over(chosen: Chosen, minder: Minder, words: Words) -> None:
    if words.to is None:
        raise CantBe("to", "Say who looks after it from now on.")
    minding.hand_over(chosen.operation, minder, to=words.to, note=words.note)


def _put_off(chosen: Chosen, minder: Minder, words: Words) -> None:
    if words.until is None:
        raise CantBe("until", "Choose a time that is still to come.")
    minding.put_off(chosen.operation, minder, until=words.until, note=words.note)


def _note(chosen: Chosen, minder: Minder, words: Words) -> None:
    minding.note(chosen.operation, minder, text=words.note)


def _ask(chosen: Chosen, minder: Minder, _: Words) -> None:
    refused = why_not(minder.person, May.ASK, recipient=chosen.recipient)
    if refused is not None:
        raise NotAllowed(refused)
    hastening.hasten(chosen.operation, now=minder.now)


VERBS: Final[Mapping[str, Callable[[Chosen, Minder, Words], None]]] = {
    "take": _take,
    "hand_over": _hand_over,
    "put_off": _put_off,
    "note": _note,
    "ask": _ask,
}


def each(chosen: Iterable[Chosen], verb: str, words: Words, *, person: User, now: datetime) -> list[Ended]:
    """Do one thing about each, in a transaction of its own, and return what became of each, in the order given."""
    return [_one(one, verb, words, Minder(person=person, seen=one.seen, now=now)) for one in chosen]


def _one(chosen: Chosen, verb: str, words: Words, minder: Minder) -> Ended:
    try:
        VERBS[verb](chosen, minder, words)
    except (NoCase, CantBe, NotAllowed, hastening.CantHasten) as refused:
        return Ended(chosen, End.INELIGIBLE, str(refused))
    except StaleView:
        return Ended(chosen, End.FAILED, "It changed while you were reading; look at it again.")
    except Exception:
        logger.exception("%s could not be done about operation %s", verb, chosen.number)
        return Ended(chosen, End.FAILED, "Something went wrong here; what it was stands in the desk's log.")
    return Ended(chosen, End.DONE)
