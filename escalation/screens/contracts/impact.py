"""What a contract would change, in the words of the queue: before, and after."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from escalation.screens.answers import safe_to_send_again
from escalation.screens.doors import name_of
from operations.core.actions import Action
from operations.core.prose import can_still_happen, happened
from operations.core.standing import Standing
from operations.impact import Change


@dataclass(frozen=True, slots=True)
class Turn:
    """One question whose answer would be another."""

    question: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changed:
    """One operation that would stand otherwise: its answers, and which actions would be opened or locked."""

    number: int
    effect: str
    turns: tuple[Turn, ...]
    opened: tuple[str, ...]
    locked: tuple[str, ...]


def _turns(before: Standing, after: Standing, *, now: datetime) -> Iterator[Turn]:
    asked = (
        ("Did it happen?", happened(before), happened(after)),
        ("Could it still happen?", can_still_happen(before), can_still_happen(after)),
        ("Safe to send again?", _safe(before, now=now), _safe(after, now=now)),
    )
    yield from [Turn(question, one, other) for question, one, other in asked if one != other]


def _safe(standing: Standing, *, now: datetime) -> str:
    answer = safe_to_send_again(standing, now=now).word
    reason = standing.protection_reason
    return f"{answer}. {reason.sentence}" if reason is not None and answer in ("No", "We don't know") else answer


def _names(actions: set[str], standing: Standing) -> tuple[str, ...]:
    sent = bool(standing.weighed.went.reached)
    return tuple([name_of(Action(action), standing.situation, sent=sent) for action in sorted(actions)])


def changed(change: Change, *, now: datetime) -> Changed:
    """Return one change in words."""
    before, after = set(change.before.permitted), set(change.after.permitted)
    return Changed(
        number=change.operation.number,
        effect=change.operation.effect,
        turns=tuple(_turns(change.before.standing, change.after.standing, now=now)),
        opened=_names(after - before, change.after.standing),
        locked=_names(before - after, change.before.standing),
    )


def sentences(change: Changed) -> Iterator[str]:
    """Yield one change as lines of text."""
    yield f"{change.number} {change.effect}"
    yield from [f"  {turn.question} {turn.before} -> {turn.after}" for turn in change.turns]
    if change.opened:
        yield f"  opened: {'; '.join(change.opened)}"
    if change.locked:
        yield f"  locked: {'; '.join(change.locked)}"
