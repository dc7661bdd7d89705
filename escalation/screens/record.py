"""The decision record as people read and print it: the same value as the JSON, in the words of the screens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from escalation.screens.answers import answers
from escalation.screens.decided_words import ACTIONS, lines_of, proposed_by
from escalation.screens.doors import NAME
from escalation.screens.second_signatures import Shown, of_operation
from escalation.screens.seen import SAYS
from escalation.screens.sight import Sight
from escalation.screens.stood import Stood, stood
from operations.core.actions import Action
from operations.record import record_of
from operations.record.writing import at


@dataclass(frozen=True, slots=True)
class Taken:
    """One decision with the standing that it stood on, in words, and what was decided, line by line."""

    row: Mapping[str, Any]
    name: str
    stood: Stood
    decided: tuple[tuple[str, str], ...]
    proposed_by: str


def _taken(row: Mapping[str, Any]) -> Taken:
    content = row["decided"]
    name = ACTIONS[row["action"]]
    return Taken(row, name, stood(row["standing"]), lines_of(content), proposed_by(content))


def _acts(record: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Return each action by name with the reason why it is shut, None where it is open."""
    refused = record["permitted_action"]["refused"]
    return [(NAME[action], refused[action]["reason"] if action in refused else None) for action in Action]


def _seen(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**one, "said": [{**said, "in_words": SAYS.get(said["says"], said["says"])} for said in one["readings"]]}
        for one in record["rests_on"]["observations"]
    ]


def whole(sight: Sight) -> dict[str, Any]:
    """Return the record with what was proposed for a second signature among what it rests on; ready for JSON."""
    record = record_of(sight.read, sight.standing, now=sight.now)
    record["rests_on"]["second_signatures"] = [_signature(one) for one in of_operation(sight)]
    return record


def _signature(one: Shown) -> dict[str, Any]:
    row, ended = one.row, one.row.ended_by
    return {
        "number": row.pk,
        "door": row.door,
        "action": row.action,
        "state": one.state.value,
        "proposed_at": at(row.proposed_at),
        "proposed_by": row.proposed_by.username,
        "revision_seen": row.revision,
        "may_be_signed_until": at(row.lapses_at),
        "proposed": row.content,
        "standing": row.standing,
        "ended_at": at(row.ended_at),
        "ended_by": None if ended is None else ended.username,
        "reason": row.reason,
    }


def shown(sight: Sight) -> dict[str, Any]:
    """Return what the page is made of."""
    record = whole(sight)
    return {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "now": sight.now,
        "record": record,
        "answers": answers(sight),
        "acts": _acts(record),
        "seen": _seen(record),
        "signatures": of_operation(sight),
        "taken": [_taken(row) for row in record["rests_on"]["decisions"]],
        "completed": [(row, stood(row["standing"])) for row in record["rests_on"]["completions"]],
    }
