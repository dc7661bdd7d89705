"""Who looks after a case: people take it, hand it over, say that they have seen it, or put it off. It changes no fact.

Everything happens under the operation's lock, against the case as the person saw it. No key, no agent and no command
gets here, and nobody can close a case: it ends when nothing is open.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from escalation.cases.attending import standing_of
from escalation.cases.pacing import SEEN_FOR, call_next, call_owner_first
from escalation.decisions.refused import NotAllowed, StaleView
from escalation.models import Case, CaseAct, User
from escalation.models.case import MOVING, Act
from escalation.policy import May, why_not
from operations import recording

if TYPE_CHECKING:
    from operations.models import Operation

LONGEST_PUT_OFF: Final = timedelta(days=31)


class NoCase(Exception):
    """Nothing of this operation is open, so there is nothing to look after."""


class CantBe(Exception):
    """What was asked of the case can't be; `field` of the form, and a sentence that says why."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Minder:
    """Who acts on a case, on which `seen` revision of it, at `now`."""

    person: User
    seen: int
    now: datetime


def take(operation_id: UUID, minder: Minder) -> Case:
    """Make the person the case's owner; whoever had it is told by its history."""
    with _minding(operation_id, minder) as (case, _):
        if case.owner_id == minder.person.pk:
            raise CantBe("", "It is yours already.")
        act = Act.TAKEN if case.owner_id is None else Act.TAKEN_OVER
        _own(case, minder.person, minder)
        _tell(case, act, minder, to=minder.person)
        return case


def give_back(operation_id: UUID, minder: Minder) -> Case:
    """Leave the case to nobody; only its owner can."""
    with _minding(operation_id, minder) as (case, _):
        if case.owner_id != minder.person.pk:
            raise CantBe("", "It is not yours to give back.")
        _own(case, None, minder)
        _tell(case, Act.GIVEN_BACK, minder)
        return case


def hand_over(operation_id: UUID, minder: Minder, *, to: User, note: str) -> Case:
    """Make somebody else the owner, who must be allowed to look after it; the note says where things stand."""
    with _minding(operation_id, minder) as (case, operation):
        refused = why_not(to, May.MIND, recipient=operation.recipient_id)
        if refused is not None or not to.is_active:
            raise CantBe("to", f"{to.username} may not look after this recipient's cases.")
        if case.owner_id == to.pk:
            raise CantBe("to", f"{to.username} looks after it already.")
        _own(case, to, minder)
        _tell(case, Act.HANDED_OVER, minder, to=to, note=note)
        return case


def acknowledge(operation_id: UUID, minder: Minder) -> Case:
    """Say that somebody has seen it; it lapses after `SEEN_FOR`, and the chain goes on: with the owner, if it has one."""
    with _minding(operation_id, minder) as (case, _):
        case.acknowledged_until = minder.now + SEEN_FOR
        if case.owner_id is None:
            call_next(case, at=case.next_call_at or minder.now)
        else:
            call_owner_first(case, at=minder.now)
        _tell(case, Act.ACKNOWLEDGED, minder, until=case.acknowledged_until)
        return case


def put_off(operation_id: UUID, minder: Minder, *, until: datetime, note: str) -> Case:
    """Let the case wait until a time, until what is known changes, or until one more reason comes."""
    with _minding(operation_id, minder) as (case, operation):
        if until <= minder.now:
            raise CantBe("until", "Choose a time that is still to come.")
        if until > minder.now + LONGEST_PUT_OFF:
            raise CantBe("until", f"Choose a time within {LONGEST_PUT_OFF.days} days.")
        case.snoozed_until, case.snoozed_standing = until, standing_of(operation)
        call_owner_first(case, at=until)
        _tell(case, Act.SNOOZED, minder, until=until, note=note)
        return case


def note(operation_id: UUID, minder: Minder, *, text: str) -> Case:
    """Write a line into the case's history; it is never evidence."""
    with _minding(operation_id, minder) as (case, _):
        _tell(case, Act.NOTED, minder, note=text)
        return case


@contextmanager
def _minding(operation_id: UUID, minder: Minder) -> "Iterator[tuple[Case, Operation]]":
    """Lock the operation and give its open case; raises `NotAllowed`, `NoCase` and `StaleView`, then nothing is written."""
    with recording.writing(operation_id, now=minder.now) as pen:
        refused = why_not(minder.person, May.MIND, recipient=pen.operation.recipient_id)
        if refused is not None:
            raise NotAllowed(refused)
        case = Case.objects.select_related("owner").filter(operation=operation_id, closed_at=None).first()
        if case is None:
            raise NoCase("Nothing of it is open, so there is nothing to look after.")
        if case.revision != minder.seen:
            raise StaleView(f"seen at revision {minder.seen}, now {case.revision}")
        yield case, pen.operation
        case.revision += 1
        case.save(update_fields=MOVING)


def _own(case: Case, person: User | None, minder: Minder) -> None:
    """Whoever takes it has seen it; to whom it is handed hasn't, and is called; what is given back calls its chain."""
    case.owner, case.owned_since = person, None if person is None else minder.now
    case.acknowledged_until = None
    if person is None:
        call_next(case, at=minder.now)
    else:
        call_owner_first(case, at=minder.now + SEEN_FOR if person == minder.person else minder.now)


def _tell(case: Case, act: Act, minder: Minder, **more: User | datetime | str) -> None:
    CaseAct.objects.create(case=case, act=act, at=minder.now, by=minder.person, **more)
