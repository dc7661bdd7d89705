"""The decision record of one operation: what is known, what it rests on, what may be done, and what is unresolved and why.

Its seven parts are those of semantics.md: original operation, effect evidence, finality, duplicate protection, permitted
action, new proposal, unresolved reason. It is a value ready for JSON whose keys stand in one fixed order; times are UTC.
It holds no credential, and no header of the request but those that bind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from operations import decided, reading
from operations.core.actions import Action
from operations.core.closing import is_open
from operations.core.facts import Successor
from operations.core.scenario import answer
from operations.core.standing import Evidence, Finality, Standing
from operations.reading import closings
from operations.record import rows
from operations.record.writing import at, payload

if TYPE_CHECKING:
    from operations import models

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Decided:
    """What the record is made of: the operation with its facts, and its standing at `now`."""

    read: reading.Read
    standing: Standing
    now: datetime


def _original(row: models.Operation) -> dict[str, Any]:
    return {
        "number": row.number,
        "id": str(row.id),
        "recipient": {"key": row.recipient.key, "name": row.recipient.name},
        "effect": row.effect,
        "request_number": row.identity,
        "request_number_known": row.identity_known,
        "request": {
            "method": row.method,
            "target": row.target,
            "headers": [list(line) for line in row.headers],
            "body": payload(row.body),
            "arguments": payload(row.arguments),
            "scope": row.scope,
            "digest": row.digest,
        },
        "from": {"agent": row.agent, "run": row.run, "call": row.call, "tool": row.tool},
        "authorised_by": row.authorised_by,
        "deadline": at(row.deadline),
        "registered_at": at(row.created_at),
        "closes": _closes(row),
        "contract": {
            "version": row.contract.version,
            "digest": row.contract.digest,
            "read_by_version": reading.judging(row).version,
        },
    }


def _closes(row: models.Operation) -> dict[str, Any] | None:
    """Return the operation that this one was sent to close, None where it closes none."""
    link = closings.link_of(row)
    return None if link is None else {"id": str(link.operation_id), "number": link.operation.number}


def _behind(of: Decided, indices: tuple[int, ...]) -> list[str]:
    """Return the ids of the observations behind these events, each once."""
    behind = [of.read.rows[index] for index in indices]
    return list(dict.fromkeys([str(row.observation_id) for row in behind if hasattr(row, "observation_id")]))


def _evidence(of: Decided, said: Mapping[str, Any]) -> dict[str, Any]:
    grounds = of.standing.grounds.evidence
    return {
        "evidence": said["evidence"],
        "conflict": said["conflict_kind"],
        "conflict_sentence": None if of.standing.conflict is None else of.standing.conflict.sentence,
        "duplicate_effect": said["duplicate_effect"],
        "effect_refs": list(of.standing.effect_refs),
        "rests_on": _behind(of, tuple(grounds.observations)),
        "not_counted": [
            {"observation": _behind(of, (one["index"],)), "reason": one["reason"]} for one in said["not_counted"]
        ],
    }


def _finality(of: Decided, said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "finality": said["finality"],
        "further_effect": said["further_effect"],
        "record_complete": of.read.operation.sealed,
        "rests_on": _behind(of, tuple(of.standing.grounds.finality.observations)),
        "closings": [_closing(link, now=of.now) for link in closings.of_original(of.read.operation)],
    }


def _closing(link: models.Closing, *, now: datetime) -> dict[str, Any]:
    """Return one request that was authorised to close the operation; what it was answered is among the observations."""
    row = link.closing
    return {
        "id": str(row.id),
        "number": row.number,
        "request_number": row.identity,
        "authorised_by": link.named_by,
        "at": at(link.named_at),
        "open": is_open(closings.request_of(link), now=reading.seconds(now)),
    }


def _protection(of: Decided, said: Mapping[str, Any]) -> dict[str, Any]:
    reason = of.standing.protection_reason
    return {
        "protection": said["protection"],
        "until": at(reading.moment(said["protection_until"])),
        "reason": said["protection_reason"],
        "reason_sentence": None if reason is None else reason.sentence,
        "scope": of.read.operation.scope,
    }


def _permitted(said: Mapping[str, Any]) -> dict[str, Any]:
    refusals = said["refusals"]
    return {
        "permitted": [str(action) for action in said["permitted"]],
        "refused": {str(action): dict(refusals[action]) for action in sorted(refusals)},
    }


def _new_proposal(of: Decided, said: Mapping[str, Any]) -> dict[str, Any]:
    refusal = said["refusals"].get(Action.PROPOSE_NEW)
    successors = [event for event in of.read.facts.events if isinstance(event, Successor)]
    return {
        "permitted": refusal is None,
        "refusal": None if refusal is None else dict(refusal),
        "successors": [{"id": one.id, "state": str(one.state)} for one in successors],
    }


def _is_resolved(standing: Standing) -> bool:
    if standing.conflict is not None or standing.duplicate_effect:
        return False
    return standing.evidence is Evidence.APPLIED or standing.finality is Finality.EXCLUDED


def why_unresolved(standing: Standing) -> str | None:
    """Return in a sentence why the outcome is unresolved, None where a receipt or a standing settles it."""
    if _is_resolved(standing):
        return None
    if standing.conflict is not None:
        return f"The recipient contradicts itself. {standing.conflict.sentence}"
    if standing.duplicate_effect:
        return "The recipient names more than one effect for this one request."
    return _OPEN[standing.evidence]


_OPEN: Final[Mapping[Evidence, str]] = {
    Evidence.UNKNOWN: "Nothing that was learnt says whether it happened, and what was sent may still act.",
    Evidence.PENDING: "The recipient says that it is under way, which can end either way.",
    Evidence.NOT_APPLIED: "It was not there when last read, and what was sent may still act.",
    Evidence.APPLIED: "It happened.",
}


def _unresolved(of: Decided, said: Mapping[str, Any]) -> dict[str, Any]:
    left = decided.left(of.read, now=of.now)
    why = why_unresolved(of.standing)
    return {
        "unresolved": why is not None,
        "why": why,
        "missing": [{"fact": gap["fact"], "channels": list(gap["channels"])} for gap in said["missing"]],
        "left": None
        if left is None
        else {
            "by": left.decision.decided_by,
            "at": at(left.decision.decided_at),
            "until": at(left.look_again_at),
            "told": left.told,
            "fact": left.fact.sentence,
            "stands": left.stands,
            "changed_since": [moved.sentence for moved in left.since],
        },
    }


def record_of(read: reading.Read, standing: Standing, *, now: datetime) -> dict[str, Any]:
    """Return the record of an operation at `now`, ready for JSON; the order of its keys is part of it."""
    of = Decided(read, standing, now)
    said = answer(standing, original=closings.original_of(read.operation, now=now))
    return {
        "report": "decision record",
        "format": FORMAT,
        "as_of": at(now),
        "original_operation": _original(read.operation),
        "effect_evidence": _evidence(of, said),
        "finality": _finality(of, said),
        "duplicate_protection": _protection(of, said),
        "permitted_action": _permitted(said),
        "new_proposal": _new_proposal(of, said),
        "unresolved_reason": _unresolved(of, said),
        "rests_on": {
            "attempts": rows.attempts(read),
            "observations": rows.observations(read),
            "completions": rows.completions(read),
            "decisions": rows.decisions(read),
        },
        "chain": rows.chain(read.operation),
    }
