"""Asks that ended are counted where their answers are written: by recipient and hour, once each."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.db.models import F

from operations import models
from operations.core.inquiry import Question
from operations.models.ask_tally import TALLIED
from operations.recording import planning

_OVER: Final = frozenset({Question.NONE, Question.FURTHER_EFFECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How one ask ended: with an answer that was kept, with the word that nothing changed, or with none of them."""

    recipient_id: int
    at: datetime
    answered: bool = False
    unchanged: bool = False
    settled: bool = False


def is_open(operation: models.Operation) -> bool:
    """Return whether it is open what came of an operation; that it may happen again leaves open nothing of that."""
    return planning.question_of(operation) not in _OVER


def tally(ended: Iterable[Ended]) -> None:
    """Add these asks to the hours in which they ended, in the caller's transaction, in one order for everybody."""
    hours: dict[tuple[int, datetime], Counter[str]] = {}
    for one in ended:
        hour = one.at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        counted = hours.setdefault((one.recipient_id, hour), Counter())
        counted.update(asks=1, answers=int(one.answered), unchanged=int(one.unchanged), settled=int(one.settled))
    rows = [models.AskTally(recipient_id=recipient, hour=hour) for recipient, hour in sorted(hours)]
    models.AskTally.objects.bulk_create(rows, ignore_conflicts=True)
    for (recipient, hour), counted in sorted(hours.items()):
        more = {name: F(name) + counted[name] for name in TALLIED}
        models.AskTally.objects.filter(recipient_id=recipient, hour=hour).update(**more)
