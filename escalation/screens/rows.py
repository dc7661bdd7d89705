"""The rows of the queue: one operation each, told as its own page tells it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from escalation.models.case import CaseReason
from escalation.queue import MOST_COUNTED, NEVER, SOON, Group, Placed
from escalation.screens.answers import Answer, answers
from escalation.screens.doors import first_step, name_of
from escalation.screens.left import left_unresolved
from escalation.screens.reopened import in_short
from escalation.screens.seen import last_act
from escalation.screens.sight import Sight, is_established, sight_of
from operations import reading
from operations.core.actions import Action
from operations.core.missing import Fact, missing

if TYPE_CHECKING:
    from operations import models

HEADING: Final = {
    Group.WITHIN_THE_HOUR: "Act within the hour",
    Group.CONTRADICTIONS: "Answers that contradict each other",
    Group.CAN_BE_FINISHED: "Can be finished now: the outcome is known, our books don't show it",
    Group.THE_REST: "Everything else, soonest first",
    Group.LEFT_UNRESOLVED: "Left unresolved or put off until a time that was set, outcome unknown",
}
# The same in the menu.
IN_SHORT: Final = {
    Group.WITHIN_THE_HOUR: "Act within the hour",
    Group.CONTRADICTIONS: "Contradictions",
    Group.CAN_BE_FINISHED: "Can be finished now",
    Group.THE_REST: "Everything else",
    Group.LEFT_UNRESOLVED: "Put off",
}
OWNER: Final = {"mine": "I do", "nobody": "Nobody"}
# The words of the menu are those of the rows.
SITUATION: Final = {
    "unknown": "We don't know",
    "under_way": "Under way",
    "happened": "Yes, not in our books",
    "recorded": "Yes",
    "ruled_out": "No, ruled out",
    "not_there": "Not there when last read",
    "contradiction": "Contradiction",
}


# Why there is a case, in the words of the menu; rows say those of which they would say nothing else.
REASON: Final[Mapping[str, str]] = {
    CaseReason.CONFLICT: "Contradiction",
    CaseReason.PROTECTION_ENDS: "Repeating stops being harmless",
    CaseReason.DEADLINE: "The deadline is near",
    CaseReason.UNKNOWN_TOO_LONG: "Unknown for too long",
    CaseReason.PENDING_TOO_LONG: "Under way for too long",
    CaseReason.AGENT_ASKS: "An agent asks for a person",
    CaseReason.POLLS_EXHAUSTED: "Asked as often as it may be",
    CaseReason.NO_POLLABLE_CHANNEL: "The desk can't ask by itself",
    CaseReason.RETRY_AFTER_TOO_LATE: "May be asked only when it is too late",
    CaseReason.RISK_REVIEW: "A risk to look back at",
    CaseReason.LEFT_UNRESOLVED: "Left unresolved",
    CaseReason.RESULT_OWED: "Its agent waits for the result",
}
_SAID: Final = (CaseReason.RESULT_OWED, CaseReason.AGENT_ASKS, CaseReason.RISK_REVIEW)


@dataclass(frozen=True, slots=True)
class Row:
    """One operation in the queue; `step` is the name of the safe next step, `action` what kind it is.

    `look_again_at` is given in place of `act_before` where a person left the outcome unresolved, or put it off, until then.
    `owner` looks after it (empty: nobody); `nobody` says that somebody has to, `left` that the owner is
    inactive. `owes` says that its agent waits for the result for too long. `round` is how often its chain has begun, 0 where no case is open. `seen` is the revision of its case, 0: none.
    """

    operation: "models.Operation"
    below: str
    answers: tuple[Answer, Answer, Answer]
    act_before: datetime | None
    look_again_at: datetime | None
    pressing: bool
    undated: str
    step: str
    action: Action | None
    owner: str
    nobody: bool
    left: bool
    owes: bool
    round: int
    seen: int


@dataclass(frozen=True, slots=True)
class Section:
    """One group as far as this page shows it; `count` is the whole group's, or as far as was counted where there are `more`."""

    group: str
    heading: str
    count: int
    more: bool
    rows: tuple[Row, ...]


def _below(sight: Sight, reasons: Collection[str]) -> str:
    gaps, left, back = missing(sight.standing), left_unresolved(sight), in_short(sight)
    parts = [sight.operation.recipient.name, *[REASON[one].lower() for one in _SAID if one in reasons]]
    if left is not None:
        parts.append(left.heading)
    if back is not None:
        return " · ".join([*parts, back])
    if gaps and gaps[0].fact is not Fact.WHETHER_IT_HAPPENED:  # which the first of the three answers says
        parts.append(f"missing: {fact_in_short(gaps[0].fact)}")
    return " · ".join(parts if left is not None else [*parts, f"last: {last_act(sight)}"])


def fact_in_short(fact: Fact) -> str:
    """Return a missing fact in a few words, as rows and menu have it."""
    words = fact.sentence.partition(":")[0].rstrip(".")
    return f"{words[0].lower()}{words[1:]}"


def _step(sight: Sight) -> tuple[str, Action | None]:
    step = first_step(sight)
    if step is None:
        return "", None
    if step.action is Action.OBSERVE:
        return f"Ask {sight.operation.recipient.name}", step.action
    return name_of(step.action, sight.standing.situation, sent=bool(sight.standing.weighed.went.reached)), step.action


def row_of(operation: "models.Operation", placed: Placed, *, now: datetime) -> Row:
    """Return one row, its standing inferred at `now`; the operation comes from `queue.page`, all loaded."""
    completion = max(operation.completions.all(), key=lambda one: one.position, default=None)
    sight = sight_of(reading.read(operation), completion, now=now)
    at = placed.act_before
    is_left = Group(placed.group) is Group.LEFT_UNRESOLVED
    step, action = _step(sight)
    reasons = operation.waiting.reasons
    case = operation.open_case  # type: ignore[attr-defined]  # loaded by `queue.page`
    return Row(
        operation=operation,
        below=_below(sight, reasons),
        answers=answers(sight),
        act_before=None if is_left or at >= NEVER else at,
        look_again_at=at if is_left else None,
        pressing=at - now <= SOON,
        undated="no hurry" if is_established(sight.standing) else "no date set",
        step=step,
        action=action,
        owner=case.owner.username if case is not None and case.owner is not None else "",
        owes=CaseReason.RESULT_OWED in reasons,
        left=case is not None and case.owner is not None and not case.owner.is_active,
        round=0 if case is None else case.round,
        nobody=case is not None and case.owner is None,
        seen=0 if case is None else case.revision,
    )


def sections(
    found: "Iterable[tuple[models.Operation, Placed]]", counts: Mapping[Group, int], *, now: datetime
) -> tuple[Section, ...]:
    """Return the rows of one page under the headings of their groups; a group without rows here has none."""
    grouped: dict[Group, list[Row]] = {}
    for operation, placed in found:
        grouped.setdefault(Group(placed.group), []).append(row_of(operation, placed, now=now))
    return tuple([_section(group, counts[group], rows) for group, rows in grouped.items()])


def _section(group: Group, count: int, rows: list[Row]) -> Section:
    return Section(group.name.lower(), HEADING[group], min(count, MOST_COUNTED), count > MOST_COUNTED, tuple(rows))
